import { DELETION_POLICY, MANAGEMENT_POLICIES } from "../../crossplane/management-policies.ts";
import { annotationPath, labelPath, readAnnotation } from "../../crossplane/metadata.ts";
import type { Tags } from "../../input/tags.ts";
import { type Document, TOO_DEEP, type ValueEdit } from "../../model/document.ts";
import { isObject, pick } from "../../model/json.ts";
import {
  CLUSTER,
  CLUSTER_TAG,
  CONTENDERS,
  CREATED_BEFORE,
  contenderId,
  ORIGIN,
  OWNER,
  TAGS_OWNER,
} from "../../ownership/annotations.ts";
import { toContender } from "../../ownership/contender.ts";
import { findContenders, type KnownContenders } from "../../ownership/contenders.ts";
import { EXTERNAL_NAME_LABEL, IDENTITY_LABEL, type Identity, identify, isElsewhere } from "../../ownership/identity.ts";
import { judgeOwnership } from "../../ownership/verdict.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

/** The identity of a cloud resource, and the settlement for the managed resource that declares it. */
export interface Arbitration extends Identity {
  readonly settlement: Settlement;
}

/** Finds the contenders for a subject's cloud resource and settles its owner; undefined if no other XR can declare it. */
export function arbitrate(
  subject: Subject,
  wanted: WantedTags,
  rules: Tags["owner"],
  known: KnownContenders,
  owner: string,
): Arbitration | undefined {
  const identified = identify(subject);
  if (identified === undefined) return undefined;
  const { identity, externalName } = identified;

  const { kind, observed, reportedTags, reportsTags, hasManagementPolicies, resource } = subject;
  const own = observed && toContender(observed);
  const found = findContenders({ kind, own, reportedTags }, identified, known);
  const contenders = wanted.isClusterUnset || subject.isPending ? undefined : found;
  const otherCluster = findOtherCluster(subject, wanted);
  const verdict = judgeOwnership({ own, contenders, otherCluster, hasManagementPolicies, reportsTags });
  const id = contenderId(owner, resource);
  const hasMoved = own !== undefined && (own.identity === undefined ? isElsewhere(subject) : own.identity !== identity);
  const settlement = settle(verdict, { subject, own, id, identity, hasMoved }, rules);
  return {
    identity,
    externalName,
    settlement: wanted.isClusterUnset ? { ...settlement, reason: { is: "FieldNotSet" } } : settlement,
  };
}

/** Finds the control plane in the cloud's tags; undefined for this one, under its present name or the name that ours records. */
function findOtherCluster({ observed, reportedTags }: Subject, { cluster }: WantedTags): string | undefined {
  if (cluster === undefined || observed === undefined) return undefined;
  const found = reportedTags()?.get(CLUSTER_TAG);
  return found === cluster || found === readAnnotation(observed, CLUSTER) ? undefined : found;
}

const IDENTITY_PATH = labelPath(IDENTITY_LABEL);

const EXTERNAL_NAME_PATH = labelPath(EXTERNAL_NAME_LABEL);

const OWNER_PATH = annotationPath(OWNER);

const CLUSTER_PATH = annotationPath(CLUSTER);

/** The XR or claim, and its control plane. */
interface Owner {
  readonly owner: string;
  readonly cluster: string | undefined;
}

const ANNOTATIONS = ["metadata", "annotations"];

const MARKS = [CLUSTER, TAGS_OWNER, CONTENDERS, ORIGIN, CREATED_BEFORE];

const MARK_PATHS = MARKS.map(annotationPath);

/** Removes ownership annotations that an earlier step desires: a Composition may copy them from an XR, which a team writes. */
function withoutMarks(desired: Document): readonly ValueEdit[] {
  if (MARK_PATHS.every((path) => desired.at(path, TOO_DEEP) === undefined)) return [];
  const annotations = desired.at(ANNOTATIONS);
  return isObject(annotations) ? [{ path: ANNOTATIONS, value: pick(annotations, (key) => !MARKS.includes(key)) }] : [];
}

/** Sets the identity labels, the ownership annotations and the policies on the desired resource. */
export function withOwnership(
  desired: Document,
  { identity, externalName, settlement: { policies, isOrphaned, annotations } }: Arbitration,
  { owner, cluster }: Owner,
): Document {
  const edits: ValueEdit[] = [
    ...withoutMarks(desired),
    { path: IDENTITY_PATH, value: identity },
    { path: EXTERNAL_NAME_PATH, value: externalName },
    { path: OWNER_PATH, value: owner },
  ];
  if (cluster !== undefined) edits.push({ path: CLUSTER_PATH, value: cluster });
  for (const [key, value] of annotations) edits.push({ path: annotationPath(key), value });
  if (policies !== undefined) edits.push({ path: MANAGEMENT_POLICIES, value: policies });
  if (isOrphaned) edits.push({ path: DELETION_POLICY, value: "Orphan" });
  return desired.with(edits);
}
