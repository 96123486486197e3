import {
  ALL_ACTIONS,
  DELETION_POLICY,
  isObserver,
  MANAGEMENT_POLICIES,
  mayWrite,
} from "../../crossplane/management-policies.ts";
import { annotationPath, EXTERNAL_NAME_KEY, labelPath, readAnnotation } from "../../crossplane/metadata.ts";
import type { Tags } from "../../input/tags.ts";
import type { Document, ValueEdit } from "../../model/document.ts";
import { isObject, pick } from "../../model/json.ts";
import {
  CLUSTER,
  CLUSTER_TAG,
  CONTENDS_LABEL,
  contenderId,
  EXTERNAL_NAME_LABEL,
  IDENTITY_LABEL,
  OWNER,
  WRITES_LABEL,
} from "../../ownership/annotations.ts";
import { type Contender, toContender } from "../../ownership/contender.ts";
import { findContenders, type KnownContenders } from "../../ownership/find-contenders.ts";
import { type Identity, identify, isElsewhere, readByItself } from "../../ownership/identity.ts";
import { judgeOwnership } from "../../ownership/verdict.ts";
import { awaitReferences, type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

/** The settlement for a managed resource, and the identity of the cloud resource that it declares. */
export interface Arbitration {
  /** Undefined until its references are resolved. */
  readonly identified: Identity | undefined;
  readonly settlement: Settlement;
  /** The labels by which others find ours. */
  readonly foundBy?: readonly string[];
}

/** Finds the contenders for a subject's cloud resource and settles its owner; undefined if no other XR can declare it. */
export function arbitrate(
  subject: Subject,
  wanted: WantedTags,
  rules: Tags["owner"],
  known: KnownContenders,
  owner: string,
): Arbitration | undefined {
  const { kind, facts, observed, tagSources, reportsTags, hasManagementPolicies, cloudResource: declared } = subject;
  if (declared === undefined) return undefined;
  const own = observed && toContender(observed);
  if (declared === "unresolved") {
    const hasMoved = own !== undefined && (own.identity !== undefined || own.isWriting);
    return { identified: undefined, settlement: awaitReferences({ subject, own, hasMoved }) };
  }
  const identified = identify(kind, declared);
  const { identity } = identified;
  const read = observed && readByItself(observed, facts);
  const candidate = {
    kind,
    facts,
    declared,
    observed: read,
    own,
    hasManagementPolicies,
    reportedTags: tagSources.cloud,
  };
  const found = findContenders(candidate, identity, known);
  const contenders = wanted.isClusterUnset || subject.isPending ? undefined : found;
  const otherCluster = findOtherCluster(subject, wanted);
  const verdict = judgeOwnership({ own, contenders, otherCluster, hasManagementPolicies, reportsTags });
  const id = contenderId(owner, subject.resource);
  const hasMoved = isElsewhere(subject, declared, identity, read);
  const settlement = settle(verdict, { subject, own, contenders, id, hasMoved }, rules);
  const isCertain = !wanted.isClusterUnset;
  return {
    identified,
    foundBy: toLabels(own, settlement, identity, hasMoved),
    settlement: isCertain ? settlement : { ...settlement, reason: { is: "FieldNotSet" } },
  };
}

/**
 * Lists the labels by which others find ours. All have to know one that writes or is chosen by an operator; the owner also one whose
 * provider has found the cloud resource, or that knows the name of an association. One that the owner knows stays known, so that the
 * owner leaves the cloud resource to it.
 */
function toLabels(
  own: Contender | undefined,
  { policies = ALL_ACTIONS, annotations }: Settlement,
  identity: string,
  hasMoved: boolean,
): readonly string[] {
  if (mayWrite(policies) || own?.isMarked || own?.isWriting || (own && own.takeOwnership !== ""))
    return [IDENTITY_LABEL, CONTENDS_LABEL, WRITES_LABEL];
  const hasFound = own?.identity === identity && !hasMoved && own.observation === "present";
  const isNamed = annotations.some(([key]) => key === EXTERNAL_NAME_KEY);
  return hasFound || isNamed || own?.contends === identity ? [IDENTITY_LABEL, CONTENDS_LABEL] : [IDENTITY_LABEL];
}

/** Finds the control plane in the cloud's tags; undefined for this one, under its present name or the name that ours records. */
function findOtherCluster({ observed, tagSources }: Subject, { cluster }: WantedTags): string | undefined {
  if (cluster === undefined || observed === undefined) return undefined;
  const found = tagSources.cloud().get(CLUSTER_TAG);
  return found === cluster || found === readAnnotation(observed, CLUSTER) ? undefined : found;
}

const EXTERNAL_NAME_PATH = labelPath(EXTERNAL_NAME_LABEL);

const OWNER_PATH = annotationPath(OWNER);

const CLUSTER_PATH = annotationPath(CLUSTER);

/** The XR or claim, and its control plane. */
interface Owner {
  readonly owner: string;
  readonly cluster: string | undefined;
}

/** The fields by which a managed resource asks for a connection Secret. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(["writeConnectionSecretToRef", "publishConnectionDetailsTo"]);

/** Leaves out the connection Secret: a provider writes it whatever the policies are. */
function withoutSecret(desired: Document): readonly ValueEdit[] {
  const spec = desired.at(["spec"]);
  if (!isObject(spec) || !Object.keys(spec).some((field) => SECRET_FIELDS.has(field))) return [];
  return [{ path: ["spec"], value: pick(spec, (field) => !SECRET_FIELDS.has(field)) }];
}

/** Sets the identity labels, the ownership annotations and the policies on the desired resource. */
export function withOwnership(
  desired: Document,
  { identified, foundBy = [], settlement: { policies, isOrphaned, annotations } }: Arbitration,
  { owner, cluster }: Owner,
  { connectionSecret }: Tags["owner"],
): Document {
  const isReading = policies !== undefined && isObserver(policies);
  const edits: ValueEdit[] = isReading && connectionSecret === "Owner" ? [...withoutSecret(desired)] : [];
  edits.push({ path: OWNER_PATH, value: owner });
  if (identified !== undefined) {
    for (const label of foundBy) edits.push({ path: labelPath(label), value: identified.identity });
    edits.push({ path: EXTERNAL_NAME_PATH, value: identified.externalName });
  }
  if (cluster !== undefined) edits.push({ path: CLUSTER_PATH, value: cluster });
  for (const [key, value] of annotations) edits.push({ path: annotationPath(key), value });
  if (policies !== undefined) edits.push({ path: MANAGEMENT_POLICIES, value: policies });
  if (isOrphaned) edits.push({ path: DELETION_POLICY, value: "Orphan" });
  return desired.with(edits);
}
