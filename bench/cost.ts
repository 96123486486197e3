import { parseArgs } from "node:util";
import { isMet, toMarkdown } from "./rig/report.ts";
import { cost } from "./sections/cost.ts";

/**
 * `npm run bench:cost [-- --only=TEXT]`: section `cost` of the bench, or some of its rows, without what the
 * other sections need. Exits with 1 where a row fails.
 */
const { values } = parseArgs({ options: { only: { type: "string" } } });
const section = await cost(values.only);
process.stdout.write(toMarkdown(section));
process.exitCode = section.targets.every(isMet) ? 0 : 1;
