import type { TagChange } from "../../model/draft.ts";
import { isRemoved } from "./merge.ts";
import type { Subject } from "./subject.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

/**
 * Finds the tags that our response changes: those that we add to or replace in what the steps before us desire, unless the
 * managed resource has them already, and those that we remove. The tags that the cloud reports may be minutes old, so they
 * only tell a tag's old value.
 */
export function findChanges(subject: Subject, tags: TagMap, wanted: Wanted, owner: string): readonly TagChange[] {
  const { resource, desired, observed, tagField, reportedTags } = subject;
  if (tagField === undefined) return [];
  const before = toTagMap(desired.at(tagField.path));
  const now = toTagMap(observed?.at(tagField.path));
  const set = [...tags].filter(([key, value]) => before?.get(key) !== value && now?.get(key) !== value);
  const removed = [...(now?.keys() ?? [])].filter((key) => !tags.has(key) && isRemoved(key, wanted));
  return [...set.map(([key]) => key), ...removed]
    .sort()
    .map((key) => ({ resource, key, old: now?.get(key) ?? reportedTags?.get(key), new: tags.get(key), owner }));
}
