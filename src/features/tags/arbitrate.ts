import {
  ALL_ACTIONS,
  DELETION_POLICY,
  isObserver,
  MANAGEMENT_POLICIES,
  mayDelete,
  mayWrite,
  readPolicies,
} from "../../crossplane/management-policies.ts";
import {
  annotationPath,
  EXTERNAL_NAME,
  EXTERNAL_NAME_KEY,
  labelPath,
  readAnnotation,
  readLabel,
} from "../../crossplane/metadata.ts";
import { type Document, stringAt, type ValueEdit } from "../../model/document.ts";
import { isObject, pick } from "../../model/json.ts";
import {
  ACCOUNT,
  CLUSTER,
  CLUSTER_TAG,
  CONTENDS_LABEL,
  EXTERNAL_NAME_LABEL,
  IDENTITY_LABEL,
  OWNER,
  WRITES_LABEL,
} from "../../ownership/annotations.ts";
import type { Contender } from "../../ownership/contender.ts";
import { type Contenders, listClusters } from "../../ownership/contenders.ts";
import type { KnownContenders } from "../../ownership/find-contenders.ts";
import {
  type Candidate,
  type CloudResource,
  findFormer,
  formatAccount,
  identify,
  isElsewhere,
  readByItself,
} from "../../ownership/identity.ts";
import { findSame, type Join } from "../../ownership/join.ts";
import { judgeOwnership, type OwnershipVerdict } from "../../ownership/ownership-verdict.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { TagReason } from "./tags-condition.ts";
import type { WantedTags } from "./wanted.ts";

/** The settlement for a managed resource, and what writes it on the desired resource together with its tags. */
export interface Arbitration extends Settlement {
  write(tags: readonly ValueEdit[]): Document;
}

/** Settles a cloud resource that no other XR can declare. */
const owned = ({ tags, desired, observed }: Subject): Arbitration => ({
  reason: tags?.isPending === true ? { is: "WaitingForRequiredResources" } : { is: "Owned", others: [] },
  policies: ALL_ACTIONS,
  annotations: {},
  write: (tagEdits) => {
    const edits = [...tagEdits, ...giveBack(desired, observed)];
    return edits.length === 0 ? desired : desired.with(edits);
  },
});

/** Gives policies back that an arbitration has limited. A backup may have them, and after a restore without managed fields no apply removes them. */
function giveBack(desired: Document, observed: Document | undefined): readonly ValueEdit[] {
  if (observed === undefined || readAnnotation(observed, OWNER) === undefined) return [];
  const isLeft = readPolicies(desired) === undefined && isObserver(readPolicies(observed) ?? ALL_ACTIONS);
  return isLeft ? [{ path: MANAGEMENT_POLICIES, value: ALL_ACTIONS }] : [];
}

/** Settles a managed resource of which a reference hides which cloud resource it declares. */
function unresolved(subject: Subject, wanted: WantedTags): Arbitration {
  const { own } = subject;
  const hasMoved = own !== undefined && (own.identity !== undefined || own.isWriting || isRenamed(subject));
  const settlement = settle({ is: "unresolved" }, { subject, wanted, contenders: undefined, hasMoved });
  return { ...settlement, write: (edits) => withOwnership(edits, subject, settlement, [], wanted) };
}

/**
 * Tells whether no other XR declares what the provider of ours has created and named. It is not arbitrated until one does: most of what an
 * XR composes is of that kind.
 */
function isUnshared({ kind, own, isMadeUp }: Subject, declared: CloudResource, known: KnownContenders): boolean {
  const isNew = isMadeUp && own?.identity === undefined && own?.takeOwnership === "";
  return isNew && !known.hasNamesakes(kind, declared);
}

/** The rules by which an XR hands a cloud resource over to itself. */
const HANDING_OVER = { onConflict: "Observe", onRelease: "HandOver" } as const;

