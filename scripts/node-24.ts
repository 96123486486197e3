/** Runs a program under Node 24, which is what the image runs: `tsx scripts/node-24.ts [--import tsx] PROGRAM ARGUMENTS`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { requireTool } from "./tools/build.ts";

const node = await requireTool("node-24");
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` };
const [code] = await once(spawn(node, process.argv.slice(2), { stdio: "inherit", env }), "close");
process.exitCode = code ?? 1;
