import type { TagChange } from "../../model/draft.ts";
import { isRemoved } from "./add-preserve-remove.ts";
import type { Subject } from "./subject.ts";
import type { TagMap } from "./tag-map.ts";
import type { WantedTags } from "./wanted.ts";

/**
 * Finds the tags that our response changes: tags that we add to the desired state of earlier steps or replace in it, unless the
 * managed resource has them already, and tags that we remove. The cloud's tags may be minutes old, so they only provide a tag's old
 * value.
 */
export function findChanges(
  { resource, tagSources: { desired, spec, cloud } }: Subject,
  tags: TagMap,
  wanted: WantedTags,
  owner: string,
): readonly TagChange[] {
  const isSet = (key: string): boolean => desired.get(key) !== tags.get(key) && spec.get(key) !== tags.get(key);
  const set = [...tags.keys()].filter(isSet);
  const removed = [...spec.keys()].filter((key) => !tags.has(key) && isRemoved(key, wanted));
  return [...set, ...removed]
    .sort()
    .map((key) => ({ resource, key, old: spec.get(key) ?? cloud().get(key), new: tags.get(key), owner }));
}
