import { featureCases, growing } from "../features.ts";
import { built } from "../rig/built.ts";
import { digits, type Section, type Target, withSpread } from "../rig/report.ts";
import { sample } from "../rig/sample.ts";
import { exponentOf, type Measured, summarise } from "../rig/statistics.ts";

/** The whole function, bytes to bytes, and how its cost grows. */

const counts = [100, 200, 400, 800] as const;
const ROUNDS = 3;
const MILLISECONDS = 250;

export async function features(): Promise<Section> {
  const { runFunction } = await built<typeof import("../../src/run-function.ts")>("run-function");
  const measure = (requests: readonly Buffer[]): readonly Measured[] => {
    const samples = requests.map((): number[] => []);
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [index, request] of requests.entries()) {
        const taken = sample(() => runFunction(request), MILLISECONDS);
        if (round > 0) samples[index]?.push(...taken.wall); // the first round warms up
      }
    }
    return samples.map((taken) => summarise(taken.map((microseconds) => microseconds / 1000)));
  };
  const whole = measure(featureCases.map(({ request }) => request()));
  const grown = growing.map(({ name, request }) => ({ name, milliseconds: measure(counts.map(request)) }));
  const exponents = grown.map(({ name, milliseconds }) => ({
    name,
    exponent: exponentOf(milliseconds.map(({ median }, index) => [counts[index] ?? 0, median])),
  }));
  return {
    title: "Whole features",
    tables: [
      {
        caption:
          "100 composed resources (680 KB) where nothing else is said, ms for one call without the network: median (p10–p90)",
        head: ["feature", "ms"],
        rows: featureCases.map(({ name }, index) => [name, withSpread(whole[index] as Measured)]),
      },
      {
        caption: "How the cost grows, ms; the exponent b of N^b",
        head: ["", ...counts.map((count) => `N = ${count}`), "b"],
        rows: grown.map(({ name, milliseconds }, index) => [
          name,
          ...milliseconds.map(withSpread),
          digits(exponents[index]?.exponent ?? 0),
        ]),
      },
    ],
    targets: exponents.map(({ name, exponent }): Target => ({ what: `exponent: ${name}`, is: exponent, atMost: 1.15 })),
    figures: { whole, grown, exponents },
  };
}