/** Finds the contenders for a subject's cloud resource, and settles its owner. */
export function arbitrate(subject: Subject, usual: WantedTags, known: KnownContenders): Arbitration {
  const wanted = subject.isRenamed ? { ...usual, rules: { ...usual.rules, ...HANDING_OVER } } : usual;
  const { own, tags, cloudResource: declared } = subject;
  if (declared === undefined) return owned(subject);
  if (declared === "unresolved") return unresolved(subject, wanted);
  if (isUnshared(subject, declared, known)) return owned(subject);
  const alone = toCandidate(subject, declared);
  const join = findSame(alone, known, subject.cloud);
  const candidate = join.is === "same" ? toCandidate(subject, join.declared) : alone;
  const found = join.is === "pending" ? undefined : known.find(candidate, join.is === "same");
  const contenders = wanted.isUnset || tags?.isPending ? undefined : found;
  const otherCluster = findOtherCluster(subject, wanted, contenders);
  const judged = judgeOwnership({ ...subject, contenders, otherCluster });
  const verdict = judged.is === "ours" && isWaiting(join) ? WAITING : judged;
  const hasMoved = isElsewhere(candidate) && !isFoundAnew(candidate);
  const settlement = settle(verdict, { subject, wanted, contenders, hasMoved });
  const reason = explain(settlement.reason, join, wanted);
  const form = chooseForm(candidate, join, verdict);
  // Without a name of its own, this control plane records the one that is its: the next reconcile has nothing else to tell by.
  const cluster = otherCluster === undefined ? tags?.cloud().get(CLUSTER_TAG) : undefined;
  const account = formatAccount(form.declared, isSettled(join));
  const annotations = { [CLUSTER]: cluster, ...settlement.annotations, [ACCOUNT]: account };
  const settled = { ...settlement, reason, annotations };
  const labels = chooseLabels(candidate, settlement, isLostTo(verdict, own, hasMoved)).map((label) =>
    toMark(label, form.identity),
  );
  labels.push(toMark(EXTERNAL_NAME_LABEL, candidate.externalName));
  return { ...settled, write: (edits) => withOwnership(edits, subject, settled, labels, wanted) };
}

/** Tells whether ours has found its cloud resource, and no other one of it. */
const isSettled = (join: Join): boolean => join.is === "alone" && join.hasFound;

const isWaiting = (join: Join): boolean => join.is === "untold" && join.isCreating;

/** The verdict on one that has found what another one may be about to create. */
const WAITING: OwnershipVerdict = { is: "unobserved" };

function toCandidate(subject: Subject, declared: CloudResource): Candidate {
  const { kind, facts, own, isMadeUp, tags, desired, namespace, hasManagementPolicies } = subject;
  const { identity: next, externalName } = identify(kind, declared);
  const isOther = own?.identity !== undefined && own.identity !== next;
  const former = isOther ? findFormer(own, kind, declared) : undefined;
  const identity = (former && own?.identity) ?? next;
  return {
    ...{ kind, facts, desired, namespace, own, isMadeUp, declared, externalName, identity, hasManagementPolicies },
    forms: [...(former ? [{ identity, declared: former }] : []), { identity: next, declared }],
    observed: own && readByItself(own.document, facts),
    reportedTags: () => tags?.cloud(),
  };
}

/** Tells whether the external name that is desired is another one than the observed one. */
function isRenamed({ desired, observed }: Subject): boolean {
  const name = stringAt(desired, EXTERNAL_NAME);
  return name !== undefined && observed !== undefined && stringAt(observed, EXTERNAL_NAME) !== name;
}

/**
 * Tells whether ours declares what its provider created and named, by another ProviderConfig than before: the name is the cloud's, so it
 * is that of no other one.
 */
const isFoundAnew = ({ own, isMadeUp, externalName }: Candidate): boolean =>
  isMadeUp &&
  own?.acknowledged.size === 0 &&
  (readLabel(own.document, EXTERNAL_NAME_LABEL) ?? externalName) === externalName;

