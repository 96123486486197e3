import { isObserver, policiesOf } from "../../../crossplane/management-policies.ts";
import { isBeingDeleted } from "../../../crossplane/metadata.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Requirement } from "../../../model/requirement.ts";
import type { Call } from "../../feature.ts";
import { originKey } from "../origin.ts";
import type { SharingReason } from "../reason.ts";
import type { Copying, NotCopying } from "../verdict.ts";
import { connectionSecretObject, copiedSecret, copyingObject, objectWithValues } from "./composed.ts";
import { type Data, selectContents } from "./contents.ts";
import type { Destination } from "./destination.ts";
import { findHolder } from "./holder.ts";
import { asObserver } from "./keep.ts";
import { type ObservedCopy, prefixFor } from "./observed.ts";
import { isReady, isRefused, isReleased } from "./progress.ts";

/** Each way to deliver has a composed resource of its own: one that took the other's place would take the Secret with it. */
const suffixes = {
  Object: "",
  ObjectWithValues: "",
  ConnectionSecret: "/connection-secret",
  Secret: "/secret",
  CompositeConnectionDetails: "",
} as const;

/** A copy's name in the Composition: a renamed target is another resource, so that the old one is collected. */
export const toKey = (share: string, { namespace, name, copy }: Destination): string =>
  `${prefixFor(share)}${namespace}/${name}${suffixes[copy.via]}`;

/** The outcome for one destination that is granted. */
export type Outcome = (
  | { readonly is: "written"; readonly edit: ResourceEdit }
  | { readonly is: "published"; readonly data: Data } // as connection details of the XR
  | { readonly is: "held"; readonly cause: NotCopying["is"] } // nothing is written; what is there is judged for itself
  | { readonly is: "givenUp" } // somebody else has it
) & { readonly reason?: SharingReason | undefined; readonly requirements: readonly Requirement[] };

/** Decides what to write to one destination. A Secret that somebody else holds is never written to (holder.ts). */
export function copyTo(
  key: string,
  destination: Destination,
  { original, secret, isBeingDeleted }: Copying,
  observed: ObservedCopy | undefined,
  call: Call,
): Outcome {
  const contents = selectContents(destination.copy, original.source, secret);
  if (contents.is === "lacking") {
    return { is: "held", cause: contents.cause, reason: contents.reason, requirements: [] };
  }
  if (destination.copy.via === "CompositeConnectionDetails") {
    return { is: "published", data: contents.data, requirements: [] };
  }
  const isNew = observed === undefined || !isFrom(observed, original);
  if (isBeingDeleted && isNew) {
    const reason: SharingReason = { is: "BeingDeleted", shared: original.origin.name };
    return { is: "held", cause: "broken", reason, requirements: [] };
  }
  const { holder, requirements } = findHolder(key, destination, call);
  switch (holder.is) {
    case "unknown":
      return {
        is: "held",
        cause: "unknown",
        reason: { is: "WaitingForRequiredResources", wanted: "Secret" },
        requirements,
      };
    case "other":
      return { is: "givenUp", reason: { is: "TargetTaken", target: destination, holder: holder.name }, requirements };
    case "us":
      return {
        ...write(
          destination,
          toObject(destination, { original, secret }, contents.data, call),
          observed,
          holder.isThere,
        ),
        requirements,
      };
  }
}

/** Tells whether the copy was made from that resource; a copy without a record may have been. */
const isFrom = ({ origin }: ObservedCopy, original: Copying["original"]): boolean =>
  origin === undefined || originKey(origin) === originKey(original.origin);

function toObject(
  destination: Destination,
  { original, secret }: Pick<Copying, "original" | "secret">,
  data: Data,
  { composite }: Call,
): JsonObject {
  switch (destination.copy.via) {
    case "ObjectWithValues":
      return objectWithValues(original, destination, composite, data);
    case "Secret":
      return copiedSecret(original, destination, composite, data);
    case "ConnectionSecret": {
      const listed = destination.copy.keys?.flatMap((key) =>
        key.from === undefined ? [] : [{ from: key.from, to: key.to }],
      );
      const keys = listed ?? [...data.keys()].map((key) => ({ from: key, to: key }));
      const version = secret.is === "read" ? secret.version : undefined;
      return connectionSecretObject(original, destination, composite, keys, version);
    }
    default:
      return copyingObject(original, destination, composite);
  }
}

function write(destination: Destination, object: JsonObject, observed: ObservedCopy | undefined, isThere: boolean) {
  if (!mayWrite(destination, observed, isThere)) {
    const reason: SharingReason = { is: "WaitingForCopies", targets: [destination] };
    return { is: "written", edit: { is: "set", object: asObserver(object), ready: "False" }, reason } as const;
  }
  const ready = isReady(observed?.resource);
  const isForeign = observed !== undefined && isRefused(observed.resource);
  const unready: SharingReason = isForeign
    ? { is: "TargetTaken", target: destination, holder: undefined }
    : { is: "WaitingForCopies", targets: [destination] };
  const edit: ResourceEdit = { is: "set", object, ready: ready ? "True" : "False" };
  return { is: "written", edit, reason: ready ? undefined : unready } as const;
}

/**
 * Tells whether an Object may have all policies. Crossplane v2 derives its name from its XR and its name in the Composition, so one
 * that is composed anew may be the one that was given up a moment ago and is still being deleted: with all policies its
 * provider would then delete the Secret. Over a Secret that exists, an Object therefore begins as an observer, and
 * writes once its provider has read that and it is not being deleted.
 */
function mayWrite({ copy }: Destination, observed: ObservedCopy | undefined, isThere: boolean): boolean {
  if (copy.via !== "Object" && copy.via !== "ObjectWithValues") return true;
  if (observed === undefined) return !isThere;
  const { document } = observed.resource;
  const policies = policiesOf(document);
  const isLimited = policies !== undefined && isObserver(policies);
  return !isLimited || (isReleased(document) && !isBeingDeleted(document));
}
