import {
  ALL_ACTIONS,
  DELETION_POLICY,
  isObserver,
  MANAGEMENT_POLICIES,
  mayDelete,
  mayWrite,
  type Policies,
  readPolicies,
} from "../../crossplane/management-policies.ts";
import { annotationPath, EXTERNAL_NAME_KEY, labelPath, readAnnotation } from "../../crossplane/metadata.ts";
import type { Document, ValueEdit } from "../../model/document.ts";
import { isObject, pick } from "../../model/json.ts";
import {
  ACCOUNT,
  CLUSTER,
  CLUSTER_TAG,
  CONTENDS_LABEL,
  EXTERNAL_NAME_LABEL,
  IDENTITY_LABEL,
  OWNER,
  SCOPE,
  WRITES_LABEL,
} from "../../ownership/annotations.ts";
import type { Candidate } from "../../ownership/identity.ts";
import { formatAccount } from "../../ownership/known-account.ts";
import type { OwnershipVerdict } from "../../ownership/ownership-verdict.ts";
import type { Annotations } from "./move.ts";
import type { Rivals } from "./rivals.ts";
import type { Settlement } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

/** The labels and annotations by which others find ours, and know its owner. */
export interface Marks {
  readonly labels: readonly ValueEdit[];
  readonly annotations: Annotations;
}

/** Chooses the marks of a managed resource whose ownership is settled. */
export function chooseMarks(
  verdict: OwnershipVerdict,
  settlement: Settlement,
  rivals: Rivals,
  subject: Subject,
): Marks {
  const { candidate, join, otherCluster } = rivals;
  const form = chooseForm(candidate, join, verdict);
  const labels = chooseLabels(settlement, candidate, isLostTo(verdict, rivals));
  // A control plane without a name recognizes its tag in the next reconcile by this record.
  const cluster = otherCluster === undefined ? subject.tags?.cloud().get(CLUSTER_TAG) : undefined;
  const hasSettled = join.is === "alone" && join.hasSettled;
  return {
    labels: [
      ...labels.map((label) => toMark(label, form.identity)),
      toMark(EXTERNAL_NAME_LABEL, candidate.externalName),
    ],
    annotations: {
      [CLUSTER]: cluster,
      ...settlement.annotations,
      [ACCOUNT]: formatAccount(form.declared, hasSettled),
      [SCOPE]: candidate.facts.referable && [...candidate.facts.referable].join(),
    },
  };
}

const toMark = (label: string, hash: string): ValueEdit => ({ path: labelPath(label), value: hash });

/** Chooses the identity to label ours with. After a change of the account, an observer keeps the owner's until that follows. */
function chooseForm(
  { forms, declared, identity }: Candidate,
  join: Rivals["join"],
  verdict: OwnershipVerdict,
): Candidate["forms"][number] {
  const owner = verdict.is === "theirs" && join.is !== "same" ? verdict.owner.identity : undefined;
  return forms.find((form) => form.identity === owner) ?? forms.at(-1) ?? { identity, declared };
}

/**
 * Chooses the labels by which others find ours. All contenders have to know a writer, and one that an operator chose. The owner has to
 * know each, even before its provider has looked: the owner's XR may be deleted the next moment, and leaves the cloud resource only to
 * successors that it lists. Left out is one that does not find what the owner finds, such as one of another account.
 */
function chooseLabels(
  { policies, annotations }: Settlement,
  { own, hasManagementPolicies }: Candidate,
  isLost: boolean,
): readonly string[] {
  const mayBeWritten = mayWrite(hasManagementPolicies ? policies : ALL_ACTIONS);
  if (mayBeWritten || own?.isMarked || own?.isWriting || (own && own.takeOwnership !== ""))
    return [IDENTITY_LABEL, CONTENDS_LABEL, WRITES_LABEL];
  const isNamed = annotations[EXTERNAL_NAME_KEY] !== undefined;
  return isLost && !isNamed ? [IDENTITY_LABEL] : [IDENTITY_LABEL, CONTENDS_LABEL];
}

/** Tells whether our provider does not find the cloud resource that the owner's provider finds. */
const isLostTo = (verdict: OwnershipVerdict, { candidate: { own }, hasMoved }: Rivals): boolean =>
  verdict.is === "theirs" && !hasMoved && verdict.owner.observation === "present" && own?.observation === "absent";

const OWNER_PATH = annotationPath(OWNER);

/** Sets the tags, and after them, since tags may be labels, the marks and the policies. */
export function writeMarks(
  tags: readonly ValueEdit[],
  { desired, hasManagementPolicies }: Subject,
  policies: Policies,
  { labels, annotations }: Marks,
  { owner, cluster, rules }: WantedTags,
): Document {
  const isReading = hasManagementPolicies && isObserver(policies);
  const edits = [...tags];
  if (isReading && rules.connectionSecret === "Owner") edits.push(...leaveOutSecret(desired.with(tags)));
  edits.push({ path: OWNER_PATH, value: owner }, ...labels);
  for (const [key, value] of Object.entries({ ...annotations, ...(cluster !== undefined && { [CLUSTER]: cluster }) })) {
    if (value !== undefined) edits.push({ path: annotationPath(key), value });
  }
  if (hasManagementPolicies) edits.push({ path: MANAGEMENT_POLICIES, value: policies });
  else if (!mayDelete(desired, policies)) edits.push({ path: DELETION_POLICY, value: "Orphan" });
  return desired.with(edits);
}

/** The fields by which a managed resource asks for a connection Secret. */
const SECRET_FIELDS = ["writeConnectionSecretToRef", "publishConnectionDetailsTo"];

/** Leaves out the connection Secret: a provider writes it whatever the policies are. */
function leaveOutSecret(desired: Document): readonly ValueEdit[] {
  if (SECRET_FIELDS.every((field) => desired.at(["spec", field]) === undefined)) return [];
  const spec = desired.at(["spec"]);
  return isObject(spec) ? [{ path: ["spec"], value: pick(spec, (field) => !SECRET_FIELDS.includes(field)) }] : [];
}

/** Gives back the policies that an arbitration limited: after a restore without managed fields, no apply removes them. */
export function giveBack(desired: Document, observed: Document | undefined): readonly ValueEdit[] {
  if (observed === undefined || readAnnotation(observed, OWNER) === undefined) return [];
  const isLeft = readPolicies(desired) === undefined && isObserver(readPolicies(observed) ?? ALL_ACTIONS);
  return isLeft ? [{ path: MANAGEMENT_POLICIES, value: ALL_ACTIONS }] : [];
}
