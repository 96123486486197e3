import { groupBy } from "../model/collections.ts";
import { once } from "../model/once.ts";
import type { Contender } from "./contender.ts";
import type { CloudResource } from "./identity.ts";

/** A managed resource with the same external name as ours, in any account, and the cloud resource that it declares. */
export interface Namesake {
  readonly one: Contender;
  readonly read: CloudResource;
}

/**
 * Finds those that may declare the same cloud resource as ours: the account or the ProviderConfig is the same, and so is the place, unless
 * one of the two leaves a part of it open. An XR may compose thousands of one name, so that ours is not compared with each of them.
 */
export function findNear(namesakes: readonly Namesake[], ours: CloudResource): readonly Namesake[] {
  const place = toPlace(ours);
  if (place === OPEN) return namesakes;
  const keys = [place, OPEN].flatMap((each) => toKeys(ours, each));
  const near = [...groupByFields(namesakes)].flatMap(([fields, group]) =>
    // Of an unknown kind each may have its own fields.
    fields === toFields(ours) ? keys.flatMap((key) => groupByKey(group).get(key) ?? []) : group,
  );
  return [...new Set(near)];
}

const groupByFields = once((all: readonly Namesake[]) => groupBy(all, ({ read }) => toFields(read)));

const groupByKey = once((all: readonly Namesake[]) => {
  const keyed = all.flatMap((each) => toKeys(each.read, toPlace(each.read)).map((key) => [key, each] as const));
  const groups = groupBy(keyed, ([key]) => key);
  return new Map([...groups].map(([key, group]) => [key, group.map(([, each]) => each)]));
});

const toFields = ({ place }: CloudResource): string => JSON.stringify([...place.keys()]);

/** The place where a part of it is not set. */
const OPEN = "";

function toPlace({ place }: CloudResource): string {
  const texts = [...place.values()];
  return texts.includes("") ? OPEN : JSON.stringify(texts);
}

const toKeys = ({ account, config }: CloudResource, place: string): readonly string[] =>
  [...new Set([account, config])].map((way) => JSON.stringify([way, place]));
