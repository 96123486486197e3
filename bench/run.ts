import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { toolsOf } from "../scripts/tools/catalogue.ts";
import { describeMachine } from "./machine.ts";
import { resultFile } from "./page.ts";
import { isMet, type Result, type Section, toTable } from "./report.ts";
import { installSdk } from "./rig/install-sdk.ts";
import { codec } from "./sections/codec.ts";
import { cost } from "./sections/cost.ts";
import { memory } from "./sections/memory.ts";
import { hasPeers, peers } from "./sections/peers.ts";
import { latency, load } from "./sections/server.ts";

const sections: Readonly<Record<string, Section>> = { codec, latency, load, peers, memory, cost };

const HELP = `npm run bench [-- --section=NAME --only=TEXT --write]

Measures this function beside others that do the same, in one run, and prints a table for each section.
  --section=NAME  ${Object.keys(sections).join(", ")}; several may be given. Default: all
  --only=TEXT     of section cost, the rows whose names include TEXT
  --write         write bench/results/SECTION.json; npm run generate then writes docs/performance.md

Section memory needs root: it makes a cgroup. Section peers is left out unless PEER_TAG_MANAGER and PEER_EXTRA_RESOURCES
name the binaries of function-tag-manager and function-extra-resources (their repositories in
github.com/crossplane-contrib, built with go build).
`;

const { values } = parseArgs({
  options: {
    section: { type: "string", multiple: true, default: Object.keys(sections) },
    only: { type: "string" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Builds and installs what the sections are compared with. */
async function prepare(): Promise<void> {
  installSdk();
  const problems = await obtainTools(toolsOf("bench"), say);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

async function measure(name: string, section: Section): Promise<void> {
  const { title, caption, drawn } = section;
  say(`${name}: ${title}\n${caption}\n`);
  const rows = await section.measure(values.only);
  say(`${toTable(rows)}\n`);
  if (!rows.every(isMet)) process.exitCode = 1;
  const result: Result = { title, caption, drawn, ...describeMachine(), rows };
  if (values.write) writeFileSync(resultFile(name), `${JSON.stringify(result, null, 2)}\n`);
}

async function run(): Promise<void> {
  const unknown = values.section.find((name) => sections[name] === undefined);
  if (unknown !== undefined)
    throw new Error(`cannot run section ${unknown}: there is ${Object.keys(sections).join(", ")}`);
  if (values.write && values.only !== undefined) throw new Error("cannot write figures of --only");
  const names = values.section.filter((name) => name !== "peers" || hasPeers());
  if (names.length < values.section.length) say("peers is left out: see --help");
  if (names.some((name) => name !== "cost")) await prepare();
  for (const [name, section] of Object.entries(sections)) if (names.includes(name)) await measure(name, section);
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
if (values.help) process.stdout.write(HELP);
else await run();
