import type { Version } from "../rig/crossplane.ts";
import type { Rig } from "../rig/rig.ts";

/** One thing that has to be seen. The name is what is printed with what was seen. */
interface Scenario {
  readonly name: string;
  /** @returns what was seen. @throws {Error} where it was not. */
  readonly run: (rig: Rig) => Promise<string>;
  /** Where it is not for every Crossplane. */
  readonly isFor?: (version: Version) => boolean;
}

/** Scenarios that build on each other, in this order, in namespaces and with kinds of their own: suites run side by side. */
export interface Suite {
  readonly name: string;
  /** What looks at the control plane as a whole runs by itself. */
  readonly when?: "before the others" | "after the others";
  readonly scenarios: readonly Scenario[];
}

/** How long a scenario waits for what has to come; what needs longer says so. */
export const PATIENCE = { timeoutMs: 60_000 };
