import type { SharedResource } from "../../input/shared-resource.ts";
import type { ResourceEdit } from "../../model/draft.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Resource } from "../../model/resource.ts";
import type { Call } from "../feature.ts";
import { type Data, isNeeded, select } from "./data.ts";
import { holderOf } from "./holder.ts";
import type { Question } from "./question.ts";
import type { Standing } from "./standing.ts";
import type { Target } from "./target.ts";
import type { Copying } from "./verdict.ts";
import { connectionSecretObject, copyingObject, objectWithValues } from "./via/object.ts";
import { asDesired, isReady, isRefused, isReleased } from "./via/observed.ts";
import { toSecret } from "./via/secret.ts";

/** What is composed for one target, or taken over as connection details, and what stands in the way. */
export interface Copied {
  readonly resources: readonly (readonly [string, ResourceEdit])[];
  readonly details: Data;
  readonly questions: readonly Question[];
  readonly standings: readonly Standing[];
}

const nothing: Copied = { resources: [], details: new Map(), questions: [], standings: [] };

/** Each way to deliver has a composed resource of its own: one that took the other's place would take the Secret with it. */
const suffixOf = {
  Object: "",
  ObjectWithValues: "",
  ConnectionSecret: "/connection-secret",
  Secret: "/secret",
} as const;

/** All copies of a shared resource have this before their names. */
const prefixOf = (shared: string): string => `shared/${shared}/`;

/** A copy's composed resource name: a renamed target is another resource, so that the old one is collected. */
const keyOf = (shared: string, { namespace, name, copy }: Target): string =>
  `${prefixOf(shared)}${namespace}/${name}${copy.via === "CompositeConnectionDetails" ? "" : suffixOf[copy.via]}`;

/**
 * Copies to one target.
 *
 * - A Secret that somebody else holds is never written to (holder.ts).
 * - While the source is not read, what is there stays. A source that is gone keeps it, unless the input says otherwise.
 */
export function copyTo(shared: string, target: Target, copying: Copying, call: Call): Copied {
  const name = keyOf(shared, target);
  const observed = call.request.observed.resources.get(name);
  const contents = contentsOf(target, copying);
  if (contents.is === "lacking") {
    const isDropped = contents.isGone && copying.onSourceMissing === "Delete";
    return { ...(isDropped ? nothing : keep(name, target, observed, call)), standings: [contents.standing] };
  }
  if (target.copy.via === "CompositeConnectionDetails") return { ...nothing, details: contents.data };

  const { holder, questions } = holderOf(name, target, call);
  switch (holder.is) {
    case "unknown": {
      const standing: Standing = { is: "WaitingForRequiredResources", wanted: "Secret" };
      return { ...keep(name, target, observed, call), questions, standings: [standing] };
    }
    case "other": {
      const standing: Standing = { is: "TargetTaken", target, holder: holder.name };
      return { ...release(name, observed), questions, standings: [standing] };
    }
    case "us":
      return { ...write(name, target, observed, toObject(target, copying, contents.data, call)), questions };
  }
}

type Contents =
  | { readonly is: "known"; readonly data: Data }
  | { readonly is: "lacking"; readonly standing: Standing; readonly isGone: boolean };

function contentsOf({ copy }: Target, { source, secret }: Copying): Contents {
  if (!isNeeded(copy)) return { is: "known", data: new Map() };
  if (secret.is === "pending") {
    return { is: "lacking", standing: { is: "WaitingForRequiredResources", wanted: "Secret" }, isGone: false };
  }
  if (secret.is === "missing")
    return { is: "lacking", standing: { is: "SourceNotFound", secret: source }, isGone: true };
  const selected = select(copy.keys, secret.data, source);
  return selected.is === "lacking" ? { ...selected, isGone: false } : { is: "known", data: selected.data };
}

function toObject(target: Target, { source, secret }: Copying, data: Data, { composite }: Call): JsonObject {
  switch (target.copy.via) {
    case "ObjectWithValues":
      return objectWithValues(source, target, composite, data);
    case "Secret":
      return toSecret(source, target, composite, data);
    case "ConnectionSecret": {
      const listed = target.copy.keys?.flatMap((key) =>
        key.from === undefined ? [] : [{ from: key.from, to: key.to }],
      );
      const keys = listed ?? [...data.keys()].map((key) => ({ from: key, to: key }));
      return connectionSecretObject(source, target, composite, keys, secret.is === "read" ? secret.version : undefined);
    }
    default:
      return copyingObject(source, target, composite);
  }
}

function write(name: string, target: Target, observed: Resource | undefined, object: JsonObject): Copied {
  const ready = isReady(observed);
  const isForeign = observed !== undefined && isRefused(observed);
  const standings: Standing[] = isForeign
    ? [{ is: "TargetTaken", target, holder: undefined }]
    : [{ is: "WaitingForCopies", targets: [target] }];
  return {
    ...nothing,
    resources: [[name, { is: "set", object, ready: ready ? "True" : "False" }]],
    standings: ready ? [] : standings,
  };
}

/** Everything that was copied of a shared resource stays, wherever it is. */
export function keepAll({ name, connection }: SharedResource, call: Call): Copied {
  const { resources } = call.request.observed;
  const copies = [...resources].filter(([key]) => key.startsWith(prefixOf(name))).sort(([a], [b]) => (a < b ? -1 : 1));
  const details = (connection?.copies ?? [])
    .filter(({ via }) => via === "CompositeConnectionDetails")
    .flatMap(({ keys }) => [...shownDetails(keys, call)]);
  return { ...nothing, resources: copies.map(([key, copy]) => [key, asObserved(copy)]), details: new Map(details) };
}

function keep(name: string, { copy }: Target, observed: Resource | undefined, call: Call): Copied {
  if (copy.via === "CompositeConnectionDetails") return { ...nothing, details: shownDetails(copy.keys, call) };
  return observed === undefined ? nothing : { ...nothing, resources: [[name, asObserved(observed)]] };
}

const asObserved = (observed: Resource): ResourceEdit => ({
  is: "set",
  object: asDesired(observed.document),
  ready: isReady(observed) ? "True" : "False",
});

/** A target that another copy of this XR has. */
export function giveUp(shared: string, target: Target, holder: string, { request }: Call): Copied {
  const name = keyOf(shared, target);
  return {
    ...release(name, request.observed.resources.get(name)),
    standings: [{ is: "TargetTaken", target, holder }],
  };
}

/** The connection details that this XR shows already; where none are listed, all of them may be the copy's. */
function shownDetails(keys: Target["copy"]["keys"], { request }: Call): Data {
  const shown = request.observed.composite.connectionDetails;
  const isCopied = (key: string): boolean => keys === undefined || keys.some(({ to }) => to === key);
  return new Map(
    [...shown]
      .filter(([key]) => isCopied(key))
      .map(([key, value]): [string, string] => [key, Buffer.from(value).toString("base64")])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * Gives a Secret up without deleting it: the Object first learns to observe only, and goes when that has been seen. Dropped
 * at once, it would take the other's Secret with it.
 */
function release(name: string, observed: Resource | undefined): Copied {
  if (observed === undefined || isReleased(observed) || observed.document.at(["kind"]) === "Secret") return nothing;
  const object = asDesired(observed.document);
  const spec = { ...(object["spec"] as JsonObject), managementPolicies: ["Observe"] };
  return { ...nothing, resources: [[name, { is: "set", object: { ...object, spec }, ready: "False" }]] };
}
