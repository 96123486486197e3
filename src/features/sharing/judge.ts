import { consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { isBeingDeleted } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import type { Connection } from "../../input/connection.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Binding } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import { findShareAccess, findUnaccepting, type KnownShareAccess } from "./access.ts";
import { withHeld } from "./bind.ts";
import { needsSource } from "./copies/contents.ts";
import { type ConnectedShare, isConnected } from "./copies/recorded.ts";
import { findTargetFault, type Targets } from "./copies/targets.ts";
import type { Lookup } from "./find.ts";
import { withAdmission } from "./pool.ts";
import type { SharingReason } from "./reasons.ts";
import { findSource, readSecret } from "./source.ts";
import { type Judgement, type Target, withoutCopies } from "./verdict.ts";

const ONE_NAMESPACE =
  "with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource must be in one namespace";

/**
 * Judges one shared resource. Copies are made only with the owner's grant, and removed when it is revoked. The source Secret is
 * required last: after every namespace is judged, if one of them is granted and a copy needs the values.
 *
 * @param before what the XR's record says of the share.
 */
export function judgeShare(
  shared: SharedResource,
  targets: Targets,
  lookup: Lookup,
  before: readonly Binding[],
  call: Call,
): Judgement {
  const judged = withAdmission(judgeWanted(shared, targets, lookup, call), shared, lookup, before, call);
  return withHeld(judged, shared, targets, before, call);
}

function judgeWanted(shared: SharedResource, targets: Targets, lookup: Lookup, call: Call): Judgement {
  if (lookup.is !== "found") return withoutCopies(lookup.is, ...(lookup.reason === undefined ? [] : [lookup.reason]));
  const { resources, name } = lookup;
  if (!isConnected(shared)) return judgeFields(shared, resources, name, call);
  const [resource] = resources;
  if (resource === undefined) return withoutCopies("gone");
  if (shared.connection.secretRef.perConsumer && targets.namespaces.length > 1)
    return withoutCopies("broken", { is: "InvalidTarget", fault: ONE_NAMESPACE });
  return judgeConnection(shared, targets, resource, name, call);
}

/** A shared resource whose grants are known. */
interface Accessible {
  readonly resource: Document;
  /** The name by which the consumer asked: nothing else of it is told before access to it is granted. */
  readonly name: string;
  readonly access: KnownShareAccess;
}

function judgeConnection(
  shared: ConnectedShare,
  targets: Targets,
  resource: Document,
  name: string,
  call: Call,
): Judgement {
  const { secretRef } = shared.connection;
  const { namespaces } = targets;
  const source = findSource(resource, secretRef, namespaces[0], call);
  // A ReferenceGrant names the Secret, so there it comes first.
  if (shared.grant === "ReferenceGrant" && source.is !== "named" && source.is !== "pending")
    return withoutSource(secretRef, source.is, name, []);
  const secret = source.is === "named" ? source.secret : undefined;
  const own = consumerNamespace(call.composite);
  const access = findShareAccess(shared, resource, secret, own === undefined ? namespaces : [own, ...namespaces], call);
  if (access.is === "pending") {
    if (secret !== undefined) askNamespaces(targets, secret, call);
    return withoutCopies("unknown", access.reason);
  }
  if (source.is === "pending")
    return withoutCopies("unknown", { is: "WaitingForRequiredResources", wanted: `the credential of ${name}` });
  const accessible = { resource, name, access };
  const judged =
    source.is === "named"
      ? judgeTargets(shared, targets, source.secret, accessible, call)
      : withoutSource(secretRef, source.is, name, namespaces, access);
  const isGranted = [...namespaces, own ?? "*"].some((namespace) => access.isGranted(namespace));
  const wanted = { resource: toReference(resource), isGranted };
  return { ...withFields(judged, shared, targets, accessible, call), wanted };
}

const refuse = (shared: string, namespaces: readonly string[], access: KnownShareAccess): SharingReason => ({
  is: "AccessNotGranted",
  shared,
  namespaces,
  remedy: access.remedy,
});

/** Explains a missing source Secret, to consumers with a grant only. */
function withoutSource(
  { perConsumer, nameFieldPath }: Connection["secretRef"],
  is: "missing" | "foreign",
  shared: string,
  namespaces: readonly string[],
  access?: KnownShareAccess,
): Judgement {
  const [namespace] = namespaces;
  if (access && namespace !== undefined && !namespaces.some((each) => access.isGranted(each)))
    return withoutCopies("broken", refuse(shared, namespaces, access));
  if (is === "foreign") return withoutCopies("broken", { is: "SourceNotAllowed", shared });
  return perConsumer && namespace !== undefined
    ? withoutCopies("gone", { is: "NoCredential", shared, namespace })
    : withoutCopies("gone", { is: "NoConnectionSecret", shared, field: formatFieldPath(nameFieldPath) });
}

/** Judges each target of the copies, and asks for the source Secret where one of them needs it. */
function judgeTargets(
  shared: SharedResource,
  targets: Targets,
  source: SecretName,
  { resource, name, access }: Accessible,
  call: Call,
): Judgement {
  if (targets.unset !== undefined) return withoutCopies("broken", { is: "FieldNotSet", field: targets.unset });
  const fault = findTargetFault(targets, source, call);
  if (fault !== undefined) return withoutCopies("broken", { is: "InvalidTarget", fault });
  const judged = targets.list.map((target) => ({ ...target, refusal: judgeTarget(target, name, access, call) }));
  const isRead = judged.some(({ refusal, copy }) => refusal === undefined && needsSource(copy));
  return {
    is: "copy",
    origin: toReference(resource),
    source,
    secret: isRead ? readSecret(shared.name, source, call) : { is: "pending" },
    targets: judged,
    isBeingDeleted: shared.select.by !== "self" && isBeingDeleted(resource),
    reasons: [...judged.flatMap(({ refusal }) => refusal ?? []), ...(targets.isCutOff ? [TOO_MANY] : [])],
    readable: [],
    isRefused: false,
  };
}

const TOO_MANY: SharingReason = { is: "TooManyTargets" };

/** Judges one target. Its namespace is asked whether it accepts the copy only if the copy is granted. */
const judgeTarget = (
  target: Target,
  shared: string,
  access: KnownShareAccess,
  call: Call,
): SharingReason | undefined =>
  access.isGranted(target.namespace) ? judgeAcceptance(target, call) : refuse(shared, [target.namespace], access);

/** Asks for the Namespaces together with the grants: Crossplane calls a step six times at most, and a copy that moves needs nearly all. */
function askNamespaces(targets: Targets, source: SecretName, call: Call): void {
  if (findTargetFault(targets, source, call) !== undefined) return;
  for (const target of targets.list) judgeAcceptance(target, call);
}

const judgeAcceptance = ({ namespace, copy }: Target, call: Call) =>
  findUnaccepting(namespace, copy.namespaces === undefined || copy.namespaces.is === "literal", call);

/** Adds the shared resource's fields to the judgement: they are granted to the consumer's own namespace. */
function withFields(
  judged: Judgement,
  { patches, toEnvironment }: SharedResource,
  targets: Targets,
  { resource, name, access }: Accessible,
  call: Call,
): Judgement {
  const own = consumerNamespace(call.composite);
  const isByTarget = own === undefined && targets.unset === undefined;
  const asking = isByTarget ? targets.namespaces : [own ?? "*"];
  if (asking.some((namespace) => access.isGranted(namespace))) return { ...judged, readable: [resource] };
  const isHandedOut = patches.length > 0 || toEnvironment !== undefined;
  const isSaid = judged.is !== "copy" || judged.reasons.some(({ is }) => is === "AccessNotGranted");
  const reasons = isSaid || !isHandedOut ? judged.reasons : [refuse(name, asking, access), ...judged.reasons];
  return { ...judged, isRefused: true, reasons };
}

/** Judges a share of fields without copies, each resource separately. */
function judgeFields(shared: SharedResource, resources: readonly Document[], name: string, call: Call): Judgement {
  const own = consumerNamespace(call.composite);
  const asking = own === undefined ? [] : [own];
  const namespace = own ?? "*";
  const judged = resources.map((resource) => ({
    resource,
    access: findShareAccess(shared, resource, undefined, asking, call),
  }));
  const readable: Document[] = [];
  let refused: KnownShareAccess | undefined;
  for (const { resource, access } of judged) {
    if (access.is === "pending") return withoutCopies("unknown", access.reason);
    if (access.isGranted(namespace)) readable.push(resource);
    else refused ??= access;
  }
  const [resource] = resources;
  const wanted = resource && { resource: toReference(resource), isGranted: readable.length > 0 };
  if (refused === undefined) return { is: "nothing", reasons: [], readable, isRefused: false, wanted };
  return { is: "broken", reasons: [refuse(name, [namespace], refused)], readable, isRefused: true, wanted };
}
