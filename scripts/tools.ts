/**
 * `npm run tools`: builds the programs that the tests run against into .cache/tools, where they are missing or their
 * module in tools/ has changed. Names as arguments build only those.
 */
import { obtainTools } from "./tools/build.ts";
import { findTool, type ToolName, toolNames, toolsOf } from "./tools/catalogue.ts";

const isToolName = (name: string): name is ToolName => toolNames.some((known) => known === name);

const args = process.argv.slice(2);
const unknown = args.filter((name) => !isToolName(name));
if (unknown.length > 0) {
  process.stderr.write(`cannot build ${unknown.join(", ")}: known are ${toolNames.join(", ")}\n`);
  process.exit(1);
}

const names = args.length > 0 ? args.filter(isToolName) : toolsOf("tests");
const problems = await obtainTools(names, (line) => process.stderr.write(`${line}\n`));
for (const name of names) process.stdout.write(`${name}\t${findTool(name) ?? "missing"}\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
