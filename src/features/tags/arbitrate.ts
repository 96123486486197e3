import {
  ALL_ACTIONS,
  DELETION_POLICY,
  isObserver,
  MANAGEMENT_POLICIES,
  mayDelete,
  mayWrite,
} from "../../crossplane/management-policies.ts";
import { annotationPath, EXTERNAL_NAME_KEY, labelPath, readAnnotation } from "../../crossplane/metadata.ts";
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
import { toContender } from "../../ownership/contender.ts";
import type { Candidate, KnownContenders } from "../../ownership/find-contenders.ts";
import { identify, isElsewhere, readByItself } from "../../ownership/identity.ts";
import { judgeOwnership } from "../../ownership/verdict.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

/** The settlement for a managed resource, and the labels with which others find it. */
export interface Arbitration extends Settlement {
  /** None until its references are resolved. */
  readonly labels: readonly (readonly [label: string, hash: string])[];
}

/** Finds the contenders for a subject's cloud resource and settles its owner; undefined if no other XR can declare it. */
export function arbitrate(subject: Subject, wanted: WantedTags, known: KnownContenders): Arbitration | undefined {
  const { kind, facts, observed, tagSources, reportsTags, hasManagementPolicies, cloudResource: declared } = subject;
  if (declared === undefined) return undefined;
  const { isClusterUnset, rules } = wanted;
  const own = observed && toContender(observed);
  const entrant = { subject, own, rules, id: contenderId(wanted.owner, subject.resource) };
  if (declared === "unresolved") {
    const hasMoved = own !== undefined && (own.identity !== undefined || own.isWriting);
    return { ...settle({ is: "unresolved" }, { ...entrant, contenders: undefined, hasMoved }), labels: [] };
  }
  const { identity, externalName } = identify(kind, declared);
  const read = observed && readByItself(observed, facts);
  const reportedTags = tagSources.cloud;
  const candidate = { kind, facts, declared, identity, own, observed: read, hasManagementPolicies, reportedTags };
  const found = known.find(candidate);
  const contenders = isClusterUnset || subject.isPending ? undefined : found;
  const otherCluster = findOtherCluster(subject, wanted);
  const verdict = judgeOwnership({ own, contenders, otherCluster, hasManagementPolicies, reportsTags });
  const hasMoved = isElsewhere(subject, declared, identity, read);
  const settlement = settle(verdict, { ...entrant, contenders, hasMoved });
  const foundBy = chooseLabels(candidate, settlement, hasMoved).map((label) => [label, identity] as const);
  return {
    ...settlement,
    ...(isClusterUnset && { reason: { is: "FieldNotSet" } }),
    labels: [...foundBy, [EXTERNAL_NAME_LABEL, externalName]],
  };
}

/**
 * Chooses the labels by which others find ours. All have to know one that writes or is chosen by an operator; the owner also one whose
 * provider has found the cloud resource, or that knows the name of an association. One that the owner knows stays known, so that the
 * owner leaves the cloud resource to it.
 */
function chooseLabels(
  { own, identity, hasManagementPolicies }: Candidate,
  { policies, annotations }: Settlement,
  hasMoved: boolean,
): readonly string[] {
  const mayBeWritten = mayWrite(hasManagementPolicies ? policies : ALL_ACTIONS);
  if (mayBeWritten || own?.isMarked || own?.isWriting || (own && own.takeOwnership !== ""))
    return [IDENTITY_LABEL, CONTENDS_LABEL, WRITES_LABEL];
  const hasFound = own?.identity === identity && !hasMoved && own.observation === "present";
  const isNamed = annotations[EXTERNAL_NAME_KEY] !== undefined;
  return hasFound || isNamed || own?.contends === identity ? [IDENTITY_LABEL, CONTENDS_LABEL] : [IDENTITY_LABEL];
}

/** Finds the control plane in the cloud's tags; undefined for this one, under its present name or the name that ours records. */
function findOtherCluster({ observed, tagSources }: Subject, { cluster }: WantedTags): string | undefined {
  if (cluster === undefined || observed === undefined) return undefined;
  const found = tagSources.cloud().get(CLUSTER_TAG);
  return found === cluster || found === readAnnotation(observed, CLUSTER) ? undefined : found;
}

/** The fields by which a managed resource asks for a connection Secret. */
const SECRET_FIELDS = ["writeConnectionSecretToRef", "publishConnectionDetailsTo"];

/** Leaves out the connection Secret: a provider writes it whatever the policies are. */
function withoutSecret(desired: Document): readonly ValueEdit[] {
  if (SECRET_FIELDS.every((field) => desired.at(["spec", field]) === undefined)) return [];
  const spec = desired.at(["spec"]);
  return isObject(spec) ? [{ path: ["spec"], value: pick(spec, (field) => !SECRET_FIELDS.includes(field)) }] : [];
}

const OWNER_PATH = annotationPath(OWNER);

/** Sets the identity labels, the ownership annotations and the policies on the desired resource. */
export function withOwnership(
  desired: Document,
  { hasManagementPolicies }: Subject,
  { policies, annotations, labels }: Arbitration,
  { owner, cluster, rules }: WantedTags,
): Document {
  const isReading = hasManagementPolicies && isObserver(policies);
  const edits: ValueEdit[] = isReading && rules.connectionSecret === "Owner" ? [...withoutSecret(desired)] : [];
  edits.push({ path: OWNER_PATH, value: owner });
  for (const [key, value] of labels) edits.push({ path: labelPath(key), value });
  for (const [key, value] of Object.entries({ [CLUSTER]: cluster, ...annotations })) {
    if (value !== undefined) edits.push({ path: annotationPath(key), value });
  }
  if (hasManagementPolicies) edits.push({ path: MANAGEMENT_POLICIES, value: policies });
  else if (!mayDelete(desired, policies)) edits.push({ path: DELETION_POLICY, value: "Orphan" });
  return desired.with(edits);
}
