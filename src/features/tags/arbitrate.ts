import { ALL_ACTIONS } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { stringAt } from "../../model/document.ts";
import type { KnownContenders } from "../../ownership/find-contenders.ts";
import { NOT_LOOKED } from "../../ownership/join.ts";
import { judgeOwnership } from "../../ownership/ownership-verdict.ts";
import { chooseMarks, type Marks } from "./marks.ts";
import { findRivals, isUnshared } from "./rivals.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { WantedTags } from "./wanted.ts";

export interface Arbitration extends Settlement, Marks {
  /** False for a cloud resource that no other XR can declare. */
  readonly isShareable: boolean;
}

/** Finds the contenders for a subject's cloud resource, and settles who owns it. */
export function arbitrate(subject: Subject, usual: WantedTags, known: KnownContenders): Arbitration {
  const declared = isUnshared(subject, known) ? undefined : subject.ownership().cloudResource;
  if (declared === undefined) return subject.tags?.isPending ? { ...UNSHARED, reason: PENDING } : UNSHARED;
  const wanted = subject.isRenamed ? { ...usual, rules: { ...usual.rules, ...HANDING_OVER } } : usual;
  if (declared === "unresolved") {
    const rivals = { contenders: undefined, join: NOT_LOOKED, lost: [], hasMoved: mayHaveMoved(subject) };
    const settlement = settle({ is: declared }, subject, wanted, rivals);
    return { ...settlement, labels: [], isShareable: true };
  }
  const { own, hasManagementPolicies } = subject.ownership();
  const { isImported, reportsTags } = subject;
  const rivals = findRivals(subject, declared, wanted, known);
  const { contenders, otherCluster, join } = rivals;
  const mayBeCreatedByAnother = join.is === "untold" && join.isCreating;
  const ours = { own, hasManagementPolicies, isImported, reportsTags };
  const verdict = judgeOwnership({ ...ours, contenders, otherCluster, mayBeCreatedByAnother });
  const settlement = settle(verdict, subject, wanted, rivals);
  return { ...settlement, ...chooseMarks(verdict, settlement, rivals, subject), isShareable: true };
}

/** The rules while a new name in the Composition takes over from the old one: the XR hands the cloud resource over to itself. */
const HANDING_OVER = { onConflict: "Observe", onRelease: "HandOver" } as const;

const PENDING = { is: "WaitingForRequiredResources" } as const;

const UNSHARED: Arbitration = {
  reason: { is: "Owned", others: [] },
  policies: ALL_ACTIONS,
  labels: [],
  annotations: {},
  isShareable: false,
};

/** Tells whether ours, whose cloud resource a reference hides, may have declared another cloud resource before. */
function mayHaveMoved({ ownership, desired }: Subject): boolean {
  const { own } = ownership();
  if (own === undefined) return false;
  const name = stringAt(desired, EXTERNAL_NAME);
  const hasNewExternalName = name !== undefined && name !== stringAt(own.document, EXTERNAL_NAME);
  return own.identity !== undefined || own.isWriting || hasNewExternalName;
}
