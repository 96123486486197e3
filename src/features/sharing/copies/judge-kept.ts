import { toApiGroup } from "../../../crossplane/api-group.ts";
import { canSelectNamespaces } from "../../../crossplane/namespaces.ts";
import { type Reference, resourceKey, toReference } from "../../../crossplane/references.ts";
import { toRequirement } from "../../../crossplane/requirement.ts";
import type { Connection } from "../../../input/connection.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { once } from "../../../model/once.ts";
import type { Call } from "../../feature.ts";
import { findAccess, findGrantedAccess } from "../grant.ts";
import { judgeNamespace } from "../namespaces.ts";
import { isSameSecret, Sources, toSelector } from "../source.ts";
import type { Copying, JudgedDestination, NotCopying, Part, SharingReason } from "../verdict.ts";
import { withEarlier } from "./compose.ts";
import { drop, keep } from "./keep.ts";
import { findStale, isSecret, type ObservedCopy } from "./observed.ts";

/** A share with a connection, as the input has it. */
export interface ConnectedShare extends SharedResource {
  readonly connection: Connection;
}

/** Keeps a copy while the grant that it was made under stands, else drops it. */
export function keepGranted(
  copy: ObservedCopy,
  cause: NotCopying["is"],
  granted: Reference | undefined,
  shared: ConnectedShare,
  call: Call,
): Part {
  const { isKept } = judgeKept(copy, cause, granted, shared, call);
  return isKept ? { edits: [[copy.key, keep(copy)]] } : drop(copy, call);
}

/** Keeps a copy while it is not known what to write, and asks meanwhile what `rewrite` or `judgeKept` may have to know. */
export function keepUntilKnown(copy: ObservedCopy, now: Reference, shared: ConnectedShare, call: Call): Part {
  const origin = trusted(copy, shared);
  const others = [...(origin === undefined ? [] : [origin]), ...copy.earlier];
  const asked = others.filter((each) => resourceKey(each) !== resourceKey(now));
  judgeOrigins(copy, asked, shared, call); // asks, and decides nothing yet
  return { edits: [[copy.key, keep(copy)]] };
}

/**
 * Decides about a copy that may not be written to its destination. A copy of another resource is judged by the grant of that
 * resource: asking for one that is not granted takes nothing away. A copy without a recorded origin is older than
 * `accept-copies-from`, so it stays where only that annotation is missing.
 */
export function withoutLeave(
  copy: ObservedCopy,
  leave: Exclude<JudgedDestination["leave"], "granted">,
  { original }: Copying,
  shared: ConnectedShare,
  call: Call,
): Part {
  if (leave === "unknown" || leave === "unreadable") return keepGranted(copy, "unknown", undefined, shared, call);
  if (leave === "tooLarge") return keepGranted(copy, "broken", original.origin, shared, call);
  if (copy.origin === undefined && leave === "notAccepted") return keepGranted(copy, "broken", undefined, shared, call);
  if (copy.origin === undefined || resourceKey(copy.origin) === resourceKey(original.origin)) return drop(copy, call);
  return keepGranted(copy, "broken", undefined, shared, call);
}

/**
 * Writes a copy that is there. Where it is made from another resource now, the Secret may hold what the one before granted,
 * until the provider has written it anew, which it cannot while the new source is not there. Without a grant for that the
 * copy goes first.
 */
export function rewrite(
  copy: ObservedCopy,
  edit: ResourceEdit,
  now: Reference,
  shared: ConnectedShare,
  call: Call,
): Part {
  const stale = findStale(copy, now);
  if (stale.length === 0) return { edits: [[copy.key, edit]], before: changedOrigin(copy, now) };
  const { isKept, isPending } = judgeOrigins(copy, stale, shared, call);
  if (!isKept) {
    const reasons: SharingReason[] =
      copy.target === undefined ? [] : [{ is: "WaitingForCopies", targets: [copy.target] }];
    return { ...drop(copy, call), reasons };
  }
  if (isPending) return { edits: [[copy.key, keep(copy)]] };
  return { edits: [[copy.key, withEarlier(edit, stale)]], before: changedOrigin(copy, now) };
}

const changedOrigin = ({ origin }: ObservedCopy, now: Reference): Reference | undefined =>
  origin !== undefined && resourceKey(origin) !== resourceKey(now) ? origin : undefined;

interface Keeping {
  readonly isKept: boolean;
  /** Kept only because an answer is still missing. */
  readonly isPending: boolean;
}

const decided = (isKept: boolean): Keeping => ({ isKept, isPending: false });

const PENDING: Keeping = { isKept: true, isPending: true };

/**
 * Judges a copy that is not written in this call: it lives as long as the grant that it was made under.
 *
 * The XR's present fields do not count, because the consumer writes them. The shared resource that is recorded on what
 * we composed is asked for by name, and its grant is judged for the copy's namespace, which has to accept it still.
 *
 * - Granted and accepted: it stays. Either taken back: it goes.
 * - The shared resource is gone, or names another Secret than the copy reads: `onSourceMissing`.
 * - Not known yet: it stays. So does a copy from before this was recorded, until it is written again.
 *
 * @param granted the origin whose grant for this copy has been judged in this call already.
 */
