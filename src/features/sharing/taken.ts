import type { SharedResource } from "../../input/shared-resource.ts";
import type { Target } from "./target.ts";
import type { Copying, Verdict } from "./verdict.ts";

interface Judged {
  readonly shared: SharedResource;
  readonly verdict: Verdict;
}

/** Two copies that aim at one Secret would overwrite each other for ever: the first in the input has it. */
export function firstComeFirstServed<T extends Judged>(shares: readonly T[]): readonly T[] {
  const holders = new Map<string, string>();
  return shares.map((share) => {
    const { shared, verdict } = share;
    return verdict.is === "copy" ? { ...share, verdict: split(verdict, shared.name, holders) } : share;
  });
}

/** Adds the targets that are still free to `holders`, which lives as long as one call. */
function split(verdict: Copying, shared: string, holders: Map<string, string>): Copying {
  const granted: Target[] = [];
  const taken: { target: Target; holder: string }[] = [];
  for (const target of verdict.granted) {
    const secret = `${target.namespace}/${target.name}`;
    const holder = holders.get(secret);
    if (target.copy.via === "CompositeConnectionDetails" || holder === undefined) granted.push(target);
    else taken.push({ target, holder: `shared resource ${holder} of this XR` });
    if (target.copy.via !== "CompositeConnectionDetails") holders.set(secret, holder ?? shared);
  }
  return { ...verdict, granted, taken };
}
