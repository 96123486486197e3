import type { Cloud } from "../../crossplane/providers/families.ts";
import type { TagChange } from "../../model/draft.ts";
import type { ResourceTags } from "./kinds.ts";
import { PROVIDERS_OWN } from "./limits.ts";
import type { Subject } from "./subject.ts";
import { isSameTags, type TagMap } from "./tag-map.ts";
import type { WantedTags } from "./wanted.ts";

/**
 * Decides the tags of a resource; undefined if earlier steps desire the same. Merges the tags of earlier steps, the tags that the input
 * adds, and the cloud's tags that the input preserves, without the tags that it removes. A provider removes tags that are not desired, so
 * preserved tags have to be desired.
 *
 * - Replace takes the later value (of `add` over earlier steps, of the cloud over both), Retain the earlier one.
 * - AWS neither accepts nor removes `aws:` tags, so they are never desired.
 * - A list of tags is one field, so it has to repeat the provider's own tags; in a map each tag is a field of its own.
 */
export function decideTags({ cloud, tags: found }: Subject, wanted: WantedTags): TagMap | undefined {
  if (found === undefined) return undefined;
  const tags = new Map(found.desired);
  for (const [key, value] of findProvidersOwn(found)) if (!tags.has(key)) tags.set(key, value);
  for (const { key, value, onExisting } of wanted.add) addTag(tags, key, value, onExisting);
  if (wanted.preserve.length > 0) preserveTags(tags, found.cloud(), wanted.preserve, cloud);
  for (const key of tags.keys()) if (isRemoved(key, wanted)) tags.delete(key);
  return isSameTags(found.desired, tags) ? undefined : tags;
}

/**
 * Copies the tags of the owner, or of another control plane, to ours, for a kind without managementPolicies: our provider writes whatever
 * ours desires. Leaves out `aws:` tags, and takes the provider's own tags from ours.
 */
export function repeatTags(theirs: TagMap, { cloud, tags: found }: Subject): TagMap {
  const tags = new Map(found && findProvidersOwn(found));
  preserveTags(tags, theirs, [{ has: () => true, onExisting: "Replace" }], cloud);
  return tags;
}

const findProvidersOwn = ({ spec, like }: ResourceTags): readonly (readonly [string, string])[] =>
  Array.isArray(like) ? [...spec].filter(([key]) => PROVIDERS_OWN.has(key)) : [];

function addTag(tags: Map<string, string>, key: string, value: string, onExisting: "Replace" | "Retain"): void {
  if (!PROVIDERS_OWN.has(key) && (onExisting === "Replace" || !tags.has(key))) tags.set(key, value);
}

function preserveTags(
  tags: Map<string, string>,
  found: TagMap,
  rules: WantedTags["preserve"],
  cloud: Cloud | undefined,
): void {
  for (const [key, value] of found) {
    const isReserved = cloud === "AWS" && key.startsWith("aws:");
    const rule = isReserved ? undefined : rules.find(({ has }) => has(key));
    if (rule !== undefined) addTag(tags, key, value, rule.onExisting);
  }
}

const isRemoved = (key: string, { remove }: WantedTags): boolean =>
  !PROVIDERS_OWN.has(key) && remove.some((has) => has(key));

/**
 * Lists the tags that this step changes: sets to another value than earlier steps and the observed spec have, or removes from the spec.
 * The cloud's tags may be minutes old, so they only provide a tag's old value.
 */
export function findChanges(
  { resource, tags: found }: Subject,
  tags: TagMap,
  wanted: WantedTags,
): readonly TagChange[] {
  if (found === undefined) return [];
  const { desired, spec, cloud } = found;
  const isSet = (key: string): boolean => desired.get(key) !== tags.get(key) && spec.get(key) !== tags.get(key);
  const set = [...tags.keys()].filter(isSet);
  const removed = [...spec.keys()].filter((key) => !tags.has(key) && isRemoved(key, wanted));
  const { owner } = wanted;
  return [...set, ...removed]
    .sort()
    .map((key) => ({ resource, key, old: spec.get(key) ?? cloud().get(key), new: tags.get(key), owner }));
}
