import { isBeingDeleted, qualifiedName } from "../../crossplane/metadata.ts";
import type { Connection } from "../../input/connection.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import type { Original } from "./copies/composed.ts";
import { isNeeded, readSecret, type SourceSecret } from "./copies/contents.ts";
import { type Destination, findDestinations, findFault, judgeNamespace } from "./copies/destination.ts";
import { describe, type LookedUp } from "./find.ts";
import { type Access, consumerNamespace, findAccess } from "./grant.ts";
import { toOrigin } from "./origin.ts";
import type { SharingReason } from "./reason.ts";
import { findSource, type SecretName } from "./source.ts";

/** What is to become of the copies of one shared resource's connection Secret. */
export type SharingVerdict =
  | Copying
  | { readonly is: "nothing" } // the input asks for no copies
  | NotCopying;

/**
 * Nothing new can be copied.
 *
 * - `unknown`: an answer is still missing. What is there stays exactly as it is.
 * - `broken`: what the consumer or the Composition says leads nowhere. The copies live as long as the grants that they were
 *   made under (copies/kept.ts), so that nobody escapes a revocation by breaking his own XR.
 * - `gone`: the shared resource, its Secret or its reference to one is not there. The same, and `onSourceMissing` decides.
 */
export interface NotCopying {
  readonly is: "unknown" | "broken" | "gone";
  /** Undefined where the input is content with nothing. */
  readonly reason: SharingReason | undefined;
}

/** Where copies are to go; each destination is judged for itself (copies/write.ts). */
export interface Copying {
  readonly is: "copy";
  readonly original: Original;
  readonly secret: SourceSecret;
  readonly destinations: readonly JudgedDestination[];
  /** New copies are not made of what is about to go. */
  readonly isBeingDeleted: boolean;
  readonly reasons: readonly SharingReason[];
}

export interface JudgedDestination {
  readonly destination: Destination;
  readonly leave: "granted" | "unknown" | "notGranted" | "notAccepted";
}

/** Which of the resources that were found may hand out their fields: to patches, the environment and the context. */
export interface Judgement {
  readonly verdict: SharingVerdict;
  readonly readable: readonly Document[];
  /** Whether fields were refused, so that what was taken from them goes. */
  readonly isRefused: boolean;
  readonly requirements: readonly Requirement[];
}

type Found = Extract<LookedUp["lookup"], { is: "found" }>;

/**
 * Judges one shared resource. Only what its owner grants is copied, and a grant taken back takes the copies away. The source
 * Secret is asked for last: when every namespace has been judged, one of them is granted, and a delivery needs it.
 */
export function judgeShare(shared: SharedResource, { lookup, requirement }: LookedUp, call: Call): Judgement {
  switch (lookup.is) {
    case "found":
      return judgeFound(shared, lookup, requirement, call);
    case "unset":
      return without("broken", { is: "FieldNotSet", field: lookup.field });
    case "invalid":
      return without("broken", { is: "InvalidSelector", fault: lookup.fault });
    case "unscoped":
      return without("broken", { is: "NamespaceNotSelected", wanted: lookup.wanted });
    case "ambiguous":
      return without("broken", { is: "Ambiguous", names: lookup.names });
    case "pending":
      return without("unknown", { is: "WaitingForRequiredResources", wanted: shared.kind });
    case "tooFew": {
      const { wanted, found, minMatch } = lookup;
      return without(
        "gone",
        found === 0 ? { is: "NotFound", wanted } : { is: "TooFewMatches", wanted, found, minMatch },
      );
    }
  }
}

const without = (
  is: NotCopying["is"],
  reason: SharingReason | undefined,
  requirements: readonly Requirement[] = [],
): Judgement => ({ verdict: { is, reason }, readable: [], isRefused: false, requirements });

function judgeFound(
  shared: SharedResource,
  { resources }: Found,
  requirement: Requirement | undefined,
  call: Call,
): Judgement {
  const { connection } = shared;
  const [resource] = resources;
  if (connection === undefined) return judgeFields(shared, resources, requirement, call);
  if (resource === undefined) return without("gone", undefined);

  const name = requirement === undefined ? qualifiedName(resource) : describe(requirement.selector);
  const source = findSource(resource, connection.secretRef);
  if (shared.grant === "ReferenceGrant" && source.is !== "named") return withoutSource(connection, source.is, name);
  const secret = source.is === "named" ? source.secret : undefined;
  const access = findAccess(shared, resource, secret, call);
  if (access.is === "pending") {
    return without("unknown", { is: "WaitingForRequiredResources", wanted: "ReferenceGrant" }, access.requirements);
  }
  const judged =
    source.is === "named"
      ? judgeCopies(shared, connection, { resource, name, source: source.secret, access }, call)
      : withoutSource(connection, source.is, name);
  return withFields(judged, shared, connection, { resource, name, access }, call);
}

function withoutSource({ secretRef }: Connection, is: "missing" | "foreign", shared: string): Judgement {
  return is === "foreign"
    ? without("broken", { is: "SourceNotAllowed", shared })
    : without("gone", { is: "NoConnectionSecret", shared, field: formatFieldPath(secretRef.nameFieldPath) });
}

type KnownAccess = Extract<Access, { is: "known" }>;

interface Accessible {
  readonly resource: Document;
  /** What the consumer asked for: more of a resource is not said before access to it is granted. */
  readonly name: string;
  readonly access: KnownAccess;
}

