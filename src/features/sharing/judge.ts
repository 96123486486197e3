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
import type { Copying, Found, Judged, Judgement, Named, Share } from "./judgement.ts";
import { bindsOne, readableIn, withoutCopies } from "./judgement.ts";
import { withAdmission } from "./pool.ts";
import { prefetch } from "./prefetch.ts";
import type { SharingReason } from "./reasons.ts";
import { hold, isOfKind } from "./recorded.ts";
import { findSource, readSecret } from "./source.ts";

/**
 * Looks up and judges all shared resources. Copies are made only with the owner's grant, and removed when it is
 * revoked. The source Secret is required last, and only if a copy is granted and needs its values.
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

/** Resolves a share. Drops recorded bindings to other kinds: a team may write any into its record. */
function toShare(shared: SharedResource, recorded: readonly Binding[], call: Call): Share {
  return {
    shared,
    targets: resolveTargets(shared.connection?.copies ?? [], call),
    before: bindsOne(shared) ? recorded.filter(({ resource }) => isOfKind(resource, shared)) : [],
    own: consumerNamespace(call.composite),
    call,
  };
}

/** Judges the resources that the selector finds: their grants, then the admission of the XR, then their readiness. */
const judgeFound = (share: Share, found: Found): Judgement =>
  withReadiness(withAdmission(judgeAccess(share, found), share, found), share, found);

/** Waits until a granted resource is Ready, unless the input ignores that. An XR that was served stays served. */
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
  const reported = judged.find(({ fields }) => fields.is === "refused") ?? judged[0] ?? NOTHING;
  const readable = judged.flatMap(({ fields }) => readableIn(fields));
  return reported.fields.is === "held"
    ? reported
    : { ...reported, fields: { ...reported.fields, resources: readable } };
}

const ONE_NAMESPACE =
  "with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource must be in one namespace";

const NOTHING = withoutCopies("nothing");

/** A shared resource whose grants are known. */
interface Accessible {
  readonly resource: Document;
  /** The name by which the consumer asked. Without a grant, messages tell nothing else about the resource. */
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

/** The Secret that copies are made from, or the judgement if there is none to copy. */
type Source =
  | { readonly is: "found"; readonly secret: SecretName }
  | { readonly is: "none"; readonly secret?: undefined; readonly judgement: Judgement };

/** Judges one resource: the source Secret, then the grant, then each copy, then the access to fields. */
function judgeResource(share: Share, resource: Document, name: string, isOneOfMany: boolean): Judgement {
  const { shared, targets, before, own = "*", call } = share;
  const source = findSourceSecret(share, resource, name);
  // A ReferenceGrant names the Secret. Without a Secret there is no grant to look up.
  if (source.is === "none" && shared.grant === "ReferenceGrant") return source.judgement;
  const asking = [own, ...targets.namespaces];
  const access = findShareAccess(shared, resource, source.secret, asking, call);
  if (access.is === "pending") {
    prefetch(share, { is: "grants", source: source.secret });
    return withoutCopies("unknown", access.reason);
  }
  const isGranted = asking.some((namespace) => access.isGranted(namespace));
  const named = isOneOfMany ? undefined : toNamed(resource, isGranted, before);
  const accessible = { resource, name, access, isGranted, named };
  const copies =
    source.is === "found"
      ? judgeTargets(share, source.secret, accessible)
      : judgeWithoutSource(share, source.judgement, accessible);
  return withFields(copies, share, accessible);
}

/** Makes the record's entry for the resource that the XR names now. */
function toNamed(found: Document, isGranted: boolean, before: readonly Binding[]): Named {
  const resource = toReference(found);
  if (isGranted) return { resource, access: "Granted", claimNamespace: claimNamespace(found) };
  const known = findBinding(resource, before);
  const access = known === undefined || known.access === "Requested" ? "Requested" : "Revoked";
  return { resource, access, claimNamespace: known?.claimNamespace };
}

function findSourceSecret({ shared: { connection }, targets, call }: Share, resource: Document, name: string): Source {
  if (connection === undefined) return { is: "none", judgement: NOTHING };
  const { secretRef } = connection;
  const [namespace] = targets.namespaces;
  const none = (...judged: Parameters<typeof withoutCopies>): Source => ({
    is: "none",
    judgement: withoutCopies(...judged),
  });
  const source = findSource(resource, secretRef, namespace, call);
  switch (source.is) {
    case "named":
      return { is: "found", secret: source.secret };
    case "pending":
      return none("unknown", { is: "WaitingForRequiredResources", wanted: `the credential of ${name}` });
    case "foreign":
      return none("broken", { is: "SourceNotAllowed", shared: name });
    case "missing":
      return secretRef.perConsumer && namespace !== undefined
        ? none("gone", { is: "NoCredential", shared: name, namespace })
        : none("gone", { is: "NoConnectionSecret", shared: name, field: source.field ?? "" });
  }
}

/** Judges copies that have no source. Only consumers with a grant learn why. */
function judgeWithoutSource(share: Share, judgement: Judgement, accessible: Accessible): Judgement {
  const asking = askingForCopies(share);
  const isTold = judgement === NOTHING || asking.some((namespace) => accessible.access.isGranted(namespace));
  return isTold ? judgement : withoutCopies("broken", refuse(accessible, asking));
}

/** Judges each target Secret, and requires the source Secret if one of them needs its values. */
function judgeTargets(share: Share, source: SecretName, accessible: Accessible): Judgement {
  const { resource, access, isGranted } = accessible;
  const { shared, targets, call } = share;
  if (targets.unset !== undefined) return withoutCopies("broken", { is: "FieldNotSet", field: targets.unset });
  // Without a grant the source is not compared: the fault would tell a team which Secret it is.
  const fault = findTargetFault(targets, isGranted ? source : undefined, call);
  if (fault !== undefined) return withoutCopies("broken", { is: "InvalidTarget", fault });
  // The namespace of a copy is looked up only if the copy is granted.
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

/** Adds the access to fields: of the consumer's own namespace or, without one, of those of its copies. */
function withFields(judged: Judgement, share: Share, accessible: Accessible): Judgement {
  const { resource, access, named } = accessible;
  const asking = share.own === undefined ? askingForCopies(share) : [share.own];
  if (asking.some((namespace) => access.isGranted(namespace)))
    return { ...judged, named, fields: { is: "served", resources: [resource] } };
  const refusal = needsRefusal(judged, share.shared) ? [refuse(accessible, asking)] : [];
  return { ...judged, named, fields: { is: "refused", resources: [] }, reasons: [...refusal, ...judged.reasons] };
}

/** Tells whether to report that fields are refused: not if the copies' reasons say so, or no field is used. */
function needsRefusal({ copies, reasons }: Judgement, { patches, toEnvironment }: SharedResource): boolean {
  if (reasons.some(({ is }) => is === "AccessNotGranted")) return false;
  const usesFields = patches.length > 0 || toEnvironment !== undefined;
  return copies.is === "nothing" || (copies.is === "copy" && usesFields);
}

/** Lists the namespaces of the copies; the consumer's own if there are none. */
const askingForCopies = ({ targets: { namespaces }, own = "*" }: Share): readonly string[] =>
  namespaces.length > 0 ? namespaces : [own];
