import { consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { isBeingDeleted } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import type { Connection } from "../../input/connection.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Call } from "../feature.ts";
import { findShareAccess, findUnaccepting, type KnownShareAccess } from "./access.ts";
import { withHeld } from "./bind.ts";
import { needsSource } from "./copies/contents.ts";
import { findTargetFault } from "./copies/targets.ts";
import type { Found, Lookup } from "./find.ts";
import { withAdmission } from "./pool.ts";
import type { SharingReason } from "./reasons.ts";
import { findSource, readSecret, type Source } from "./source.ts";
import { type Judgement, type Share, type Target, withoutCopies } from "./verdict.ts";

const ONE_NAMESPACE =
  "with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource must be in one namespace";

/**
 * Judges one shared resource. Copies are made only with the owner's grant, and removed when it is revoked. The source Secret is
 * required last: after every namespace is judged, if one of them is granted and a copy needs the values.
 */
export const judgeShare = (share: Share, lookup: Lookup): Judgement =>
  withHeld(lookup.is === "found" ? withAdmission(judgeFound(share, lookup), share, lookup) : lookup, share);

function judgeFound(share: Share, found: Found): Judgement {
  const { connection } = share.shared;
  if (connection === undefined) return judgeFields(share, found);
  const [resource] = found.resources;
  if (resource === undefined) return withoutCopies("gone");
  if (connection.secretRef.perConsumer && share.targets.namespaces.length > 1)
    return withoutCopies("broken", { is: "InvalidTarget", fault: ONE_NAMESPACE });
  return judgeConnection(share, connection, resource, found.name);
}

/** Judges a share of fields without copies, each resource separately. */
function judgeFields({ shared, call }: Share, { resources, name }: Found): Judgement {
  const namespace = consumerNamespace(call.composite) ?? "*";
  const readable: Document[] = [];
  let refusal: SharingReason | undefined;
  for (const resource of resources) {
    const access = findShareAccess(shared, resource, undefined, [namespace], call);
    if (access.is === "pending") return withoutCopies("unknown", access.reason);
    if (access.isGranted(namespace)) readable.push(resource);
    else refusal ??= refuse(name, [namespace], access);
  }
  const [resource] = resources;
  return {
    is: "nothing",
    reasons: refusal === undefined ? [] : [refusal],
    readable,
    isRefused: refusal !== undefined,
    wanted: resource && { resource: toReference(resource), isGranted: readable.length > 0 },
  };
}

const refuse = (shared: string, namespaces: readonly string[], { remedy }: KnownShareAccess): SharingReason => ({
  is: "AccessNotGranted",
  shared,
  namespaces,
  remedy,
});

/** A shared resource whose grants are known. */
interface Accessible {
  readonly resource: Document;
  /** The name by which the consumer asked: nothing else of it is told before access to it is granted. */
  readonly name: string;
  readonly access: KnownShareAccess;
}

function judgeConnection(share: Share, { secretRef }: Connection, resource: Document, name: string): Judgement {
  const { shared, targets, call } = share;
  const { namespaces } = targets;
  const own = consumerNamespace(call.composite);
  const source = findSource(resource, secretRef, namespaces[0], call);
  // A ReferenceGrant names the Secret, so there it comes first.
  if (shared.grant === "ReferenceGrant" && source.is !== "named")
    return withoutSource(source.is, secretRef, share, name);
  const secret = source.is === "named" ? source.secret : undefined;
  const access = findShareAccess(shared, resource, secret, own === undefined ? namespaces : [own, ...namespaces], call);
  if (access.is === "pending") {
    if (secret !== undefined) askNamespaces(share, secret);
    return withoutCopies("unknown", access.reason);
  }
  const accessible = { resource, name, access };
  const judged =
    source.is === "named"
      ? judgeTargets(share, source.secret, accessible)
      : withoutSource(source.is, secretRef, share, name, access);
  return withFields(judged, share, accessible);
}

/** Explains a missing source Secret, to consumers with a grant only. */
function withoutSource(
  is: Exclude<Source["is"], "named">,
  { perConsumer, nameFieldPath }: Connection["secretRef"],
  { targets: { namespaces }, call }: Share,
  shared: string,
  access?: KnownShareAccess,
): Judgement {
  const [namespace] = namespaces;
  const asking = namespace === undefined ? [consumerNamespace(call.composite) ?? "*"] : namespaces;
  if (access && !asking.some((each) => access.isGranted(each)))
    return withoutCopies("broken", refuse(shared, asking, access));
  if (is === "pending")
    return withoutCopies("unknown", { is: "WaitingForRequiredResources", wanted: `the credential of ${shared}` });
  if (is === "foreign") return withoutCopies("broken", { is: "SourceNotAllowed", shared });
  return perConsumer && namespace !== undefined
    ? withoutCopies("gone", { is: "NoCredential", shared, namespace })
    : withoutCopies("gone", { is: "NoConnectionSecret", shared, field: formatFieldPath(nameFieldPath) });
}

/** Judges each target of the copies, and asks for the source Secret where one of them needs it. */
function judgeTargets(share: Share, source: SecretName, { resource, name, access }: Accessible): Judgement {
  const { shared, targets, call } = share;
  if (targets.unset !== undefined) return withoutCopies("broken", { is: "FieldNotSet", field: targets.unset });
  const fault = findTargetFault(targets, source, call);
  if (fault !== undefined) return withoutCopies("broken", { is: "InvalidTarget", fault });
  // A namespace is asked whether it accepts the copy only if the copy is granted.
  const judged = targets.list.map((target) => ({
    ...target,
    refusal: access.isGranted(target.namespace)
      ? judgeAcceptance(target, call)
      : refuse(name, [target.namespace], access),
  }));
  const isRead = judged.some(({ refusal, copy }) => refusal === undefined && needsSource(copy));
  return {
    is: "copy",
    origin: toReference(resource),
    source,
    secret: isRead ? readSecret(shared.name, source, call) : { is: "pending" },
    targets: judged,
    isBeingDeleted: shared.select.by !== "self" && isBeingDeleted(resource),
    reasons: [
      ...judged.flatMap(({ refusal }) => refusal ?? []),
      ...(targets.isCutOff ? [{ is: "TooManyTargets" } as const] : []),
    ],
    readable: [],
    isRefused: false,
  };
}

/** Asks for the Namespaces together with the grants: Crossplane calls a step six times at most, and a copy that moves needs nearly all. */
function askNamespaces({ targets, call }: Share, source: SecretName): void {
  if (findTargetFault(targets, source, call) !== undefined) return;
  for (const target of targets.list) judgeAcceptance(target, call);
}

const judgeAcceptance = ({ namespace, copy }: Target, call: Call) =>
  findUnaccepting(namespace, copy.namespaces === undefined || copy.namespaces.is === "literal", call);

/** Adds the shared resource's fields to the judgement: they are granted to the consumer's own namespace. */
function withFields(judged: Judgement, { shared, targets, call }: Share, accessible: Accessible): Judgement {
  const { resource, name, access } = accessible;
  const { namespaces } = targets;
  const own = consumerNamespace(call.composite);
  const platforms = namespaces.length > 0 ? namespaces : ["*"];
  const asking = own === undefined ? platforms : [own];
  const isGranted = (namespace: string): boolean => access.isGranted(namespace);
  const wanted = { resource: toReference(resource), isGranted: [...asking, ...namespaces].some(isGranted) };
  if (asking.some(isGranted)) return { ...judged, readable: [resource], wanted };
  const isHandedOut = shared.patches.length > 0 || shared.toEnvironment !== undefined;
  const isSaid = judged.is !== "copy" || judged.reasons.some(({ is }) => is === "AccessNotGranted");
  const reasons = isSaid || !isHandedOut ? judged.reasons : [refuse(name, asking, access), ...judged.reasons];
  return { ...judged, isRefused: true, reasons, wanted };
}
