import type { TagChange } from "../../model/draft.ts";
import { reported } from "./desire.ts";
import { isRemoved } from "./merge.ts";
import type { Subject } from "./subject.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

/**
 * The tags that our answer changes: those that we add or replace in what the steps before us desire, compared with what the
 * managed resource has now, and those that we remove. Nothing once the managed resource has them: what the cloud reports may
 * be minutes old, so it says only what a tag was before.
 */
export function changesOf(subject: Subject, tags: TagMap, wanted: Wanted, owner: string): readonly TagChange[] {
  const { resource, desired, observed, fieldPath } = subject;
  const before = toTagMap(desired.at(fieldPath));
  const now = toTagMap(observed?.at(fieldPath));
  const cloud = toTagMap(observed?.at(reported(fieldPath)));
  const set = [...tags].filter(([key, value]) => before?.get(key) !== value && now?.get(key) !== value);
  const removed = [...(now?.keys() ?? [])].filter((key) => !tags.has(key) && isRemoved(key, wanted));
  return [...set.map(([key]) => key), ...removed]
    .sort()
    .map((key) => ({ resource, key, old: now?.get(key) ?? cloud?.get(key), new: tags.get(key), owner }));
}
