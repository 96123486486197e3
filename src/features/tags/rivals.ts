import { readAnnotation, readLabel } from "../../crossplane/metadata.ts";
import {
  CLUSTER,
  CLUSTER_TAG,
  EXTERNAL_NAME_LABEL,
  IDENTITY_LABEL,
  TAKE_OWNERSHIP,
} from "../../ownership/annotations.ts";
import { type Contenders, type Found, listClusters, listOwnersClusters } from "../../ownership/contenders.ts";
import type { KnownContenders } from "../../ownership/find-contenders.ts";
import {
  type Candidate,
  type CloudResource,
  describeAs,
  foldNames,
  hashExternalName,
  identify,
  isAt,
  isElsewhere,
  isKnown,
  readByItself,
} from "../../ownership/identity.ts";
import { findSame, type Join } from "../../ownership/join.ts";
import { readNames } from "../../ownership/names.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

/** Our managed resource, and the contenders for its cloud resource. */
export interface Rivals {
  readonly candidate: Candidate;
  readonly join: Join;
  /** The contenders; undefined while an answer is pending, or a value of the input is not set. */
  readonly contenders: Found | undefined;
  /** Successors of ours that have lost our labels, and may write: the step is gone from their Compositions. */
  readonly lost: Contenders;
  /** The control plane that the cloud's tags name; undefined if it is this control plane. */
  readonly otherCluster: string | undefined;
  /** True if our desired managed resource declares another cloud resource than the observed one. */
  readonly hasMoved: boolean;
}

export function findRivals(
  subject: Subject,
  declared: CloudResource,
  wanted: WantedTags,
  known: KnownContenders,
): Rivals {
  const alone = toCandidate(subject, declared);
  const join = findSame(alone, known, subject.cloud);
  const candidate = join.is === "same" ? toCandidate(subject, join.declared) : alone;
  const found = join.is === "pending" ? undefined : known.find(candidate, join.is === "same");
  const lost = found && known.findLost(candidate, found.all);
  const isUnknown = wanted.isUnset || subject.tags?.isPending || declared.isProvisional || lost === undefined;
  const contenders = isUnknown ? undefined : found;
  const otherCluster = findOtherCluster(subject, wanted, contenders?.all);
  const { own, externalName } = candidate;
  const noted = (own && readLabel(own.document, EXTERNAL_NAME_LABEL)) ?? externalName;
  // If our provider chose the name, the name is the same, and ours lists no successors, then only the ProviderConfig has changed.
  const isFoundAnew = candidate.isMadeUp && own?.acknowledged.size === 0 && noted === externalName;
  return {
    candidate,
    join,
    contenders,
    lost: lost ?? [],
    otherCluster,
    hasMoved: isElsewhere(candidate) && !isFoundAnew,
  };
}

function toCandidate(subject: Subject, declared: CloudResource): Candidate {
  const { kind, desired, namespace, tags, isMadeUp, isImported } = subject;
  const { own, hasManagementPolicies } = subject.ownership();
  const next = identify(kind, declared);
  const today = { identity: next, declared };
  const observed = own && readByItself(own.document, declared.facts);
  const isOther = own?.identity !== undefined && own.identity !== next;
  const isFormer = isOther && isKnown(observed) && isAt(declared, observed.place);
  const former = isFormer ? describeAs(own, kind, declared, subject) : undefined;
  const identity = (former && own?.identity) ?? next;
  return {
    ...{ kind, desired, namespace, own, isMadeUp, isImported, hasManagementPolicies },
    ...{ declared, identity, observed },
    externalName: hashExternalName(kind.group, kind.kind, declared.names),
    forms: former ? [{ identity, declared: former }, today] : [today],
    reportedTags: () => tags?.cloud(),
  };
}

/**
 * Tells whether our provider has created and named the cloud resource, and no other XR is known to declare it. Most of what an XR composes
 * is like that, and is not arbitrated.
 */
export function isUnshared(subject: Subject, known: KnownContenders): boolean {
  const { kind, observed, isMadeUp, facts } = subject;
  if (!isMadeUp || observed === undefined || readLabel(observed, IDENTITY_LABEL) !== undefined) return false;
  if (readAnnotation(observed, TAKE_OWNERSHIP) !== undefined) return false; // labels have to show the operator's choice to importers
  const read = readNames(subject);
  if (typeof read !== "object") return false;
  const externalName = hashExternalName(kind.group, kind.kind, foldNames(read.names, facts));
  // Pending counts as none: Crossplane applies nothing before it has called again with the answer.
  return (known.listNamesakes(kind, externalName) ?? []).length === 0;
}

/**
 * Finds the control plane that the cloud's tags name; undefined if it is this control plane, which has the name in the input, and the names
 * that our managed resource and owners record. Without a name in the input, it also has each name that another contender records, or that
 * an earlier step or `add` writes.
 */
function findOtherCluster({ observed, tags }: Subject, wanted: WantedTags, all: Contenders = []): string | undefined {
  const found = tags?.cloud().get(CLUSTER_TAG);
  if (observed === undefined || found === undefined) return undefined;
  if (found === wanted.cluster || found === readAnnotation(observed, CLUSTER)) return undefined;
  // With a name in the input, only owners' records count: a team may write the annotations of a managed resource that only observes.
  if (wanted.cluster !== undefined) return listOwnersClusters(all).has(found) ? undefined : found;
  const isAdded = wanted.add.some(({ key, value }) => key === CLUSTER_TAG && value === found);
  return isAdded || tags?.desired.get(CLUSTER_TAG) === found || listClusters(all).has(found) ? undefined : found;
}
