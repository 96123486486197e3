import { consumerNamespace } from "../../crossplane/composite.ts";
import { qualifiedName } from "../../crossplane/metadata.ts";
import type { Connection } from "../../input/connection.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import { findDestinations, judgeCopies } from "./copies/destinations.ts";
import { describe, type LookedUp } from "./find.ts";
import { type Access, findAccess, type KnownAccess } from "./grant.ts";
import { findSource } from "./source.ts";
import { type Accessible, type Judgement, type SharingReason, without } from "./verdict.ts";

type Found = Extract<LookedUp["lookup"], { is: "found" }>;

/**
 * Judges one shared resource. Only what its owner grants is copied, and a grant taken back takes the copies away. The source
 * Secret is required last: only once every namespace is judged, one of them is granted, and a copy needs it.
 */
export function judgeShare(shared: SharedResource, { lookup, selector }: LookedUp, call: Call): Judgement {
  switch (lookup.is) {
    case "found":
      return judgeFound(shared, lookup, selector, call);
    case "unset":
      return without("broken", { is: "FieldNotSet", field: lookup.field });
    case "notAsked":
      return without("gone", undefined);
    case "invalid":
      return without("broken", { is: "InvalidSelector", fault: lookup.fault });
    case "unscoped":
      return without("broken", { is: "NamespaceNotSelected", wanted: lookup.wanted });
    case "ambiguous": {
      const { wanted, found, maxMatch, named } = lookup;
      return without("broken", { is: "Ambiguous", wanted, found, maxMatch, named });
    }
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
  selector: ResourceSelector | undefined,
  call: Call,
): Judgement {
  const { connection } = shared;
  const [resource] = resources;
  if (connection === undefined) return judgeFields(shared, resources, selector, call);
  if (resource === undefined) return without("gone", undefined);

  const name = selector === undefined ? qualifiedName(resource) : describe(selector);
  const targets = findTargetNamespaces(connection, call);
  if (connection.secretRef.perConsumer && targets.length > 1)
    return without("broken", { is: "InvalidTarget", fault: ONE_NAMESPACE });
  return judgeConnection(shared, connection, { resource, name, targets }, call);
}

interface Wanted {
  readonly resource: Document;
  readonly name: string;
  /** The namespaces of the copies. */
  readonly targets: readonly string[];
}

function judgeConnection(
  shared: SharedResource,
  connection: Connection,
  { resource, name, targets }: Wanted,
  call: Call,
): Judgement {
  const [consumer] = connection.secretRef.perConsumer ? targets : [];
  const source = findSource(resource, connection.secretRef, consumer);
  if (shared.grant === "ReferenceGrant" && source.is !== "named") return withoutSource(connection, source.is, name);
  const secret = source.is === "named" ? source.secret : undefined;
  const own = consumerNamespace(call.composite);
  const access = findAccess(shared, resource, secret, own === undefined ? targets : [own, ...targets], call);
  if (access.is === "pending") return without("unknown", access.reason);
  const judged =
    source.is === "named"
      ? judgeCopies(shared, connection, { resource, name, source: source.secret, access }, call)
      : withoutSource(connection, source.is, name, {
          access,
          namespaces: consumer === undefined ? targets : [consumer],
        });
  return withFields(judged, shared, connection, { resource, name, access }, call);
}

const ONE_NAMESPACE =
  "secretRef.perConsumer gives each namespace its own credential, so the copies of one shared resource go into one namespace";

function findTargetNamespaces({ copies }: Connection, call: Call): readonly string[] {
  const found = findDestinations(copies, call);
  return found.is === "set" ? [...new Set(found.value.destinations.map(({ namespace }) => namespace))] : [];
}

interface Consuming {
  readonly access: KnownAccess;
  readonly namespaces: readonly string[];
}

/** Tells what is wrong with the source to those only who are granted it. A ReferenceGrant names the Secret, so there it comes first. */
function withoutSource(
  { secretRef }: Connection,
  is: "missing" | "foreign",
  shared: string,
  consuming?: Consuming,
): Judgement {
  const { access, namespaces = [] } = consuming ?? {};
  if (access !== undefined && namespaces.length > 0 && !namespaces.some((namespace) => access.isGranted(namespace)))
    return without("broken", { is: "AccessNotGranted", shared, namespaces, remedy: access.remedy(namespaces) });
  if (is === "foreign") return without("broken", { is: "SourceNotAllowed", shared });
  const [namespace] = namespaces;
  return secretRef.perConsumer && namespace !== undefined
    ? without("gone", { is: "NoCredential", shared, namespace })
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
  selector: ResourceSelector | undefined,
  call: Call,
): Judgement {
  const own = consumerNamespace(call.composite);
  const asking = own === undefined ? [] : [own];
  const judged = resources.map((resource) => ({
    resource,
    access: findAccess(shared, resource, undefined, asking, call),
  }));
  const [pending] = judged.flatMap(({ access }) => (access.is === "pending" ? [access.reason] : []));
  if (pending !== undefined) return without("unknown", pending);
  const namespace = own ?? "*";
  const readable = judged.filter(({ access }) => isGranted(access, namespace)).map(({ resource }) => resource);
  const [refused] = judged.flatMap(({ access }) =>
    access.is === "known" && !access.isGranted(namespace) ? [access] : [],
  );
  if (refused === undefined) return { verdict: { is: "nothing" }, readable, isRefused: false };
  const reason: SharingReason = {
    is: "AccessNotGranted",
    shared: selector === undefined ? "" : describe(selector),
    namespaces: asking,
    remedy: refused.remedy([namespace]),
  };
  return { verdict: { is: "broken", reason }, readable, isRefused: true };
}

const isGranted = (access: Access, namespace: string): boolean => access.is === "known" && access.isGranted(namespace);
