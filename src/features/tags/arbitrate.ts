import { ALL_ACTIONS } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { type Document, stringAt, type ValueEdit } from "../../model/document.ts";
import type { KnownContenders } from "../../ownership/find-contenders.ts";
import { judgeOwnership } from "../../ownership/ownership-verdict.ts";
import { chooseMarks, giveBack, writeMarks } from "./marks.ts";
import { findRivals, isUnshared } from "./rivals.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

export interface Arbitration extends Settlement {
  /** False for a cloud resource that no other XR can declare. */
  readonly isShareable: boolean;
  /** Writes the settlement and these edits of tags on the desired resource. */
  write(tags: readonly ValueEdit[]): Document;
}

/** Finds the contenders for a subject's cloud resource, and settles its owner. */
export function arbitrate(subject: Subject, usual: WantedTags, known: KnownContenders): Arbitration {
  const wanted = subject.isRenamed ? { ...usual, rules: { ...usual.rules, ...HANDING_OVER } } : usual;
  if (isUnshared(subject, known)) return owned(subject);
  const { own, hasManagementPolicies, isImported, reportsTags, cloudResource: declared } = subject;
  if (declared === undefined) return owned(subject);
  if (declared === "unresolved") return unresolved(subject, wanted);

  const rivals = findRivals(subject, declared, wanted, known);
  const { contenders, otherCluster, join } = rivals;
  const mayBeCreated = join.is === "untold" && join.isCreating;
  const situation = { own, hasManagementPolicies, isImported, reportsTags, contenders, otherCluster, mayBeCreated };
  const verdict = judgeOwnership(situation);
  const settlement = settle(verdict, subject, wanted, rivals);
  const marks = chooseMarks(verdict, settlement, rivals, subject);
  const write = (tags: readonly ValueEdit[]) => writeMarks(tags, subject, settlement.policies, marks, wanted);
  return { ...settlement, isShareable: true, write };
}

/** The rules for a resource with a new name in the Composition: its XR hands the cloud resource over to itself. */
const HANDING_OVER = { onConflict: "Observe", onRelease: "HandOver" } as const;

/** Settles a cloud resource that no other XR can declare. */
const owned = ({ tags, desired, observed }: Subject): Arbitration => ({
  reason: tags?.isPending === true ? { is: "WaitingForRequiredResources" } : { is: "Owned", others: [] },
  policies: ALL_ACTIONS,
  annotations: {},
  isShareable: false,
  write: (tagEdits) => {
    const edits = [...tagEdits, ...giveBack(desired, observed)];
    return edits.length === 0 ? desired : desired.with(edits);
  },
});

/** Settles a managed resource whose cloud resource is not known yet, because a reference is not resolved. */
function unresolved(subject: Subject, wanted: WantedTags): Arbitration {
  const { own } = subject;
  const hasMoved = own !== undefined && (own.identity !== undefined || own.isWriting || isRenamed(subject));
  const settlement = settle({ is: "unresolved" }, subject, wanted, { ...NO_RIVALS, hasMoved });
  const { policies, annotations } = settlement;
  const write = (tags: readonly ValueEdit[]) =>
    writeMarks(tags, subject, policies, { labels: [], annotations }, wanted);
  return { ...settlement, isShareable: true, write };
}

const NO_RIVALS = { contenders: undefined, join: { is: "alone", hasSettled: false, isFollowed: false } } as const;

/** Tells whether the pipeline desires another external name than the observed one. */
function isRenamed({ desired, observed }: Subject): boolean {
  const name = stringAt(desired, EXTERNAL_NAME);
  return name !== undefined && observed !== undefined && stringAt(observed, EXTERNAL_NAME) !== name;
}
