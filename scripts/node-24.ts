/** Runs a program under Node 24, which is what the image runs: `tsx scripts/node-24.ts [--import tsx] PROGRAM ARGUMENTS`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { obtainTools } from "./tools/build.ts";
import { findTool } from "./tools/catalogue.ts";

const problems = await obtainTools(["node-24"], (line) => process.stderr.write(`${line}\n`));
const node = findTool("node-24");
if (node === undefined) {
  process.stderr.write(`cannot run Node 24: ${problems.join("\n")}\n`);
  process.exit(1);
}
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` };
const [code] = await once(spawn(node, process.argv.slice(2), { stdio: "inherit", env }), "close");
process.exitCode = code ?? 1;
