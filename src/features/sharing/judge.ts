import { claimNamespace, consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { isBeingDeleted } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { shownCondition } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import { type Binding, findBinding, RECORD_NAME, readBindings } from "../../records/record.ts";
import type { Call } from "../feature.ts";
import { findShareAccess, findTargetRefusal, type KnownShareAccess } from "./access.ts";
import { needsSource } from "./copies/keys.ts";
import { findTargetFault, resolveTargets } from "./copies/targets.ts";
import { findShared } from "./find-shared.ts";
import { hold } from "./hold.ts";
import type { Copying, Found, Judged, Judgement, Named, Share } from "./judgement.ts";
import { bindsOne, readableIn, withoutCopies } from "./judgement.ts";
import { withAdmission } from "./pool.ts";
import { prefetch } from "./prefetch.ts";
import type { SharingReason } from "./reasons.ts";
import { isOfKind } from "./recorded.ts";
import { findSource, readSecret } from "./source.ts";

const ONE_NAMESPACE =
  "with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource must be in one namespace";

/**
 * Looks up and judges all shared resources. Copies are made only with the owner's grant, and removed when it is
 * revoked. The source Secret is required last: after every namespace is judged, if one of them is granted and a copy
 * needs the values.
 */
export function judgeShares(call: Call): readonly Judged[] {
  const recorded = readBindings(call.request.observed.resources.get(RECORD_NAME)?.document);
  return call.input.spec.sharedResources.map((shared) => {
    const share = toShare(shared, recorded.get(shared.name) ?? [], call);
    const lookup = findShared(share);
    if (lookup.is === "unknown") prefetch(share, { is: "sharedResource" });
    const judged = lookup.is === "found" ? judgeFound(share, lookup) : withoutCopies(lookup.is, ...lookup.reasons);
    return { ...share, lookup, judgement: hold(judged, share) };
  });
}

/** Resolves a share, without recorded bindings to other kinds: a team may write them, and Crossplane would look them up. */
function toShare(shared: SharedResource, recorded: readonly Binding[], call: Call): Share {
  return {
    shared,
    targets: resolveTargets(shared.connection?.copies ?? [], call),
    before: bindsOne(shared) ? recorded.filter(({ resource }) => isOfKind(resource, shared)) : [],
    own: consumerNamespace(call.composite),
    call,
  };
}

/** Judges what was found. It may still have to admit the XR, or to become Ready. */
const judgeFound = (share: Share, found: Found): Judgement =>
  withReadiness(withAdmission(judgeAccess(share, found), share, found), share, found);

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

function judgeAccess(share: Share, { resources, name }: Found): Judgement {
  const { connection } = share.shared;
  if (connection && resources.length === 0) return withoutCopies("gone");
  if (connection?.secretRef.perConsumer && share.targets.namespaces.length > 1)
    return withoutCopies("broken", { is: "InvalidTarget", fault: ONE_NAMESPACE });
  // Several resources hand out fields only. Those that grant access do so, and the first that does not is reported.
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
  /** The name by which the consumer asked. Before access is granted, nothing else of the resource is reported. */
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

/** Judges one resource: what is copied of it, and whether its fields may be read. */
function judgeResource(share: Share, resource: Document, name: string, isOneOfMany: boolean): Judgement {
  const { shared, targets, before, own = "*", call } = share;
  const asking = [own, ...targets.namespaces];
  // Found before the grant is judged, and told only after it, by judgeCopies.
  const secret = findSecret(share, resource, name);
  const source = "copies" in secret ? undefined : secret;
  // A ReferenceGrant names the Secret, so the Secret has to be known first.
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

/** Decides the access that the record notes for the resource that the XR names now. */
function toNamed(found: Document, isGranted: boolean, before: readonly Binding[]): Named {
  const resource = toReference(found);
  if (isGranted) return { resource, access: "Granted", claimNamespace: claimNamespace(found) };
  const known = findBinding(resource, before);
  const access = known === undefined || known.access === "Requested" ? "Requested" : "Revoked";
  return { resource, access, claimNamespace: known?.claimNamespace };
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

/** Judges the copies. Only consumers with a grant learn that there is no source Secret. */
function judgeCopies(share: Share, secret: SecretName | Judgement, accessible: Accessible): Judgement {
  if (!("copies" in secret)) return judgeTargets(share, secret, accessible);
  const asking = askingForCopies(share);
  const isTold = secret === NOTHING || asking.some((namespace) => accessible.access.isGranted(namespace));
  return isTold ? secret : withoutCopies("broken", refuse(accessible, asking));
}

/** Judges each target of the copies, and requires the source Secret where one of them needs it. */
function judgeTargets(share: Share, source: SecretName, accessible: Accessible): Judgement {
  const { resource, access, isGranted } = accessible;
  const { shared, targets, call } = share;
  if (targets.unset !== undefined) return withoutCopies("broken", { is: "FieldNotSet", field: targets.unset });
  // A team without a grant could guess the source by the fault.
  const fault = findTargetFault(targets, isGranted ? source : undefined, call);
  if (fault !== undefined) return withoutCopies("broken", { is: "InvalidTarget", fault });
  // Only a granted copy has its namespace asked whether it accepts copies.
  const judged = targets.list.map((target) => ({
    ...target,
    refusal: access.isGranted(target.namespace)
      ? findTargetRefusal(target, call)
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

/** Adds the access to fields, which is granted to the consumer's own namespace. */
function withFields(judged: Judgement, share: Share, accessible: Accessible): Judgement {
  const { resource, access, named } = accessible;
  const { patches, toEnvironment } = share.shared;
  const asking = share.own === undefined ? askingForCopies(share) : [share.own];
  if (asking.some((namespace) => access.isGranted(namespace)))
    return { ...judged, named, fields: { is: "served", resources: [resource] } };
  const { is } = judged.copies;
  // An XR that only copies learns of the refusal from its copies.
  const isWorthTelling = is === "nothing" || (is === "copy" && (patches.length > 0 || toEnvironment !== undefined));
  const isToldAlready = judged.reasons.some((reason) => reason.is === "AccessNotGranted");
  const reasons = isToldAlready || !isWorthTelling ? judged.reasons : [refuse(accessible, asking), ...judged.reasons];
  return { ...judged, named, fields: { is: "refused", resources: [] }, reasons };
}

/** Lists the namespaces of the copies; the consumer's own where they are not known. */
const askingForCopies = ({ targets: { namespaces }, own = "*" }: Share): readonly string[] =>
  namespaces.length > 0 ? namespaces : [own];
