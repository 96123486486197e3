import type { Tags } from "../../input/tags.ts";
import { stringAt } from "../../model/document.ts";
import { toContender } from "../../ownership/contender.ts";
import { identityOf } from "../../ownership/identity.ts";
import { CLUSTER, CLUSTER_TAG, contenderId } from "../../ownership/marks.ts";
import { ownerOf } from "../../ownership/owner.ts";
import { judge } from "../../ownership/verdict.ts";
import type { Call } from "../feature.ts";
import { reported } from "./desire.ts";
import { findContenders, type Requirement } from "./find.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import { toTagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

/** What came of asking who else stands for a resource's cloud resource. */
export interface Arbitration {
  readonly identity: string;
  readonly requirements: readonly Requirement[];
  readonly settlement: Settlement;
}

/** Undefined for a resource that nobody else can name: it is its XR's alone. */
export function arbitrate(subject: Subject, wanted: Wanted, rules: Tags["owner"], call: Call): Arbitration | undefined {
  const identity = identityOf(subject);
  if (identity === undefined) return undefined;
  const own = subject.observed && toContender(subject.observed);
  const found = findContenders(subject, own, identity, call);
  const isKnown = !wanted.isClusterUnset && !subject.isPending;
  const verdict = judge({
    own,
    contenders: isKnown ? found.contenders : undefined,
    otherCluster: otherClusterOf(subject, wanted),
    hasManagementPolicies: subject.hasManagementPolicies,
  });
  const id = contenderId(ownerOf(call.composite), subject.resource);
  const settlement = settle(verdict, { subject, own, id, identity }, rules);
  return {
    identity,
    requirements: found.requirements,
    settlement: wanted.isClusterUnset ? { ...settlement, standing: { is: "FieldNotSet" } } : settlement,
  };
}

/** A control plane that was renamed is still the same one: its managed resources say what it was called when they wrote. */
function otherClusterOf({ observed, fieldPath }: Subject, { cluster }: Wanted): string | undefined {
  if (cluster === undefined || observed === undefined) return undefined;
  const found = toTagMap(observed.at(reported(fieldPath)))?.get(CLUSTER_TAG);
  return found === cluster || found === stringAt(observed, ["metadata", "annotations", CLUSTER]) ? undefined : found;
}
