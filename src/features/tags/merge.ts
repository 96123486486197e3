import { fits } from "./glob.ts";
import type { Cloud } from "./limits.ts";
import type { TagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

/** The tags that Crossplane's upjet providers set themselves: not ours to set or remove. */
const PROVIDERS_OWN: ReadonlySet<string> = new Set(["crossplane-kind", "crossplane-name", "crossplane-providerconfig"]);

/** What there is to merge. */
export interface Sources {
  /** What the steps before us want. */
  readonly desired: TagMap;
  /** What the managed resource is to have, as it is observed. */
  readonly spec: TagMap;
  /** What the cloud resource has, as its provider reports it. */
  readonly cloud: TagMap;
}

/**
 * The tags to desire: what earlier steps want, then what the input adds, then what the cloud has and is to keep, less what is
 * to be removed. A provider takes away what is not in the list, so a foreign tag stays only if we want it as well.
 *
 * - Replace takes the later value (of `add` over earlier steps, of the cloud over both), Retain the earlier one.
 * - AWS takes nobody's `aws:` tags and takes none away: they are never in the list.
 * - In a list, which is one field, the provider's own tags have to be repeated; in a map they are its own fields.
 */
export function mergeTags(sources: Sources, wanted: Wanted, cloud: Cloud | undefined, isList: boolean): TagMap {
  const own = isList ? [...sources.spec].filter(([key]) => PROVIDERS_OWN.has(key)) : [];
  const tags = new Map([...own, ...sources.desired]);
  const changes = [...wanted.add, ...preserved(sources.cloud, wanted, cloud)];
  for (const { key, value, policy } of changes.filter(({ key }) => !PROVIDERS_OWN.has(key))) {
    if (policy === "Replace" || !tags.has(key)) tags.set(key, value);
  }
  return new Map([...tags].filter(([key]) => !isRemoved(key, wanted)));
}

/** What the cloud has and is to keep. */
function preserved(found: TagMap, { preserve }: Wanted, cloud: Cloud | undefined): Wanted["add"] {
  return [...found].flatMap(([key, value]) => {
    const rule = preserve.find(({ globs }) => globs.some((glob) => fits(key, glob)));
    const isReserved = cloud === "AWS" && key.startsWith("aws:");
    return rule === undefined || isReserved ? [] : [{ key, value, policy: rule.policy }];
  });
}

export const isRemoved = (key: string, { remove }: Wanted): boolean =>
  !PROVIDERS_OWN.has(key) && remove.some((glob) => fits(key, glob));
