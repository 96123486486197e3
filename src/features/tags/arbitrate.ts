import {
  ALL_ACTIONS,
  DELETION_POLICY,
  isObserver,
  MANAGEMENT_POLICIES,
  mayDelete,
  mayWrite,
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
  CLUSTER,
  CLUSTER_TAG,
  CONTENDERS,
  CONTENDS_LABEL,
  EXTERNAL_NAME_LABEL,
  IDENTITY_LABEL,
  OWNER,
  WRITES_LABEL,
} from "../../ownership/annotations.ts";
import type { Contender } from "../../ownership/contender.ts";
import type { KnownContenders } from "../../ownership/find-contenders.ts";
import { type Candidate, identify, isElsewhere, readByItself } from "../../ownership/identity.ts";
import { judgeOwnership, type OwnershipVerdict } from "../../ownership/verdict.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

/** The settlement for a managed resource, and what writes it on the desired resource together with its tags. */
export interface Arbitration extends Settlement {
  write(tags: readonly ValueEdit[]): Document;
}

/** Settles a cloud resource that no other XR can declare. */
const owned = ({ tags, desired }: Subject): Arbitration => ({
  reason: tags?.isPending === true ? { is: "WaitingForRequiredResources" } : { is: "Owned", others: [] },
  policies: ALL_ACTIONS,
  annotations: {},
  write: (edits) => (edits.length === 0 ? desired : desired.with(edits)),
});

/** The rules by which an XR hands a cloud resource over to itself. */
const HANDING_OVER = { onConflict: "Observe", onRelease: "HandOver" } as const;

/** Finds the contenders for a subject's cloud resource, and settles its owner. */
export function arbitrate(subject: Subject, usual: WantedTags, known: KnownContenders): Arbitration {
  const wanted = subject.isRenamed ? { ...usual, rules: { ...usual.rules, ...HANDING_OVER } } : usual;
  const { kind, facts, own, isMadeUp, tags, hasManagementPolicies, cloudResource: declared } = subject;
  if (declared === undefined) return owned(subject);
  if (declared === "unresolved") {
    const hasMoved = own !== undefined && (own.identity !== undefined || own.isWriting || isRenamed(subject));
    const settlement = settle({ is: "unresolved" }, { subject, wanted, contenders: undefined, hasMoved });
    return { ...settlement, write: (edits) => withOwnership(edits, subject, settlement, [], wanted) };
  }
  const { identity, externalName } = identify(kind, declared);
  const observed = own && readByItself(own.document, facts);
  const reportedTags = () => tags?.cloud();
  const candidate = { kind, facts, declared, identity, own, isMadeUp, observed, hasManagementPolicies, reportedTags };
  const found = known.find(candidate);
  const contenders = wanted.isClusterUnset || tags?.isPending ? undefined : found;
  const otherCluster = findOtherCluster(subject, wanted);
  const verdict = judgeOwnership({ ...subject, contenders, otherCluster });
  const hasMoved = isElsewhere(candidate) && !isFoundAnew(candidate, externalName);
  const settlement = settle(verdict, { subject, wanted, contenders, hasMoved });
  const labels = chooseLabels(candidate, settlement, isLostTo(verdict, own, hasMoved)).map((label) =>
    toMark(label, identity),
  );
  labels.push(toMark(EXTERNAL_NAME_LABEL, externalName));
  return {
    ...settlement,
    ...(wanted.isClusterUnset && { reason: { is: "FieldNotSet" } }),
    write: (edits) => withOwnership(edits, subject, settlement, labels, wanted),
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
const isFoundAnew = ({ own, isMadeUp }: Candidate, externalName: string): boolean =>
  isMadeUp &&
  own?.acknowledged.size === 0 &&
  (readLabel(own.document, EXTERNAL_NAME_LABEL) ?? externalName) === externalName;

/**
 * Chooses the labels by which others find ours. All have to know one that writes or is chosen by an operator. The owner has to know each,
 * also one whose provider has not looked yet, so that it leaves the cloud resource to it: its XR may be deleted the next moment. But it
 * does not have to know one that does not find what the owner finds, such as one of another account. As long as no other one knows what
 * the provider has created and named, ours need not be found by its own owner.
 */
function chooseLabels(
  { own, identity, isMadeUp, hasManagementPolicies }: Candidate,
  { policies, annotations }: Settlement,
  isLost: boolean,
): readonly string[] {
  const mayBeWritten = mayWrite(hasManagementPolicies ? policies : ALL_ACTIONS);
  if (mayBeWritten || own?.isMarked || own?.isWriting || (own && own.takeOwnership !== "")) {
    const isAlone = isMadeUp && annotations[CONTENDERS] === undefined && own?.contends !== identity;
    return isAlone ? [IDENTITY_LABEL, WRITES_LABEL] : [IDENTITY_LABEL, CONTENDS_LABEL, WRITES_LABEL];
  }
  const isNamed = annotations[EXTERNAL_NAME_KEY] !== undefined;
  return isLost && !isNamed ? [IDENTITY_LABEL] : [IDENTITY_LABEL, CONTENDS_LABEL];
}

/** Tells whether the provider of ours does not find the cloud resource that the owner's finds. */
const isLostTo = (verdict: OwnershipVerdict, own: Contender | undefined, hasMoved: boolean): boolean =>
  verdict.is === "theirs" && !hasMoved && verdict.owner.observation === "present" && own?.observation === "absent";

/** Finds the control plane in the cloud's tags; undefined for this one, under its present name or the name that ours records. */
function findOtherCluster({ observed, tags }: Subject, { cluster }: WantedTags): string | undefined {
  if (cluster === undefined || observed === undefined) return undefined;
  const found = tags?.cloud().get(CLUSTER_TAG);
  return found === cluster || found === readAnnotation(observed, CLUSTER) ? undefined : found;
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
  for (const [key, value] of Object.entries({ [CLUSTER]: cluster, ...annotations })) {
    if (value !== undefined) edits.push({ path: annotationPath(key), value });
  }
  if (hasManagementPolicies) edits.push({ path: MANAGEMENT_POLICIES, value: policies });
  else if (!mayDelete(desired, policies)) edits.push({ path: DELETION_POLICY, value: "Orphan" });
  return desired.with(edits);
}
