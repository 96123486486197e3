import { isManaged, readManagedKind } from "../../crossplane/managed-resource.ts";
import { EXTERNAL_NAME, readLabel } from "../../crossplane/metadata.ts";
import { groupBy } from "../../model/collections.ts";
import { type Document, documentOf, stringAt } from "../../model/document.ts";
import { type Draft, withResources } from "../../model/draft.ts";
import { isObject, pick } from "../../model/json.ts";
import { formatOwner, IDENTITY_LABEL, isDependent } from "../../ownership/annotations.ts";
import { type Contender, isAcknowledgedBy, isCreator, toContender } from "../../ownership/contender.ts";
import { identify, readCloudResource } from "../../ownership/identity.ts";
import { asObserved, desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import type { Subject } from "./subject.ts";

interface Renamed {
  /** The draft with the owners that are kept. */
  readonly draft: Draft;
  /** Names in the Composition: of owners that were renamed, of their heirs (see `keepRenamed`), and all in `leaving`. */
  readonly renamed: ReadonlySet<string>;
  /** The names of owners without an heir. Each goes once no other XR needs its cloud resource (`findGone` in tags.ts). */
  readonly leaving: ReadonlySet<string>;
}

/**
 * Keeps owners that a Composition has renamed: the pipeline desires the same cloud resource under another name, and Crossplane would delete
 * the cloud resource with the owner. The resource of the new name, the heir, observes until the owner lists it as a successor. Then the
 * owner goes, and leaves the cloud resource. With onRelease: HandOver, owners without an heir are kept, too (`leaving`).
 *
 * Dependents of a grant are not kept: by a reference that is never resolved, a team could keep a dependent whose grant is revoked.
 */
export function keepRenamed(subjects: readonly Subject[], call: Call, draft: Draft): Renamed {
  const owners = findUndesiredOwners(call, draft);
  if (owners.length === 0) return { draft, renamed: new Set(), leaving: new Set() };
  const byIdentity = groupBy(subjects, toKey);
  const byKind = new Map(subjects.map((subject) => [kindOf(subject.desired), subject]));
  const byName = groupBy(subjects, ({ isNamed, desired }) => (isNamed ? toNameKey(desired) : undefined));
  // Heirs: the resources of this XR that declare the owner's cloud resource under a new name.
  const heirsOf = (owner: Contender): readonly Subject[] => {
    if (owner.identity === undefined) return byName.get(toNameKey(owner.document)) ?? NO_HEIRS;
    return byIdentity.get(owner.identity) ?? byIdentity.get(identifyAnew(owner, byKind) ?? "") ?? NO_HEIRS;
  };
  const isHandingOver = call.input.spec.tags?.owner.onRelease === "HandOver";
  const isDesired = (name: string): boolean => call.request.desired.resources.has(name); // then a feature left it out on purpose
  const judged = owners.map(([name, owner]) => {
    const heirs = heirsOf(owner);
    // A new resource of the owner's kind with an unresolved reference may be an heir, too.
    const mayHaveMore = byIdentity.has(kindOf(owner.document));
    const isReplaced = mayHaveMore || heirs.length > 0;
    // Without heirs, an owner would go with its cloud resource. Another XR may have begun to declare that: the owner stays for the answer.
    const isLeaving = !isReplaced && isHandingOver && owner.isMarked && owner.mayDelete && !isDesired(name);
    const isListing = heirs.every(({ ownership }) => isAcknowledgedBy(owner, ownership().own));
    return { name, owner, heirs, isReplaced, isLeaving, mayGo: !mayHaveMore && !owner.mayDelete && isListing };
  });
  const involved = judged.filter(({ isReplaced, isLeaving }) => isReplaced || isLeaving);
  const kept = involved
    .filter(({ mayGo }) => !mayGo)
    .map(({ name, owner }) => [name, { is: "set", object: pickKept(owner.document), ready: "True" }] as const);
  const heirs = [...new Set(involved.map((one) => one.heirs))].flat(); // many owners may share their heirs
  return {
    draft: withResources(draft, kept),
    renamed: new Set([...involved.map(({ name }) => name), ...heirs.map(({ resource }) => resource)]),
    leaving: new Set(involved.flatMap(({ name, isLeaving }) => (isLeaving ? [name] : []))),
  };
}

type Owner = readonly [name: string, owner: Contender];

const NO_HEIRS: readonly Subject[] = [];

function findUndesiredOwners(call: Call, draft: Draft): readonly Owner[] {
  const desired = desiredSoFar(call, draft);
  const owner = formatOwner(call.composite);
  return [...call.request.observed.resources].flatMap(([name, { document }]) => {
    if (desired.has(name) || !isManaged(document) || isDependent(document)) return []; // first: in steady state this is true of all
    const isArbitrated = readLabel(document, IDENTITY_LABEL) !== undefined;
    if (!isArbitrated && !isCreator(document)) return [];
    const one = toContender(document);
    // A resource that was never arbitrated, and neither writes nor deletes, has nothing to hand over.
    const isOurs = isArbitrated ? one.isMarked && one.owner === owner : one.isWriting || one.mayDelete;
    return isOurs && !one.isDeleting ? [[name, one] as const] : [];
  });
}

/**
 * Returns the identity that a subject declares; "" if it has none. While a reference is unresolved, returns the kind of a subject without
 * identity label, for `mayHaveMore`.
 */
function toKey({ kind, ownership, desired }: Subject): string {
  const { cloudResource, own } = ownership();
  if (cloudResource === "unresolved") return own?.identity === undefined ? kindOf(desired) : "";
  return cloudResource === undefined ? "" : identify(kind, cloudResource);
}

/** Identifies an owner's cloud resource by today's input: `scopeFieldPaths` may have changed since the owner got its label. */
function identifyAnew({ document }: Contender, byKind: ReadonlyMap<string, Subject>): string | undefined {
  const subject = byKind.get(kindOf(document));
  const cloudResource = subject?.ownership().cloudResource;
  if (subject === undefined || typeof cloudResource !== "object") return undefined;
  const { kind, account, namespace } = subject;
  const read = readCloudResource({
    desired: document,
    observed: document,
    facts: cloudResource.facts,
    account,
    namespace,
  });
  return typeof read === "object" ? identify(kind, read) : undefined;
}

/** Formats kind and external name: the identity of a resource that was never arbitrated, whose provider chose the name. */
const toNameKey = (document: Document): string => `${kindOf(document)} ${stringAt(document, EXTERNAL_NAME) ?? ""}`;

function kindOf(document: Document): string {
  const { group, kind } = readManagedKind(document);
  return `${group} ${kind}`;
}

/** Desires a resource as it is observed, without the metadata that Crossplane sets. */
function pickKept(observed: Document): Document {
  const { metadata, ...object } = asObserved(observed);
  const kept = isObject(metadata) ? pick(metadata, (key) => key === "labels" || key === "annotations") : {};
  return documentOf({ ...object, metadata: kept });
}
