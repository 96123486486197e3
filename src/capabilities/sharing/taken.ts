import type { Verdict } from "./verdict.ts";

/**
 * Two copies that aim at one Secret would overwrite each other for ever. The first in the input has it; the shared resource
 * of a later one waits as a whole, and keeps what it has.
 */
export function firstComeFirstServed<T extends { readonly verdict: Verdict }>(shares: readonly T[]): readonly T[] {
  const taken = new Set<string>();
  return shares.map((share) => {
    if (share.verdict.is !== "copy") return share;
    for (const { namespace, name } of share.verdict.targets) {
      const target = `${namespace}/${name}`;
      if (taken.has(target)) return { ...share, verdict: { is: "keep", standing: { is: "TargetTaken", target } } };
      taken.add(target);
    }
    return share;
  });
}
