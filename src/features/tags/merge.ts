import type { Cloud } from "../../crossplane/providers/families.ts";
import type { JsonValue } from "../../model/json.ts";
import { PROVIDERS_OWN } from "./limits.ts";
import type { TagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

/** The tags to merge, by where they come from. */
export interface TagSources {
  /** The tags that the steps before us want. */
  readonly desired: TagMap;
  /** The tags in the spec of the observed managed resource. */
  readonly spec: TagMap;
  /** The tags of the cloud resource, as its provider reports them. */
  readonly cloud: () => TagMap;
  /** The field as it is, or else its shape. */
  readonly like: JsonValue | undefined;
}

/**
 * Merges the tags of earlier steps, those that the input adds and those that the cloud resource is to keep, less those that are
 * to be removed. A provider removes tags that are not in the list, so a foreign tag stays only if it is desired too.
 *
 * - Replace takes the later value (of `add` over earlier steps, of the cloud over both), Retain the earlier one.
 * - AWS neither accepts nor removes `aws:` tags, so they are never in the list.
 * - A list is one field, so the provider's own tags have to be repeated in it; in a map they are fields of their own.
 */
export function mergeTags(sources: TagSources, wanted: Wanted, cloud: Cloud | undefined): TagMap {
  const { spec, desired, like } = sources;
  const tags = new Map(Array.isArray(like) ? [...findProvidersOwn(spec), ...desired] : desired);
  for (const { key, value, policy } of wanted.add) addTag(tags, key, value, policy);
  if (wanted.preserve.length > 0) preserve(tags, sources.cloud(), wanted, cloud);
  for (const key of tags.keys()) if (isRemoved(key, wanted)) tags.delete(key);
  return tags;
}

type Policy = Wanted["add"][number]["policy"];

const findProvidersOwn = (tags: TagMap) => [...tags].filter(([key]) => PROVIDERS_OWN.has(key));

function addTag(tags: Map<string, string>, key: string, value: string, policy: Policy): void {
  if (!PROVIDERS_OWN.has(key) && (policy === "Replace" || !tags.has(key))) tags.set(key, value);
}

/** Adds the tags of the cloud resource that it is to keep. */
function preserve(tags: Map<string, string>, found: TagMap, wanted: Wanted, cloud: Cloud | undefined): void {
  for (const [key, value] of found) {
    const isReserved = cloud === "AWS" && key.startsWith("aws:");
    const rule = isReserved ? undefined : wanted.preserve.find(({ has }) => has(key));
    if (rule !== undefined) addTag(tags, key, value, rule.policy);
  }
}

export const isRemoved = (key: string, { remove }: Wanted): boolean =>
  !PROVIDERS_OWN.has(key) && remove.some((has) => has(key));
