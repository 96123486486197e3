import { execFile } from "node:child_process";
import { findTool, type ToolName } from "../../scripts/tools/catalogue.ts";
import type { Ran } from "./run-command.ts";

/**
 * Where the tool is. Without it tests are to be skipped; except in CI, where each test is to run.
 *
 * @throws {Error} in CI, where it is missing.
 */
export function toolOrSkip(name: ToolName): string | undefined {
  const path = findTool(name);
  if (path !== undefined) return path;
  const message = `${name} is missing: npm run tools`;
  if (process.env["CI"] === "true") throw new Error(message);
  process.stderr.write(`skipped: ${message}\n`);
  return undefined;
}

/** Runs a program to its end. */
export const run = (program: string, args: readonly string[], input = ""): Promise<Ran> =>
  new Promise((resolve) => {
    const child = execFile(program, args, { timeout: 45_000, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
    child.stdin?.on("error", () => {}); // a program may end before it has read its input; its exit code says how
    child.stdin?.end(input);
  });
