import type { Cloud } from "../../crossplane/providers/families.ts";
import type { Document } from "../../model/document.ts";
import type { TagChange } from "../../model/draft.ts";
import { PROVIDERS_OWN } from "./limits.ts";
import type { Subject } from "./subject.ts";
import { fromTagMap, isSameTags, type TagMap } from "./tag-map.ts";
import type { WantedTags } from "./wanted.ts";

/**
 * Decides the tags of a resource; undefined if they do not change. Merges the tags of earlier steps, the tags that the input adds and the
 * cloud's tags that it preserves, without those that it removes. A provider removes tags that are not desired, so a foreign tag stays
 * only if it is desired too.
 *
 * - Replace takes the later value (of `add` over earlier steps, of the cloud over both), Retain the earlier one.
 * - AWS neither accepts nor removes `aws:` tags, so they are never desired.
 * - A list is one field, so it has to repeat the provider's own tags; in a map they are fields of their own.
 */
export function decideTags({ cloud, tagField, tagSources }: Subject, wanted: WantedTags): TagMap | undefined {
  if (tagField === undefined) return undefined;
  const { spec, desired, like } = tagSources;
  const providersOwn = Array.isArray(like) ? [...spec].filter(([key]) => PROVIDERS_OWN.has(key)) : [];
  const tags = new Map([...providersOwn, ...desired]);
  for (const { key, value, onExisting } of wanted.add) addTag(tags, key, value, onExisting);
  if (wanted.preserve.length > 0) preserveTags(tags, tagSources.cloud(), wanted, cloud);
  for (const key of tags.keys()) if (isRemoved(key, wanted)) tags.delete(key);
  return isSameTags(desired, tags) ? undefined : tags;
}

function addTag(tags: Map<string, string>, key: string, value: string, onExisting: "Replace" | "Retain"): void {
  if (!PROVIDERS_OWN.has(key) && (onExisting === "Replace" || !tags.has(key))) tags.set(key, value);
}

/** Adds the cloud's tags that the input preserves. */
function preserveTags(tags: Map<string, string>, found: TagMap, wanted: WantedTags, cloud: Cloud | undefined): void {
  for (const [key, value] of found) {
    const isReserved = cloud === "AWS" && key.startsWith("aws:");
    const rule = isReserved ? undefined : wanted.preserve.find(({ has }) => has(key));
    if (rule !== undefined) addTag(tags, key, value, rule.onExisting);
  }
}

const isRemoved = (key: string, { remove }: WantedTags): boolean =>
  !PROVIDERS_OWN.has(key) && remove.some((has) => has(key));

/** Sets the tags on the desired resource, in the shape of its field. */
export const withTags = ({ desired, tagField, tagSources }: Subject, tags: TagMap): Document =>
  tagField === undefined ? desired : desired.with([{ path: tagField.path, value: fromTagMap(tags, tagSources.like) }]);

/**
 * Lists the tags that our response changes: tags that we add to the desired state of earlier steps or replace in it, unless the
 * managed resource has them already, and tags that we remove. The cloud's tags may be minutes old, so they only provide a tag's old
 * value.
 */
export function findChanges(
  { resource, tagSources: { desired, spec, cloud } }: Subject,
  tags: TagMap,
  wanted: WantedTags,
): readonly TagChange[] {
  const isSet = (key: string): boolean => desired.get(key) !== tags.get(key) && spec.get(key) !== tags.get(key);
  const set = [...tags.keys()].filter(isSet);
  const removed = [...spec.keys()].filter((key) => !tags.has(key) && isRemoved(key, wanted));
  const { owner } = wanted;
  return [...set, ...removed]
    .sort()
    .map((key) => ({ resource, key, old: spec.get(key) ?? cloud().get(key), new: tags.get(key), owner }));
}