/** Adds what may be read of the shared resource: fields are granted to the consumer's own namespace. */
function withFields(
  judged: Judgement,
  shared: SharedResource,
  { copies }: Connection,
  { resource, name, access }: Accessible,
  call: Call,
): Judgement {
  const own = consumerNamespace(call.composite);
  const destinations = findDestinations(copies, call);
  const namespaces =
    own === undefined && destinations.is === "set"
      ? destinations.value.destinations.map(({ namespace }) => namespace)
      : [own ?? "*"];
  if (namespaces.some((namespace) => access.isGranted(namespace))) return { ...judged, readable: [resource] };
  const { verdict } = judged;
  const isSaid =
    verdict.is !== "copy" || verdict.reasons.some(({ is }) => is === "AccessNotGranted") || !handsOutFields(shared);
  const refusal: SharingReason = {
    is: "AccessNotGranted",
    shared: name,
    namespaces,
    remedy: access.remedy(namespaces),
  };
  if (isSaid) return { ...judged, isRefused: true };
  return { ...judged, isRefused: true, verdict: { ...verdict, reasons: [refusal, ...verdict.reasons] } };
}

const handsOutFields = ({ patches, toEnvironment }: SharedResource): boolean =>
  patches.length > 0 || toEnvironment !== undefined;

/** Judges a share that hands out fields only; each resource for itself. */
function judgeFields(
  shared: SharedResource,
  resources: readonly Document[],
  requirement: Requirement | undefined,
  call: Call,
): Judgement {
  const own = consumerNamespace(call.composite);
  const granted = (resource: Document): boolean => {
    const access = findAccess(shared, resource, undefined, call);
    return access.is === "known" && access.isGranted(own ?? "*");
  };
  const readable = resources.filter(granted);
  const [refused] = resources.filter((resource) => !readable.includes(resource));
  if (refused === undefined) return { verdict: { is: "nothing" }, readable, isRefused: false, requirements: [] };
  const access = findAccess(shared, refused, undefined, call);
  const namespaces = own === undefined ? [] : [own];
  const reason: SharingReason = {
    is: "AccessNotGranted",
    shared: requirement === undefined ? "" : describe(requirement.selector),
    namespaces,
    remedy: access.is === "known" ? access.remedy(own === undefined ? ["*"] : namespaces) : "",
  };
  return { verdict: { is: "broken", reason }, readable, isRefused: true, requirements: [] };
}

interface Copyable extends Accessible {
  readonly source: SecretName;
}

function judgeCopies(
  shared: SharedResource,
  connection: Connection,
  { resource, name, source, access }: Copyable,
  call: Call,
): Judgement {
  const { requirements } = access;
  const found = findDestinations(connection.copies, call);
  if (found.is === "unset") return without("broken", { is: "FieldNotSet", field: found.field }, requirements);
  const { destinations, excess } = found.value;
  const [fault] = destinations.flatMap((destination) => findFault(destination, source, call) ?? []);
  if (fault !== undefined) return without("broken", { is: "InvalidTarget", fault }, requirements);

  const judged = destinations.map((destination) => judgeDestination(destination, access, call));
  const isRead = judged.some(({ leave, destination }) => leave === "granted" && isNeeded(destination.copy));
  const [secretRequirement, secret] = isRead
    ? readSecret(shared.name, source, call)
    : [undefined, { is: "pending" } as const];
  return {
    verdict: {
      is: "copy",
      original: { origin: toOrigin(resource), source },
      secret,
      destinations: judged,
      isBeingDeleted: shared.select.by !== "self" && isBeingDeleted(resource),
      reasons: findRefusals(judged, excess, name, access, call),
    },
    readable: [],
    isRefused: false,
    requirements: [
      ...requirements,
      ...judged.flatMap(({ requirement }) => requirement ?? []),
      ...(secretRequirement === undefined ? [] : [secretRequirement]),
    ],
  };
}

type WithRequirement = JudgedDestination & { readonly requirement?: Requirement | undefined };

/** A namespace is asked whether it takes the copy only where the copy is granted to it. */
function judgeDestination(destination: Destination, access: KnownAccess, call: Call): WithRequirement {
  if (!access.isGranted(destination.namespace)) return { destination, leave: "notGranted" };
  const { acceptance, requirement } = judgeNamespace(destination, call);
  const leave = { accepted: "granted", pending: "unknown", refused: "notAccepted" } as const;
  return { destination, leave: leave[acceptance], requirement };
}

function findRefusals(
  judged: readonly JudgedDestination[],
  excess: number,
  shared: string,
  access: KnownAccess,
  { composite }: Call,
): readonly SharingReason[] {
  const namespacesThat = (reason: JudgedDestination["leave"]): readonly string[] =>
    [...new Set(judged.filter(({ leave }) => leave === reason).map(({ destination }) => destination.namespace))].sort();
  const reasons: SharingReason[] = [];
  const namespaces = namespacesThat("notGranted");
  if (namespaces.length > 0) {
    reasons.push({ is: "AccessNotGranted", shared, namespaces, remedy: access.remedy(namespaces) });
  }
  const closed = namespacesThat("notAccepted");
  const consumer = consumerNamespace(composite) ?? "*";
  if (closed.length > 0) reasons.push({ is: "NamespaceNotAccepting", namespaces: closed, consumer });
  const [pending] = namespacesThat("unknown");
  if (pending !== undefined) reasons.push({ is: "WaitingForRequiredResources", wanted: `Namespace ${pending}` });
  if (excess > 0) reasons.push({ is: "TooManyTargets", excess });
  return reasons;
}
