import { claimNamespace, consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { FOR_ALL } from "../../crossplane/grants.ts";
import { isBeingDeleted } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import { shownCondition } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import { type Binding, findBinding, RECORD_NAME, readBindings } from "../../records/record.ts";
import { observedOwn } from "../desired.ts";
import type { Call } from "../feature.ts";
import { findShareAccess, findTargetRefusal, type KnownShareAccess } from "./access.ts";
import { findTargetFault, needsSource, resolveTargets } from "./copies/targets.ts";
import { findShared } from "./find-shared.ts";
import type { Copying, Found, Judged, Judgement, Named, Share } from "./judgement.ts";
import { bindsOne, readableIn, withoutCopies } from "./judgement.ts";
import { withAdmission } from "./pool.ts";
import { prefetch } from "./prefetch.ts";
import type { SharingReason } from "./reasons.ts";
import { hold, isOfKind } from "./recorded.ts";
import { findSource, readSecret, type Source } from "./source.ts";

const ONE_NAMESPACE =
  "with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource must be in one namespace";

/**
 * Looks up and judges all shared resources. The source Secret is required last: once all namespaces are judged, one of
 * them has a grant, and a copy needs the values.
 */
export function judgeShares(call: Call): readonly Judged[] {
  const recorded = readBindings(observedOwn(RECORD_NAME, call));
  return call.input.spec.sharedResources.map((shared) => {
    // Recorded bindings to other kinds are skipped: a team may write them, and they would be looked up.
    const before = (recorded.get(shared.name) ?? []).filter(({ resource }) => isOfKind(resource, shared));
    const share: Share = {
      shared,
      targets: resolveTargets(shared.connection?.copies ?? [], call),
      before: bindsOne(shared) ? before : [],
      own: consumerNamespace(call.composite),
      call,
    };
    const lookup = findShared(share);
    if (lookup.is === "unknown") prefetch(share, { is: "sharedResource" });
    const judged = lookup.is === "found" ? judgeFound(share, lookup) : withoutCopies(lookup.is, ...lookup.reasons);
    return { ...share, lookup, judgement: hold(judged, { ...share, lookup }) };
  });
}

/** Judges the resources found: access first, then the admission by a pool's member, then `readiness: Required`. */
const judgeFound = (share: Share, found: Found): Judgement =>
  withReadiness(withAdmission(judgeAccess(share, found), share, found), share, found);

/** With `readiness: Required`, withholds a granted resource until it is Ready. An XR with access by its record keeps the access. */
function withReadiness(judged: Judgement, { shared, before }: Share, { resources, name }: Found): Judgement {
  const { named } = judged;
  const [resource] = resources;
  if (shared.readiness === "Ignored" || named?.access !== "Granted" || resource === undefined) return judged;
  const isServed = findBinding(named.resource, before)?.access === "Granted";
  if (isServed || shownCondition(resource, "Ready")?.status === "True") return judged;
  const waiting = withoutCopies("broken", { is: "SharedResourceNotReady", shared: name });
  return { ...waiting, named: { ...named, access: "Requested" } };
}

function judgeAccess(share: Share, { resources, name }: Found): Judgement {
  const { connection } = share.shared;
  if (connection && resources.length === 0) return withoutCopies("gone");
  // Several resources have no copies. Fields are read from each resource that grants access; the first refusal is reported.
  const judged = resources.map((resource) => judgeResource(share, resource, name));
  const unknown = judged.find(({ copies }) => copies.is === "unknown");
  if (unknown !== undefined) return unknown;
  const reported = judged.find(({ fields }) => fields.is === "refused") ?? judged[0] ?? NOTHING;
  const { fields } = reported;
  if (fields.is === "held") return reported; // none was found, or its access was not judged
  const named = resources.length > 1 ? undefined : reported.named;
  return { ...reported, named, fields: { ...fields, resources: judged.flatMap((each) => readableIn(each.fields)) } };
}

const NOTHING = withoutCopies("nothing");

/** A share and one shared resource, after its grants were looked up. */
interface Accessible extends Share {
  readonly resource: Document;
  /** The name by which the consumer asked. Before access is granted, nothing else of the resource is reported. */
  readonly name: string;
  readonly access: KnownShareAccess;
  /** True if access is granted to the consumer's own namespace, or to one of `asking`. */
  readonly isGranted: boolean;
  readonly named: Named;
  /** The namespaces of the copies, as `askingForCopies` lists them. */
  readonly asking: readonly string[];
  /** The Secret that the resource names (`findSource`); undefined if the share asks for no copies. */
  readonly source: Source | undefined;
}

const refuse = ({ name, access, named }: Accessible, namespaces: readonly string[]): SharingReason => ({
  is: "AccessNotGranted",
  shared: name,
  namespaces,
  remedy: access.remedy,
  isRevoked: named.access === "Revoked",
});

/** Judges one resource: first its source Secret and grants, then the copies, then the access to fields. */
function judgeResource(share: Share, resource: Document, name: string): Judgement {
  const { shared, targets, before, own = FOR_ALL, call } = share;
  const asking = askingForCopies(share);
  const all = [own, ...asking];
  const [namespace] = targets.namespaces; // with perConsumer the only one
  const source = shared.connection && findSource(resource, shared.connection.secretRef, namespace, call);
  const secret = source?.secret;
  // A ReferenceGrant names the Secret, so nothing is granted without a Secret.
  if (shared.grant === "ReferenceGrant" && secret === undefined) return withoutSource(source, share, name);
  const access = findShareAccess(shared, resource, secret, all, call);
  if (access.is === "pending") {
    prefetch(share, { is: "grants", source: secret });
    return withoutCopies("unknown", access.reason);
  }
  const isGranted = all.some(access.isGranted);
  const named = toNamed(resource, isGranted, before);
  const accessible = { ...share, resource, name, access, isGranted, named, asking, source };
  return withFields(judgeCopies(accessible), accessible);
}

/** Decides which access the XR's record notes for the resource that the XR names now. */
function toNamed(found: Document, isGranted: boolean, before: readonly Binding[]): Named {
  const resource = toReference(found);
  if (isGranted) return { resource, access: "Granted", claimNamespace: claimNamespace(found) };
  const known = findBinding(resource, before);
  const access = known === undefined || known.access === "Requested" ? "Requested" : "Revoked";
  return { resource, access, claimNamespace: known?.claimNamespace };
}

/** Judges a share without a source Secret: it needs none, or the shared resource names none that may be read. */
function withoutSource(source: Source | undefined, { shared, targets }: Share, name: string): Judgement {
  if (source?.is === "pending")
    return withoutCopies("unknown", { is: "WaitingForRequiredResources", wanted: `the credential of ${name}` });
  if (source?.is === "foreign") return withoutCopies("broken", { is: "SourceNotAllowed", shared: name });
  if (source?.is !== "missing") return NOTHING;
  const [namespace] = targets.namespaces;
  return shared.connection?.secretRef.perConsumer && namespace !== undefined
    ? withoutCopies("gone", { is: "NoCredential", shared: name, namespace })
    : withoutCopies("gone", { is: "NoConnectionSecret", shared: name, field: source.field ?? "" });
}

/** Judges the copies. Only consumers with a grant learn that there is no source Secret. */
function judgeCopies(accessible: Accessible): Judgement {
  const { shared, name, access, isGranted, asking, source } = accessible;
  const secret = source?.secret;
  if (shared.connection === undefined) return NOTHING;
  // Without a grant the source is not checked: the fault would tell a team which Secret it is.
  const fault = findFault(accessible, isGranted ? secret : undefined);
  if (fault !== undefined) {
    // The fault alone is reported if one namespace has a grant: once the fault is mended, the copies may need no other. Also for
    // an XR of the platform while it is unknown which namespaces need a grant.
    const isRefusalKnown = !isGranted && !asking.includes(FOR_ALL);
    return withoutCopies("broken", ...(isRefusalKnown ? [refuse(accessible, asking)] : []), fault);
  }
  if (secret !== undefined) return judgeTargets(secret, accessible);
  const isRefused = !asking.some(access.isGranted);
  return isRefused ? withoutCopies("broken", refuse(accessible, asking)) : withoutSource(source, accessible, name);
}

/** Finds what makes the copies impossible: a field that is not set, or an invalid target. Existing copies then count as `broken`, not as `gone`. */
function findFault({ shared, targets, call }: Share, source: SecretName | undefined): SharingReason | undefined {
  if (targets.unset !== undefined) return { is: "FieldNotSet", field: targets.unset };
  const isSplit = shared.connection?.secretRef.perConsumer === true && targets.namespaces.length > 1;
  const fault = isSplit ? ONE_NAMESPACE : findTargetFault(targets, source, call);
  return fault === undefined ? undefined : { is: "InvalidTarget", fault };
}

/** Judges each target of the copies, and requires the source Secret if a copy that is not refused needs its values. */
function judgeTargets(source: SecretName, accessible: Accessible): Judgement {
  const { shared, targets, call, resource, access } = accessible;
  // A Namespace is looked up only for a copy with a grant.
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
    isBeingDeleted: isBeingDeleted(resource),
  };
  const cutOff = targets.isCutOff ? [{ is: "TooManyTargets" } as const] : [];
  return { ...NOTHING, copies, reasons: [...judged.flatMap(({ refusal }) => refusal ?? []), ...cutOff] };
}

