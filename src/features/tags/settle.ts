import {
  EVERYTHING,
  mayWrite,
  OBSERVE,
  type Policies,
  policiesOf,
  withoutDelete,
} from "../../crossplane/management-policies.ts";
import type { Tags } from "../../input/tags.ts";
import type { Contender } from "../../ownership/contender.ts";
import { CONTENDERS, TAGS_OWNER } from "../../ownership/marks.ts";
import type { Verdict } from "../../ownership/verdict.ts";
import type { Standing } from "./standing.ts";
import type { Subject } from "./subject.ts";

/** How one managed resource is to look as a contender, and what is said of it. */
export interface Settlement {
  readonly standing: Standing;
  /** "leave" leaves it out of the desired state: for what was never created only. */
  readonly is: "leave" | "keep";
  /** Undefined for a kind that has none. */
  readonly policies: Policies | undefined;
  /** Set for a kind that has no policies, where deleting it must not delete the cloud resource. */
  readonly isOrphaned: boolean;
  /** Whether our tags are merged in. */
  readonly isTagged: boolean;
  /** Whose tags are repeated, where a resource that somebody else owns cannot be kept from writing. */
  readonly repeats: Contender | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether the XR can count on it. */
  readonly isSettled: boolean;
}

type OwnerRules = Tags["owner"];
type Theirs = Extract<Verdict, { is: "theirs" }>;

const OBSERVED: Omit<Settlement, "standing"> = {
  is: "keep",
  policies: OBSERVE,
  isOrphaned: false,
  isTagged: false,
  repeats: undefined,
  annotations: {},
  isSettled: true,
};

/** What is settled: our managed resource, and the cloud resource that it stands for. */
export interface Claim {
  readonly subject: Subject;
  readonly own: Contender | undefined;
  /** Ours among the contenders, as `contenderId` says. */
  readonly id: string;
  readonly identity: string;
}

/** Acts on a verdict. What is not known yet leaves everything as it is. */
export function settle(verdict: Verdict, claim: Claim, rules: OwnerRules): Settlement {
  switch (verdict.is) {
    case "pending":
      return { ...held(claim), standing: { is: "WaitingForRequiredResources" } };
    case "deleting":
      return { ...held(claim), standing: { is: "BeingDeleted" } };
    case "free":
      return { ...start(claim), standing: { is: "Arbitrating" } };
    case "ours":
      return owning(verdict.others, claim, rules);
    case "theirs":
      return losing(verdict, claim, rules);
  }
}

/** As we left it: its policies, and what we wrote on it. */
function held({ own, subject }: Claim): Omit<Settlement, "standing"> {
  if (own === undefined) return { ...OBSERVED, policies: subject.hasManagementPolicies ? OBSERVE : undefined };
  const policies = policiesOf(own.document);
  const annotations = [TAGS_OWNER, CONTENDERS].flatMap((key) => {
    const value = own.document.at(["metadata", "annotations", key]);
    return typeof value === "string" ? [[key, value]] : [];
  });
  return {
    ...OBSERVED,
    policies,
    isOrphaned: policies === undefined && !own.isDeletingWithIt,
    isTagged: mayWrite(policies ?? EVERYTHING),
    annotations: Object.fromEntries(annotations),
  };
}

/**
 * One that is new, or stood for another cloud resource, starts as an observer. One that was there before this step was goes
 * on writing, so that it loses no tag on the way, but gives up Delete until it is known who else needs the cloud resource.
 */
function start(claim: Claim): Omit<Settlement, "standing"> {
  const { own, identity } = claim;
  const before = held(claim);
  if (own?.isMarked === true && own.identity === identity) return before;
  if (own === undefined || own.identity !== undefined) {
    return { ...OBSERVED, policies: before.policies && OBSERVE, isSettled: false };
  }
  return { ...before, policies: before.policies && withoutDelete(before.policies), isOrphaned: !before.policies };
}

function owning(others: readonly Contender[], { id, subject }: Claim, { onRelease }: OwnerRules): Settlement {
  const asked = policiesOf(subject.desired) ?? EVERYTHING;
  const isLeft = others.length > 0 && onRelease === "HandOver";
  const policies = isLeft ? withoutDelete(asked) : asked;
  const names = others.map(({ name }) => name).sort();
  return {
    ...OBSERVED,
    standing: { is: "Owned" },
    policies: subject.hasManagementPolicies ? policies : undefined,
    isOrphaned: isLeft && !subject.hasManagementPolicies,
    isTagged: true,
    annotations: { [TAGS_OWNER]: id, ...(names.length > 0 && { [CONTENDERS]: names.join(",") }) },
  };
}

function losing(verdict: Theirs, { own, subject }: Claim, { onConflict }: OwnerRules): Settlement {
  if ("cluster" in verdict) {
    return { ...OBSERVED, standing: { is: "OwnedByAnotherCluster", cluster: verdict.cluster } };
  }
  const { owner, isAcknowledged, isNext } = verdict;
  const lost: Settlement = {
    ...OBSERVED,
    standing: isAcknowledged ? { is: "OwnedByAnother", owner } : { is: "WaitingForOwner", owner, isNext },
    annotations: isNext ? {} : { [TAGS_OWNER]: owner.id },
    isSettled: isAcknowledged,
  };
  if (onConflict === "Fail" && !isNext) return { ...lost, standing: { is: "Conflict", owner } };
  // What was created once is never left out: Crossplane would delete it.
  if (own === undefined && (onConflict === "Withhold" || !subject.hasManagementPolicies)) {
    return { ...lost, is: "leave", standing: { is: "Withheld", owner }, isSettled: false };
  }
  if (subject.hasManagementPolicies) return lost;
  return { ...lost, policies: undefined, isOrphaned: true, repeats: owner, standing: { is: "CannotObserve", owner } };
}
