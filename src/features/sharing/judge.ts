import { qualifiedName } from "../../crossplane/metadata.ts";
import type { Connection } from "../../input/connection.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import { findDestinations } from "./copies/destination.ts";
import { judgeCopies } from "./copies/judge.ts";
import { describe, type LookedUp } from "./find.ts";
import { consumerNamespace, findAccess } from "./grant.ts";
import type { SharingReason } from "./reason.ts";
import { findSource } from "./source.ts";
import { type Accessible, type Judgement, without } from "./verdict.ts";

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
