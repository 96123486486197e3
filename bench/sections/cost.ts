import { type Cost, type Limits, PLANS, toCost } from "../cost/measure.ts";
import { outputOf, typescript } from "../rig/child.ts";
import { digits, type Section, type Target } from "../rig/report.ts";

/** The cost of a call by the size of what a tenant or an owner writes. It grows with the bytes, and no faster. */

/** @param only rows whose names include it */
export async function cost(only = ""): Promise<Section> {
  const costs = await measureApart("whole", only);
  return {
    title: "What others write",
    tables: [
      {
        caption:
          "Processor time of one call in ms, the least of several, by the size of the request; the exponent b of size^b",
        head: ["what is large", "size: ms", "b"],
        rows: costs.map(({ name, points, exponent }) => [name, points.map(toText).join(", "), digits(exponent)]),
      },
    ],
    targets: costs.flatMap((found) => boundsOf(found, PLANS.whole.atMost)),
    figures: costs,
  };
}

/** V8's young generation in MB: many times what a call of the largest size takes. */
const YOUNG = { whole: 1024, brief: 256 } as const;

/** In MB. @grpc/proto-loader takes 3 GB to make some requests of 16 MB. */
const HEAP = 12_000;

/** Measures in a process of its own, started as children/cost.ts says. */
export async function measureApart(plan: keyof typeof PLANS, only = ""): Promise<readonly Cost[]> {
  const flags = [`--max-semi-space-size=${YOUNG[plan]}`, `--max-old-space-size=${HEAP}`];
  const args = [...flags, ...typescript("children/cost.ts"), plan, only];
  const lines = (await outputOf(process.execPath, args)).split("\n").filter((line) => line !== "");
  return lines.map((line) => toCost(JSON.parse(line)));
}

const toText = ([bytes, milliseconds]: Cost["points"][number]): string =>
  `${Math.round(bytes / 1024)} KB: ${digits(milliseconds)}`;

/** Two targets for a row. */
export const boundsOf = ({ name, exponent, atLimit }: Cost, atMost: Limits): readonly Target[] => [
  { what: `exponent: ${name}`, is: exponent, atMost: atMost.exponent },
  { what: `ms for 1 MB: ${name}`, is: atLimit, atMost: atMost.milliseconds },
];
