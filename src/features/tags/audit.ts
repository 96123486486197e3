import type { TagChange } from "../../model/draft.ts";
import { isRemoved, type TagSources } from "./add-preserve-remove.ts";
import type { TagMap } from "./tag-map.ts";
import type { WantedTags } from "./wanted.ts";

/**
 * Finds the tags that our response changes: tags that we add to the desired state of earlier steps or replace in it, unless the
 * managed resource has them already, and tags that we remove. The cloud's tags may be minutes old, so they only provide a tag's old
 * value.
 */
export function findChanges(
  resource: string,
  { desired, spec, cloud }: TagSources,
  tags: TagMap,
  wanted: WantedTags,
  owner: string,
): readonly TagChange[] {
  const keys = findSet({ desired, spec }, tags);
  for (const key of spec.keys()) if (!tags.has(key) && isRemoved(key, wanted)) keys.push(key);
  if (keys.length === 0) return NO_CHANGES;
  return keys
    .sort()
    .map((key) => ({ resource, key, old: spec.get(key) ?? cloud().get(key), new: tags.get(key), owner }));
}

const NO_CHANGES: readonly TagChange[] = [];

function findSet({ desired, spec }: Pick<TagSources, "desired" | "spec">, tags: TagMap): string[] {
  const keys: string[] = [];
  for (const [key, value] of tags) if (desired.get(key) !== value && spec.get(key) !== value) keys.push(key);
  return keys;
}
