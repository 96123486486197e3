import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { toolsOf } from "../scripts/tools/catalogue.ts";
import { drawSection, writeSection } from "./rig/docs.ts";
import { conditionsOf, describeMachine } from "./rig/machine.ts";
import { installPeers } from "./rig/peers.ts";
import { isBound, isMet, toMarkdown } from "./rig/report.ts";
import { sections } from "./sections.ts";

/**
 * `npm run bench [-- --section=codec --json=FILE]`: measures this function beside others that do the same jobs, in one run, or one
 * section of it (`codec` is three). Prints tables, and writes all figures to .cache/bench/result.json; with --write also the tables,
 * and the picture of the ratios, into docs/performance.md.
 */
const { values } = parseArgs({
  options: {
    section: { type: "string" },
    json: { type: "string", default: ".cache/bench/result.json" },
    write: { type: "boolean", default: false },
  },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const isChosen = (name: string): boolean =>
  values.section === undefined || name === values.section || name.startsWith(`${values.section}-`);
const chosen = Object.entries(sections).filter(([name]) => isChosen(name));
if (chosen.length === 0) {
  throw new Error(`cannot run section ${String(values.section)}: there is ${Object.keys(sections).join(", ")}`);
}

/** The sections that measure this function alone, without the others' programs. */
const ALONE = ["features", "cost"];
if (chosen.some(([name]) => !ALONE.includes(name))) {
  installPeers();
  const problems = await obtainTools(toolsOf("bench"), say);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

// Each of the many programs that are measured listens for the end of this process.
process.setMaxListeners(100);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const machine = describeMachine();
say(
  `${Object.entries(machine)
    .map(([what, is]) => `${what}: ${is}`)
    .join("\n")}\n`,
);
const results = [];
for (const [name, run] of chosen) {
  const section = await run();
  say(toMarkdown(section));
  results.push(section);
  if (!values.write) continue;
  writeSection(name, section, conditionsOf(machine));
  if (name === "peers") drawSection(section, "How many times faster, one call at a time over loopback");
}
const targets = results.flatMap((section) => section.targets).filter(isBound);
if (targets.length > 0) say(`${targets.filter(isMet).length} of ${targets.length} targets are met.`);
mkdirSync(".cache/bench", { recursive: true });
writeFileSync(values.json, `${JSON.stringify({ machine, sections: results }, null, 2)}\n`);
