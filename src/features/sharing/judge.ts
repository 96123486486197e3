import type { SecretName } from "../../crossplane/copies.ts";
import { isBeingDeleted } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { shownCondition } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import { findBinding, RECORD_NAME, readBindings } from "../../records/record.ts";
import type { Call } from "../feature.ts";
import { findShareAccess, findTargetUnaccepting, type KnownShareAccess } from "./access.ts";
import { needsSource } from "./copies/contents.ts";
import { findTargetFault } from "./copies/targets.ts";
import { findShared } from "./find-shared.ts";
import { hold, toNamed } from "./hold.ts";
import {
  type Copying,
  type Found,
  type Judged,
  type Judgement,
  type Lookup,
  type Named,
  readableIn,
  type Share,
  withoutCopies,
} from "./judgement.ts";
import { withAdmission } from "./pool.ts";
import { prefetch } from "./prefetch.ts";
import type { SharingReason } from "./reasons.ts";
import { toShare } from "./share.ts";
import { findSource, readSecret } from "./source.ts";

const ONE_NAMESPACE =
  "with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource must be in one namespace";

/** Looks up and judges all shared resources. */
export function judgeShares(sharedResources: readonly SharedResource[], call: Call): readonly Judged[] {
  const recorded = readBindings(call.request.observed.resources.get(RECORD_NAME)?.document);
  return sharedResources.map((shared) => {
    const share = toShare(shared, recorded, call);
    const lookup = findShared(share);
    if (lookup.is === "unknown") prefetch(share, { is: "sharedResource" });
    return { ...share, lookup, judgement: judgeShare(share, lookup) };
  });
}

/**
 * Judges one shared resource. Copies are made only with the owner's grant, and removed when it is revoked. The source Secret is
 * required last: after every namespace is judged, if one of them is granted and a copy needs the values.
 */
export const judgeShare = (share: Share, lookup: Lookup): Judgement =>
  hold(lookup.is === "found" ? judgeServed(share, lookup) : withoutCopies(lookup.is, ...lookup.reasons), share);

/** Judges a resource that was found, and may still have to admit the XR, or to become Ready. */
const judgeServed = (share: Share, found: Found): Judgement =>
  withReadiness(withAdmission(judgeFound(share, found), share, found), share, found);

/** Waits for the Ready of a granted resource, if the input says so. An XR that was served stays served. */
function withReadiness(
  judged: Judgement,
  { shared, before }: Share,
  { resources: [resource], name }: Found,
): Judgement {
  const { named } = judged;
  if (shared.readiness === "Ignored" || named?.access !== "Granted" || resource === undefined) return judged;
  const isServed = findBinding(named.resource, before)?.access === "Granted";
  if (isServed || shownCondition(resource, "Ready")?.status === "True") return judged;
  const waiting = withoutCopies("broken", { is: "SharedResourceNotReady", shared: name });
  return { ...waiting, named: { ...named, access: "Requested" } };
}

function judgeFound(share: Share, { resources, name }: Found): Judgement {
  const { connection } = share.shared;
  if (connection && resources.length === 0) return withoutCopies("gone");
  if (connection?.secretRef.perConsumer && share.targets.namespaces.length > 1)
    return withoutCopies("broken", { is: "InvalidTarget", fault: ONE_NAMESPACE });
  // Several resources hand out fields only: those that grant access, while the first one that does not is told.
  const judged = resources.map((resource) => judgeResource(share, resource, name, resources.length > 1));
  const unknown = judged.find(({ copies }) => copies.is === "unknown");
  if (unknown !== undefined) return unknown;
  const told = judged.find(({ fields }) => fields.is === "refused") ?? judged[0] ?? NOTHING;
  const readable = judged.flatMap(({ fields }) => readableIn(fields));
  return told.fields.is === "held" ? told : { ...told, fields: { ...told.fields, resources: readable } };
}

const NOTHING = withoutCopies("nothing");

/** A shared resource whose grants are known. */
interface Accessible {
  readonly resource: Document;
  /** The name by which the consumer asked: nothing else of it is told before access to it is granted. */
  readonly name: string;
  readonly access: KnownShareAccess;
  /** True if access is granted to the consumer's own namespace, or to one of its copies. */
  readonly isGranted: boolean;
  readonly named: Named | undefined;
}

const refuse = ({ name, access, named }: Accessible, namespaces: readonly string[]): SharingReason => ({
  is: "AccessNotGranted",
  shared: name,
  namespaces,
  remedy: access.remedy,
  isRevoked: named?.access === "Revoked",
});

