import {
  ALL_ACTIONS,
  DELETION_POLICY,
  isObserver,
  MANAGEMENT_POLICIES,
  mayDelete,
  mayWrite,
  readPolicies,
} from "../../crossplane/management-policies.ts";
import { annotationPath, EXTERNAL_NAME_KEY, labelPath, readAnnotation } from "../../crossplane/metadata.ts";
import type { Document, ValueEdit } from "../../model/document.ts";
import { isObject, pick } from "../../model/json.ts";
import { formatScope } from "../../ownership/added-scope.ts";
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
import { type Candidate, describeAs } from "../../ownership/identity.ts";
import { formatAccount } from "../../ownership/known-account.ts";
import type { OwnershipVerdict } from "../../ownership/ownership-verdict.ts";
import type { Annotations } from "./move.ts";
import type { Rivals } from "./rivals.ts";
import type { Settlement } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

/** The labels and annotations by which other XRs find our managed resource, and the owner of its cloud resource. */
export interface Marks {
  readonly labels: readonly ValueEdit[];
  readonly annotations: Annotations;
}

export function chooseMarks(
  verdict: OwnershipVerdict,
  settlement: Settlement,
  rivals: Rivals,
  subject: Subject,
): Marks {
  const { candidate, join, otherCluster } = rivals;
  const { identity, declared } = chooseForm(verdict, rivals, subject);
  const labels = chooseLabels(verdict, settlement, rivals);
  // The control plane's name is noted, so that without a name in the input this control plane recognizes its own tag later.
  const cluster = otherCluster === undefined ? subject.tags?.cloud().get(CLUSTER_TAG) : undefined;
  const hasSettled = join.is === "alone" && join.hasSettled;
  return {
    labels: [
      ...labels.map((label) => ({ path: labelPath(label), value: identity })),
      { path: labelPath(EXTERNAL_NAME_LABEL), value: candidate.externalName },
    ],
    annotations: {
      [CLUSTER]: cluster,
      ...settlement.annotations,
      [ACCOUNT]: formatAccount(declared, hasSettled),
      [SCOPE]: formatScope(declared.facts.added),
    },
  };
}

/**
 * Chooses the identity label to write. An observer takes its owner's, which may have been hashed from another account, or from other
 * `scopeFieldPaths`.
 *
 * Otherwise ours keeps its present label after a change of `scopeFieldPaths`, but not of the account, as long as another contender has the
 * same label: the XR of that contender may have another Composition, and look for this label only.
 */
function chooseForm(
  verdict: OwnershipVerdict,
  { candidate, contenders }: Rivals,
  subject: Subject,
): Candidate["forms"][number] {
  const { forms, kind, declared, own } = candidate;
  const [present, next = present] = forms;
  if (verdict.is === "theirs" && verdict.owner.identity !== undefined) {
    const { identity } = verdict.owner;
    const known = forms.find((form) => form.identity === identity);
    if (known !== undefined) return known;
    const read = describeAs(verdict.owner, kind, declared, subject);
    if (read !== undefined) return { identity, declared: read };
  }
  const isHeld = contenders?.all.some(({ uid, identity }) => uid !== own?.uid && identity === present.identity) ?? true;
  return isHeld && present.declared.account === next.declared.account ? present : next;
}

/**
 * Chooses the labels by which other XRs find our managed resource.
 *
 * - `writes`: all contenders have to know a contender that writes, or that an operator chose.
 * - `contends`: the owner has to know every contender, even before the contender's provider has looked. The owner's XR may be deleted at
 *   any time, and leaves the cloud resource only to listed successors.
 * - Neither: our provider does not find the cloud resource that the owner finds, as in another account.
 */
function chooseLabels(
  verdict: OwnershipVerdict,
  { policies, annotations }: Settlement,
  { candidate: { own, hasManagementPolicies }, hasMoved }: Rivals,
): readonly string[] {
  const mayBeWritten = mayWrite(hasManagementPolicies ? policies : ALL_ACTIONS);
  if (mayBeWritten || own?.isMarked || own?.isWriting || (own && own.takeOwnership !== ""))
    return [IDENTITY_LABEL, CONTENDS_LABEL, WRITES_LABEL];
  const isNamed = annotations[EXTERNAL_NAME_KEY] !== undefined;
  const isFoundByOwner = verdict.is === "theirs" && verdict.owner.observation === "present";
  const isLost = isFoundByOwner && own?.observation === "absent" && !hasMoved && !isNamed;
  return isLost ? [IDENTITY_LABEL] : [IDENTITY_LABEL, CONTENDS_LABEL];
}

const OWNER_PATH = annotationPath(OWNER);

/** Sets the tags, then the marks and the policies: tags may be labels, and must not replace marks. */
export function writeMarks(
  tags: readonly ValueEdit[],
  { desired, ownership }: Subject,
  { policies, labels, annotations }: Pick<Settlement, "policies"> & Marks,
  { owner, cluster, rules }: WantedTags,
): Document {
  const { hasManagementPolicies } = ownership();
  const isReading = hasManagementPolicies && isObserver(policies);
  const edits = [...tags];
  if (isReading && rules.connectionSecret === "Owner") edits.push(...leaveOutSecret(desired.with(tags)));
  edits.push({ path: OWNER_PATH, value: owner }, ...labels);
  // The name in the cloud's tags precedes the input's: after a change of the input, it is recognized until the tag is replaced.
  for (const [key, value] of Object.entries({ ...annotations, [CLUSTER]: annotations[CLUSTER] ?? cluster })) {
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

/**
 * Resets policies that an earlier arbitration limited, once no other XR can declare the cloud resource: an apply does not remove limited
 * policies if a restore has lost the managed fields.
 */
export function giveBack({ desired, observed }: Subject): readonly ValueEdit[] {
  if (observed === undefined || readAnnotation(observed, OWNER) === undefined) return [];
  const isLeft = readPolicies(desired) === undefined && isObserver(readPolicies(observed) ?? ALL_ACTIONS);
  return isLeft ? [{ path: MANAGEMENT_POLICIES, value: ALL_ACTIONS }] : [];
}
