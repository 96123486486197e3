import { readFileSync } from "node:fs";
import { built } from "../rig/built.ts";

/** `records.ts FEW MANY`: prints the memory in MB and the processor time in ms of a call with the second file's request, after calls with the first's. */
const [, , few = "", many = ""] = process.argv;
const { runFunction } = await built<typeof import("../../src/run-function.ts")>("run-function");
const [usual, large] = [readFileSync(few), readFileSync(many)];
for (let calls = 0; calls < 20; calls++) await runFunction(usual);
const [before, start] = [process.resourceUsage().maxRSS, process.cpuUsage()];
await runFunction(large);
const { user, system } = process.cpuUsage(start);
const MB = (process.resourceUsage().maxRSS - before) / 1024;
process.stdout.write(JSON.stringify({ MB, ms: (user + system) / 1000 }));
