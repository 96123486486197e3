import { obtainTools } from "../../scripts/tools/build.ts";
import { toolsOf } from "../../scripts/tools/catalogue.ts";

/**
 * Vitest's global setup: obtains the programs that the function is tested with, before any test's time starts to run. Where
 * one cannot be had, the tests that take it are skipped, which must not pass unnoticed where nobody looks.
 *
 * @throws {Error} in CI, where a program is missing.
 */
export async function setup(): Promise<void> {
  const report = (line: string): boolean => process.stderr.write(`${line}\n`);
  const problems = await obtainTools(toolsOf("tests"), report);
  if (problems.length > 0 && process.env["CI"] === "true") throw new Error(problems.join("\n"));
  for (const problem of problems) report(`skipping the tests that take ${problem}`);
}