/** Judges one resource that was found: what is copied of it, and whether its fields may be read. */
function judgeResource(share: Share, resource: Document, name: string, isOneOfMany: boolean): Judgement {
  const { shared, targets, before, own = "*", call } = share;
  const asking = [own, ...targets.namespaces];
  const secret = findSecret(share, resource, name);
  const source = "copies" in secret ? undefined : secret;
  // A ReferenceGrant names the Secret, so there it comes first.
  if ("copies" in secret && shared.grant === "ReferenceGrant") return secret;
  const access = findShareAccess(shared, resource, source, asking, call);
  if (access.is === "pending") {
    prefetch(share, { is: "grants", source });
    return withoutCopies("unknown", access.reason);
  }
  const isGranted = asking.some((namespace) => access.isGranted(namespace));
  const named = isOneOfMany ? undefined : toNamed(resource, isGranted, before);
  const accessible = { resource, name, access, isGranted, named };
  return withFields(judgeCopies(share, secret, accessible), share, accessible);
}

/** Finds the source Secret, or the judgement where there is none. */
function findSecret({ shared: { connection }, targets, call }: Share, resource: Document, name: string) {
  if (connection === undefined) return NOTHING;
  const { secretRef } = connection;
  const [namespace] = targets.namespaces;
  const source = findSource(resource, secretRef, namespace, call);
  switch (source.is) {
    case "named":
      return source.secret;
    case "pending":
      return withoutCopies("unknown", { is: "WaitingForRequiredResources", wanted: `the credential of ${name}` });
    case "foreign":
      return withoutCopies("broken", { is: "SourceNotAllowed", shared: name });
    case "missing":
      return secretRef.perConsumer && namespace !== undefined
        ? withoutCopies("gone", { is: "NoCredential", shared: name, namespace })
        : withoutCopies("gone", { is: "NoConnectionSecret", shared: name, field: source.field ?? "" });
  }
}

/** Judges the copies. That there is no source Secret is told to consumers with a grant only. */
function judgeCopies(share: Share, secret: SecretName | Judgement, accessible: Accessible): Judgement {
  if (!("copies" in secret)) return judgeTargets(share, secret, accessible);
  const asking = askingForCopies(share);
  const isTold = secret === NOTHING || asking.some((namespace) => accessible.access.isGranted(namespace));
  return isTold ? secret : withoutCopies("broken", refuse(accessible, asking));
}

/** Judges each target of the copies, and asks for the source Secret where one of them needs it. */
function judgeTargets(share: Share, source: SecretName, accessible: Accessible): Judgement {
  const { resource, access, isGranted } = accessible;
  const { shared, targets, call } = share;
  if (targets.unset !== undefined) return withoutCopies("broken", { is: "FieldNotSet", field: targets.unset });
  // A team without a grant could guess the source.
  const fault = findTargetFault(targets, isGranted ? source : undefined, call);
  if (fault !== undefined) return withoutCopies("broken", { is: "InvalidTarget", fault });
  // A namespace is asked whether it accepts the copy only if the copy is granted.
  const judged = targets.list.map((target) => ({
    ...target,
    refusal: access.isGranted(target.namespace)
      ? findTargetUnaccepting(target, call)
      : refuse(accessible, [target.namespace]),
  }));
  const isRead = judged.some(({ refusal, copy }) => refusal === undefined && needsSource(copy));
  const copies: Copying = {
    is: "copy",
    origin: toReference(resource),
    resource,
    source,
    secret: isRead ? readSecret(shared.name, source, call) : { is: "pending" },
    targets: judged,
    isBeingDeleted: shared.select.by !== "self" && isBeingDeleted(resource),
  };
  const cutOff = targets.isCutOff ? [{ is: "TooManyTargets" } as const] : [];
  return { ...NOTHING, copies, reasons: [...judged.flatMap(({ refusal }) => refusal ?? []), ...cutOff] };
}

/** Adds the shared resource's fields to the judgement: they are granted to the consumer's own namespace. */
function withFields(judged: Judgement, share: Share, accessible: Accessible): Judgement {
  const { resource, access, named } = accessible;
  const { patches, toEnvironment } = share.shared;
  const asking = share.own === undefined ? askingForCopies(share) : [share.own];
  if (asking.some((namespace) => access.isGranted(namespace)))
    return { ...judged, named, fields: { is: "served", resources: [resource] } };
  const { is } = judged.copies;
  const isTold = is === "nothing" || (is === "copy" && (patches.length > 0 || toEnvironment !== undefined));
  const isSaid = judged.reasons.some((reason) => reason.is === "AccessNotGranted");
  const reasons = isSaid || !isTold ? judged.reasons : [refuse(accessible, asking), ...judged.reasons];
  return { ...judged, named, fields: { is: "refused", resources: [] }, reasons };
}

/** The namespaces of the copies; the consumer's own where they are not known. */
const askingForCopies = ({ targets: { namespaces }, own = "*" }: Share): readonly string[] =>
  namespaces.length > 0 ? namespaces : [own];
