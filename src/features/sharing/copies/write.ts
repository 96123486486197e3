import { isObserver, readPolicies } from "../../../crossplane/management-policies.ts";
import { isBeingDeleted, readAnnotation } from "../../../crossplane/metadata.ts";
import { canSelectNamespaces } from "../../../crossplane/namespaces.ts";
import { resourceKey } from "../../../crossplane/references.ts";
import { toRequirement, toSecretRequirement } from "../../../crossplane/requirement.ts";
import { stringAt } from "../../../model/document.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import type { JsonObject } from "../../../model/json.ts";
import { formatOwner, OWNER, SHARED_FROM } from "../../../ownership/owner.ts";
import type { Call } from "../../feature.ts";
import { type Data, formatSecret } from "../source.ts";
import type { Copying, Destination, NotCopying, SharingReason } from "../verdict.ts";
import { compose, targetLabel } from "./compose.ts";
import { selectContents } from "./contents.ts";
import { asObserver } from "./keep.ts";
import { failureOf, isReady, isRefused, isReleased, type ObservedCopy, prefixFor } from "./observed.ts";

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
) & { readonly reason?: SharingReason | undefined };

/** Decides what to write to one destination. A Secret that somebody else holds is never written to (findHolder). */
export function copyTo(
  key: string,
  destination: Destination,
  { original, secret, isBeingDeleted }: Copying,
  observed: ObservedCopy | undefined,
  call: Call,
): Outcome {
  const contents = selectContents(destination.copy, original.source, secret);
  const isDetails = destination.copy.via === "CompositeConnectionDetails";
  if (contents.is === "lacking") {
    // Asked for with the source: Crossplane calls a step six times at most, and a copy that moves needs nearly all of them.
    const isAsked = contents.cause === "unknown" && !isDetails;
    if (isAsked) findHolder(key, destination, call);
    return { is: "held", cause: contents.cause, reason: contents.reason };
  }
  if (isDetails) return { is: "published", data: contents.data };
  const isNew = observed === undefined || !isFrom(observed, original);
  if (isBeingDeleted && isNew) {
    const reason: SharingReason = { is: "BeingDeleted", shared: original.origin.name };
    return { is: "held", cause: "broken", reason };
  }
  const holder = findHolder(key, destination, call);
  switch (holder.is) {
    case "unknown":
      return { is: "held", cause: "unknown", reason: { is: "WaitingForRequiredResources", wanted: "Secret" } };
    case "other":
      return { is: "givenUp", reason: { is: "TargetTaken", target: destination, holder: holder.name } };
    case "us":
      return write(
        destination,
        compose(destination, { original, secret }, contents.data, call),
        observed,
        holder.isThere && holder.from === formatSecret(original.source),
      );
  }
}

/** Tells whether the copy was made from that resource; a copy without a record may have been. */
const isFrom = ({ origin }: ObservedCopy, original: Copying["original"]): boolean =>
  origin === undefined || resourceKey(origin) === resourceKey(original.origin);

function write(destination: Destination, object: JsonObject, observed: ObservedCopy | undefined, isCopied: boolean) {
  if (!mayWrite(destination, observed, isCopied)) {
    const reason: SharingReason = { is: "WaitingForCopies", targets: [destination] };
    return { is: "written", edit: { is: "set", object: asObserver(object), ready: "False" }, reason } as const;
  }
  const ready = isReady(observed?.resource);
  const edit: ResourceEdit = { is: "set", object, ready: ready ? "True" : "False" };
  return { is: "written", edit, reason: ready ? undefined : explainUnready(destination, observed) } as const;
}

/** The reason why an Object is not ready: what its provider reports, else it is being written. */
function explainUnready(target: Destination, observed: ObservedCopy | undefined): SharingReason {
  if (observed !== undefined && isRefused(observed.resource)) return { is: "TargetTaken", target, holder: undefined };
  const says = observed && failureOf(observed.resource);
  return says === undefined ? { is: "WaitingForCopies", targets: [target] } : { is: "CopyFailed", target, says };
}

/**
 * Tells whether an Object may have all policies. Crossplane v2 derives its name from its XR and its name in the Composition, so one
 * that is composed anew may be the one that was given up a moment ago and is still being deleted: with all policies its
 * provider would then delete the Secret. Over a Secret that exists, an Object therefore begins as an observer, and
 * writes once its provider has read that and it is not being deleted.
 *
 * A copy of another Secret may go: its grant may have been taken back, and an Object that became an observer while it is being
 * deleted would leave it there.
 *
 * @param isCopied whether the Secret is there, as a copy of the same Secret
 */
function mayWrite({ copy }: Destination, observed: ObservedCopy | undefined, isCopied: boolean): boolean {
  if (copy.via !== "Object" && copy.via !== "ObjectWithValues") return true;
  if (observed === undefined) return !isCopied;
  const { document } = observed.resource;
  const policies = readPolicies(document);
  const isLimited = policies !== undefined && isObserver(policies);
  return !isLimited || (isReleased(document) && !isBeingDeleted(document));
}

/** The holder of a destination's Secret, who alone may write it. */
type Holder =
  | { readonly is: "us"; readonly isThere: boolean; readonly from?: string | undefined } // whether it is there, and a copy of what
  | { readonly is: "other"; readonly name: string | undefined } // undefined: the Secret carries no mark of ours
  | { readonly is: "unknown" }; // not looked up yet

/**
 * Finds who holds a destination's Secret, by proof that lies on the Secret itself: the owner annotation of a copy. One that is
 * there and is not ours stays as it is. That is also how two XRs settle that both saw none there and wrote at once: whoever
 * sees the other's mark gives way without deleting the Secret, and the mark that is on it in the end says who has it.
 *
 * Crossplane v1 cannot look up a Secret by its name, and so finds copies of ours only. `via: ConnectionSecret` leaves it to
 * the provider, which refuses to write what the Object does not control.
 */
function findHolder(key: string, destination: Destination, { request, composite, requirements }: Call): Holder {
  if (destination.copy.via === "ConnectionSecret") return { is: "us", isThere: false };
  const requirement = canSelectNamespaces(request, composite)
    ? toSecretRequirement(`${key}/target`, destination)
    : toRequirement(`${key}/target`, {
        apiVersion: "v1",
        kind: "Secret",
        match: { labels: targetLabel(destination) },
      });
  const answer = requirements.ask(requirement);
  if (answer.is === "pending") return { is: "unknown" };

  const found = answer.items.find(
    (item) =>
      stringAt(item, ["metadata", "namespace"]) === destination.namespace &&
      stringAt(item, ["metadata", "name"]) === destination.name,
  );
  const owner = found && readAnnotation(found, OWNER);
  const isThere = found !== undefined;
  const isOurs = !isThere || owner === formatOwner(composite);
  const from = found && readAnnotation(found, SHARED_FROM);
  return isOurs ? { is: "us", isThere, from } : { is: "other", name: owner };
}