function explain(reason: TagReason, join: Join, { isUnset }: WantedTags): TagReason {
  if (isUnset) return { is: "FieldNotSet" };
  const isTold = join.is !== "untold" || reason.is === "WaitingForRequiredResources";
  return isTold ? reason : { is: "AccountUnknown", owner: join.other, isCreating: join.isCreating };
}

/**
 * Chooses the identity that ours is to have. Where the account is told otherwise than before, one that another owns keeps the owner's,
 * until that has followed.
 */
function chooseForm(
  { forms, declared, identity }: Candidate,
  join: Join,
  verdict: OwnershipVerdict,
): Candidate["forms"][number] {
  const owner = verdict.is === "theirs" && join.is !== "same" ? verdict.owner.identity : undefined;
  return forms.find((form) => form.identity === owner) ?? forms.at(-1) ?? { identity, declared };
}

/**
 * Chooses the labels by which others find ours. All have to know one that writes or is chosen by an operator. The owner has to know each,
 * also one whose provider has not looked yet, so that it leaves the cloud resource to it: its XR may be deleted the next moment. But it
 * does not have to know one that does not find what the owner finds, such as one of another account.
 */
function chooseLabels(
  { own, hasManagementPolicies }: Candidate,
  { policies, annotations }: Settlement,
  isLost: boolean,
): readonly string[] {
  const mayBeWritten = mayWrite(hasManagementPolicies ? policies : ALL_ACTIONS);
  if (mayBeWritten || own?.isMarked || own?.isWriting || (own && own.takeOwnership !== ""))
    return [IDENTITY_LABEL, CONTENDS_LABEL, WRITES_LABEL];
  const isNamed = annotations[EXTERNAL_NAME_KEY] !== undefined;
  return isLost && !isNamed ? [IDENTITY_LABEL] : [IDENTITY_LABEL, CONTENDS_LABEL];
}

/** Tells whether the provider of ours does not find the cloud resource that the owner's finds. */
const isLostTo = (verdict: OwnershipVerdict, own: Contender | undefined, hasMoved: boolean): boolean =>
  verdict.is === "theirs" && !hasMoved && verdict.owner.observation === "present" && own?.observation === "absent";

/**
 * Finds the control plane in the cloud's tags; undefined for this one: under its present name, a name that ours records, or without a
 * name one that an earlier step, `add` or another contender writes.
 */
function findOtherCluster({ observed, tags }: Subject, wanted: WantedTags, all: Contenders = []): string | undefined {
  const found = tags?.cloud().get(CLUSTER_TAG);
  if (
    observed === undefined ||
    found === undefined ||
    found === wanted.cluster ||
    found === readAnnotation(observed, CLUSTER)
  )
    return undefined;
  if (wanted.cluster !== undefined) return found;
  const isAdded = wanted.add.some(({ key, value }) => key === CLUSTER_TAG && value === found);
  return isAdded || tags?.desired.get(CLUSTER_TAG) === found || listClusters(all).has(found) ? undefined : found;
}

/** The fields by which a managed resource asks for a connection Secret. */
const SECRET_FIELDS = ["writeConnectionSecretToRef", "publishConnectionDetailsTo"];

/** Leaves out the connection Secret: a provider writes it whatever the policies are. */
function leaveOutSecret(desired: Document): readonly ValueEdit[] {
  if (SECRET_FIELDS.every((field) => desired.at(["spec", field]) === undefined)) return [];
  const spec = desired.at(["spec"]);
  return isObject(spec) ? [{ path: ["spec"], value: pick(spec, (field) => !SECRET_FIELDS.includes(field)) }] : [];
}

const toMark = (label: string, hash: string): ValueEdit => ({ path: labelPath(label), value: hash });

const OWNER_PATH = annotationPath(OWNER);

/** Sets the tags, and after them, since tags may be labels, the identity labels, the ownership annotations and the policies. */
function withOwnership(
  tags: readonly ValueEdit[],
  { desired, hasManagementPolicies }: Subject,
  { policies, annotations }: Settlement,
  labels: readonly ValueEdit[],
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
