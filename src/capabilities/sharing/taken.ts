import type { Verdict } from "./verdict.ts";

/**
 * Two copies that aim at one Secret would overwrite each other for ever. The first in the input has it; the whole of a later
 * one waits, and keeps what it has.
 */
export function firstComeFirstServed(verdicts: readonly Verdict[]): readonly Verdict[] {
  const taken = new Set<string>();
  return verdicts.map((verdict): Verdict => {
    if (verdict.is !== "copy") return verdict;
    for (const { namespace, name } of verdict.targets) {
      const target = `${namespace}/${name}`;
      if (taken.has(target)) return { is: "keep", standing: { is: "TargetTaken", target } };
      taken.add(target);
    }
    return verdict;
  });
}