/** Adds the access to fields, for which the consumer's namespace or, if it has none, one of `asking` needs a grant. */
function withFields(judged: Judgement, accessible: Accessible): Judgement {
  const { shared, own, resource, access, named } = accessible;
  const asking = own === undefined ? accessible.asking : [own];
  if (asking.some(access.isGranted)) return { ...judged, named, fields: { is: "served", resources: [resource] } };
  const { copies, reasons } = judged;
  // The copies report their own refusals, and that is enough for an XR that reads no fields. Other causes are reported already.
  const readsFields = shared.patches.length > 0 || shared.toEnvironment !== undefined;
  const isToReport = copies.is === "nothing" || (copies.is === "copy" && readsFields);
  const all = isToReport ? [refuse(accessible, asking), ...reasons] : reasons;
  return { ...judged, named, fields: { is: "refused", resources: [] }, reasons: all };
}

/**
 * Lists the namespaces of the copies, else the consumer's own namespace. For an XR of the platform, which has none: those of
 * its recorded copies, else FOR_ALL.
 */
function askingForCopies({ shared, targets: { namespaces }, own, before }: Share): readonly string[] {
  if (namespaces.length > 0) return namespaces;
  const recorded = shared.connection && own === undefined ? before.flatMap(({ secrets }) => secrets) : [];
  return recorded.length > 0 ? [...new Set(recorded.map(({ namespace }) => namespace))] : [own ?? FOR_ALL];
}