function judgeKept(
  copy: ObservedCopy,
  cause: NotCopying["is"],
  granted: Reference | undefined,
  shared: ConnectedShare,
  call: Call,
): Keeping {
  const { earlier } = copy;
  const origin = trusted(copy, shared);
  const isWithoutSourceKept = shared.connection.onSourceMissing === "Keep";
  if (cause === "unknown") return decided(true);
  if (origin === undefined) return decided(cause === "broken" || isWithoutSourceKept);
  const isGranted = granted !== undefined && resourceKey(granted) === resourceKey(origin);
  const current = isGranted
    ? decided(cause === "broken" || isWithoutSourceKept)
    : judgeOrigin(copy, origin, shared, call);
  const accepted = granted === undefined ? judgeTarget(copy, shared, call) : decided(true);
  return all([accepted, current, judgeOrigins(copy, earlier, shared, call)]);
}

/** Judges whether the namespace of a copy accepts it. The copy stays where the Namespace cannot be read. */
function judgeTarget({ target }: ObservedCopy, { connection }: ConnectedShare, call: Call): Keeping {
  if (target === undefined) return decided(true);
  const acceptance = judgeNamespace(target.namespace, isListed(target.namespace, connection), call);
  return acceptance === "pending" ? PENDING : decided(acceptance !== "refused");
}

/** Tells whether the Composition itself names a namespace. */
const isListed = (namespace: string, { copies }: Connection): boolean =>
  copies.some(
    ({ namespaces }) => namespaces?.is === "literal" && [namespaces.value].flat().some((name) => name === namespace),
  );

/** Judges the grants of all origins for one copy: each may still be in it. */
const judgeOrigins = (copy: ObservedCopy, origins: readonly Reference[], shared: ConnectedShare, call: Call): Keeping =>
  all(origins.map((origin) => judgeOrigin(copy, origin, shared, call)));

const all = (keepings: readonly Keeping[]): Keeping => ({
  isKept: keepings.every(({ isKept }) => isKept),
  isPending: keepings.some(({ isPending }) => isPending),
});

function judgeOrigin(copy: ObservedCopy, origin: Reference, shared: ConnectedShare, call: Call): Keeping {
  if (origin.namespace !== undefined && !canSelectNamespaces(call.request, call.composite)) return decided(true);
  const { onSourceMissing, secretRef } = shared.connection;
  const answer = call.requirements.ask(
    toRequirement(`shared-resource/${shared.name}/recorded`, toSelector(served(origin, shared))),
  );
  if (answer.is === "pending") return PENDING;
  const found = answer.items.find((item) => stringAt(item, ["metadata", "namespace"]) === origin.namespace);
  if (found === undefined) return decided(onSourceMissing === "Keep");

  const source = sourcesOf(found).find(secretRef, copy.target?.namespace);
  const secret = source.is === "named" ? source.secret : copy.source;
  const access = accessTo(origin, shared, call)(shared, found, secret, listNamespaces(copy), call);
  if (access.is === "pending") return PENDING;
  if (copy.target !== undefined && !access.isGranted(copy.target.namespace)) return decided(false);
  // The record counts as far as it fits what the copy really reads.
  const isFitting = source.is === "named" && copy.source !== undefined && isSameSecret(source.secret, copy.source);
  return decided(isFitting || origin !== copy.origin || onSourceMissing === "Keep");
}

/** A thousand copies may be of one resource that has thousands of fields. */
const sourcesOf = once((resource: Document) => new Sources(resource));

/**
 * The origin of a copy. A team may edit a Secret in its own namespace, and with it what we recorded there: a record of another
 * kind is none, for we would have Crossplane look up whatever it names. Nobody but us edits an Object.
 */
const trusted = ({ origin, resource }: ObservedCopy, shared: ConnectedShare): Reference | undefined =>
  origin !== undefined && isSecret(resource.document) && !isOfKind(origin, shared) ? undefined : origin;

const isOfKind = (origin: Reference, { apiVersion, kind }: SharedResource): boolean =>
  kind === origin.kind && toApiGroup(apiVersion) === toApiGroup(origin.apiVersion);

/** A share that needs no grant, such as one of this XR itself, gives none for what another share has copied. */
const accessTo = (origin: Reference, shared: ConnectedShare, { composite }: Call): typeof findAccess =>
  isOfKind(origin, shared) || resourceKey(origin) === resourceKey(toReference(composite.document))
    ? findAccess
    : findGrantedAccess;

const listNamespaces = ({ target }: ObservedCopy): readonly string[] =>
  target === undefined ? [] : [target.namespace];

/** An API version that was recorded long ago may not be served any more; the one of the input is. */
const served = (origin: Reference, shared: SharedResource): Reference =>
  isOfKind(origin, shared) ? { ...origin, apiVersion: shared.apiVersion } : origin;
