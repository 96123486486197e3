import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findTool, type ToolName } from "../tools/catalogue.ts";

const start = promisify(execFile);

/** @returns what it printed. @throws {Error} with what it said on standard error. */
export async function run(program: string, args: readonly string[], options: { readonly cwd?: string } = {}) {
  const { stdout } = await start(program, args, { ...options, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** @throws {Error} that says how to get it. */
export function pathOf(name: ToolName): string {
  const path = findTool(name);
  if (path === undefined) throw new Error(`cannot find ${name}: run "npm run tools -- ${name}"`);
  return path;
}

export const crane = (...args: readonly string[]): Promise<string> => run(pathOf("crane"), args);

/** The same files make the same archive, whoever makes it and when. */
export async function archive(folder: string, file: string, prefix = ""): Promise<void> {
  const reproducible = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=a+rX,go-w"];
  const rename = prefix === "" ? [] : [`--transform=s,^\\.,.${prefix},`];
  await run("tar", ["--create", "--file", file, ...reproducible, ...rename, "-C", folder, "."]);
}
