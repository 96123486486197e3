import type { ToolName } from "../../scripts/tools/catalogue.ts";
import { type Version, versions } from "../rig/crossplane.ts";
import { otherFunctions } from "../rig/other-function.ts";
import type { Provider, Rig, RigOptions } from "../rig/rig.ts";

/** One thing that has to be seen. The name is what is printed with what was seen. */
interface Scenario {
  readonly name: string;
  /** @returns what was seen. @throws {Error} where it was not. */
  readonly run: (rig: Rig) => Promise<string>;
  /** Where it is not for every Crossplane. */
  readonly isFor?: (version: Version) => boolean;
}

/** Where managed resources are written, with the providers that a rig for it has. */
const clouds = {
  Kubernetes: ["provider-kubernetes", "upjet-provider"],
  AWS: ["provider-aws"],
} as const satisfies Record<string, readonly Provider[]>;
export type Cloud = keyof typeof clouds;
export const cloudNames = Object.keys(clouds) as Cloud[];

/** The rig that suites run on. */
export const rigFor = (version: Version, cloud: Cloud): RigOptions => ({
  version,
  providers: clouds[cloud],
  functions: otherFunctions,
});

/** Scenarios that build on each other, in this order, in namespaces and with kinds of their own: suites run side by side. */
export interface Suite {
  readonly name: string;
  /**
   * Set for a suite that looks at the whole control plane, after the others or after all, and for one that waits most of its time:
   * those after the others do not wait for it.
   */
  readonly when?: "beside all" | "after the others" | "last";
  /** Kubernetes where it is not said. Each cloud has a control plane of its own. */
  readonly cloud?: Cloud;
  /** Programs that its scenarios run beside those of the rig. */
  readonly programs?: readonly ToolName[];
  /** Runs only where --suite names it: what is counted needs a machine on which nothing else runs. */
  readonly isByHand?: boolean;
  readonly scenarios: readonly Scenario[];
}

/**
 * For suites of what does not depend on Crossplane: commands that read the API server, policies that it enforces, pages. Once is
 * enough for them, on the newest.
 */
export const onNewestOnly = (suite: Suite): Suite => ({
  ...suite,
  scenarios: suite.scenarios.map((scenario) => ({ ...scenario, isFor: isNewest })),
});

export const isNewest = (version: Version): boolean => version === versions.at(-1);

/** The time limit of a scenario's waits: most end within seconds, and on a busy machine a few take more than a minute. */
export const PATIENCE = { timeoutMs: 180_000 };
