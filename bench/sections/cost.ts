import { AT_MOST, type Cost, measureCost } from "../cost/measure.ts";
import { built } from "../rig/built.ts";
import { digits, type Section, type Target } from "../rig/report.ts";

/** What a call costs by what a tenant or an owner writes: it grows with the bytes, and no faster. */

/** @param only rows whose names include it */
export async function cost(only?: string): Promise<Section> {
  const { runFunction } = await built<typeof import("../../src/run-function.ts")>("run-function");
  const costs = [...measureCost(runFunction, only)];
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
    targets: costs.flatMap(targetsOf),
    figures: costs,
  };
}

const toText = ([bytes, milliseconds]: Cost["points"][number]): string =>
  `${Math.round(bytes / 1024)} KB: ${digits(milliseconds)}`;

export const targetsOf = ({ name, exponent, atLimit }: Cost): readonly Target[] => [
  { what: `exponent: ${name}`, is: exponent, atMost: AT_MOST.exponent },
  { what: `ms for 1 MB: ${name}`, is: atLimit, atMost: AT_MOST.milliseconds },
];
