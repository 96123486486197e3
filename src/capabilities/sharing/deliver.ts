import type { SharedResource } from "../../input/shared-resource.ts";
import type { ResourceEdit } from "../../model/draft.ts";
import type { Resource } from "../../model/resource.ts";
import type { Call } from "../capability.ts";
import { asDesired, isReady, toObject } from "./object.ts";
import type { SecretName } from "./source.ts";
import type { Standing } from "./standing.ts";
import type { Verdict } from "./verdict.ts";

/** What is composed for one shared resource, by composed resource name, and how far it has come. */
export interface Delivery {
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  readonly standing: Standing;
}

/** The copies of a shared resource all have this before their names. */
const prefixOf = ({ name }: SharedResource): string => `shared/${name}/`;

/** A copy's composed resource name: a renamed target is another resource, so that the old one is collected. */
const keyOf = (shared: SharedResource, { namespace, name }: SecretName): string =>
  `${prefixOf(shared)}${namespace}/${name}`;

/** Acts on a verdict. Leaving out a resource that was composed before deletes it, and the copy with it. */
export function deliver(shared: SharedResource, verdict: Verdict, call: Call): Delivery {
  switch (verdict.is) {
    case "copy":
      return compose(shared, verdict, call);
    case "nothingToCopy":
      return { resources: new Map(), standing: { is: "Available" } };
    case "keep":
      return { resources: asObserved(shared, call), standing: verdict.standing };
    case "drop":
      return { resources: new Map(), standing: verdict.standing };
  }
}

function compose(shared: SharedResource, verdict: Extract<Verdict, { is: "copy" }>, call: Call): Delivery {
  const { source, targets, refusal } = verdict;
  const { observed } = call.request;
  const waiting = targets.filter((target) => !isReady(observed.resources.get(keyOf(shared, target))));
  const resources = targets.map((target): [string, ResourceEdit] => [
    keyOf(shared, target),
    {
      is: "set",
      object: toObject(source, target, call.composite),
      ready: waiting.includes(target) ? "False" : "True",
    },
  ]);
  const progress: Standing = waiting.length > 0 ? { is: "WaitingForCopies", targets: waiting } : { is: "Available" };
  return { resources: new Map(resources), standing: refusal ?? progress };
}

/** The copies that are there, desired as they are. */
function asObserved(shared: SharedResource, { request }: Call): ReadonlyMap<string, ResourceEdit> {
  const isCopy = ([name]: [string, Resource]) => name.startsWith(prefixOf(shared));
  const copies = [...request.observed.resources].filter(isCopy).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    copies.map(([name, copy]): [string, ResourceEdit] => [
      name,
      { is: "set", object: asDesired(copy.document), ready: isReady(copy) ? "True" : "False" },
    ]),
  );
}
