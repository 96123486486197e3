import { type Cost, PLANS } from "../cost/measure.ts";
import type { Row, Section } from "../report.ts";
import { outputOf, typescript } from "../rig/child.ts";

const [TIMES, EXPONENT] = ["times JSON.parse", "exponent"];

export const cost: Section = {
  title: "Does what others write cost more than its bytes?",
  caption:
    "Every list, text and map that a tenant or an owner writes, in requests of 256 KB to 16 MB that consist of little else (up to what etcd " +
    "takes): processor time of a call with 1 MB, in that of JSON.parse of 1 MB, and the exponent with which it grows (1 is linear).",
  drawn: TIMES,
  measure: (only) => costRows("whole", only),
};

/** V8's heap in MB: @grpc/proto-loader takes 3 GB to make some requests of 16 MB. */
const HEAP = 12_000;

/** Measures the rows whose names include `only`, the most expensive first. */
export async function costRows(plan: keyof typeof PLANS, only = ""): Promise<readonly Row[]> {
  const { youngMegabytes, atMost } = PLANS[plan];
  const flags = [`--max-semi-space-size=${youngMegabytes}`, `--max-old-space-size=${HEAP}`];
  const text = await outputOf(process.execPath, [...flags, ...typescript("children/cost.ts"), plan, only]);
  const costs = JSON.parse(text) as readonly Cost[];
  return costs
    .toSorted((a, b) => b.atLimit - a.atLimit)
    .map(({ name, exponent, atLimit }) => ({
      name,
      figures: { [TIMES]: atLimit, [EXPONENT]: exponent },
      atMost: { [TIMES]: atMost.atLimit, [EXPONENT]: atMost.exponent },
    }));
}
