import { parseArgs } from "node:util";
import { type Version, versions } from "./rig/crossplane.ts";
import { type Cloud, cloudNames, type Suite } from "./scenarios/scenario.ts";

export const HELP = `Usage: npm run e2e [-- FLAG...]

Runs the scenarios on a real control plane, one Crossplane after the other, and prints a line for each with what was seen.

  --only=VERSION  ${versions.join(", ")}; all by default
  --suite=PART    the suites with this in their name; may be given several times
  --differing     on older Crossplanes only what they do differently
  --cloud=CLOUD   ${cloudNames.join(" or ")}, the first by default: the suites on a real AWS provider, in place of the others
  --retry         suites that failed are run once more, on a new control plane; the last lines name them and what they
                  failed with, since a second try hides a race as well as a busy machine
  --repeat=N      everything N times in a row, each on a new control plane
  --load          keeps every core busy meanwhile
  --keep          the last control plane stays, and says how to look around
  --record        what was seen goes into the matrix of docs/compatibility.md; then npm run generate writes it
  -h, --help      prints this
`;

const options = {
  only: { type: "string" },
  suite: { type: "string", multiple: true },
  retry: { type: "boolean", default: false },
  repeat: { type: "string", default: "1" },
  load: { type: "boolean", default: false },
  differing: { type: "boolean", default: false },
  cloud: { type: "string", default: "Kubernetes" },
  keep: { type: "boolean", default: false },
  record: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** What is to be run. */
export interface Plan {
  readonly versions: readonly Version[];
  readonly suites: readonly Suite[];
  readonly cloud: Cloud;
  readonly rounds: number;
  /** True for all that runs without being named, on every Crossplane. */
  readonly isWhole: boolean;
  readonly flags: Readonly<Record<"retry" | "load" | "differing" | "keep" | "record", boolean>>;
}

/**
 * @returns undefined where help is asked for.
 * @throws {Error} where a flag is unknown, or names what there is not.
 */
export function planOf(args: readonly string[], suites: readonly Suite[]): Plan | undefined {
  const { values: flags } = parseArgs({ args: [...args], options });
  if (flags.help) return undefined;
  const { only, suite: parts } = flags;
  const cloud = cloudNames.find((known) => known === flags.cloud);
  if (cloud === undefined) throw new Error(`--cloud=${flags.cloud}: there is ${cloudNames.join(", ")}`);
  const rounds = Number(flags.repeat);
  if (!Number.isSafeInteger(rounds) || rounds < 1)
    throw new Error(`--repeat=${flags.repeat}: it is a number from 1 on`);
  const chosenVersions = versions.filter((version) => only === undefined || version === only);
  if (chosenVersions.length === 0) throw new Error(`--only=${String(only)}: there is ${versions.join(", ")}`);
  const onCloud = suites.filter((suite) => (suite.cloud ?? "Kubernetes") === cloud);
  const chosenSuites = onCloud.filter(
    ({ name, isByHand }) => parts?.some((part) => name.includes(part)) ?? isByHand !== true,
  );
  if (chosenSuites.length === 0) {
    const names = onCloud.map(({ name }) => `"${name}"`).join(", ");
    throw new Error(`--suite=${String(parts)}: on ${cloud} there is ${names}`);
  }
  const isWhole = only === undefined && parts === undefined && cloud === "Kubernetes";
  return { versions: chosenVersions, suites: chosenSuites, cloud, rounds, isWhole, flags };
}
