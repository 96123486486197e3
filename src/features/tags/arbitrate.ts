import { readAnnotation } from "../../crossplane/metadata.ts";
import type { Tags } from "../../input/tags.ts";
import { toContender } from "../../ownership/contender.ts";
import { findContenders, type KnownContenders } from "../../ownership/find-contenders.ts";
import { type Identity, identify, isElsewhere } from "../../ownership/identity.ts";
import { CLUSTER, CLUSTER_TAG, contenderId } from "../../ownership/marks.ts";
import { judgeOwnership } from "../../ownership/verdict.ts";
import { type Settlement, settle } from "./settle.ts";
import type { Subject } from "./subject.ts";
import type { Wanted } from "./wanted.ts";

/** The identity of a resource's cloud resource, and what becomes of the resource. */
export interface Arbitration extends Identity {
  readonly settlement: Settlement;
}

/** Finds out who else stands for a subject's cloud resource, and settles who owns it; undefined where nobody else can name it. */
export function arbitrate(
  subject: Subject,
  wanted: Wanted,
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

/** The control plane that the cloud's tags name, unless our managed resource says that this one was called so when it wrote them. */
function findOtherCluster({ observed, reportedTags }: Subject, { cluster }: Wanted): string | undefined {
  if (cluster === undefined || observed === undefined) return undefined;
  const found = reportedTags()?.get(CLUSTER_TAG);
  return found === cluster || found === readAnnotation(observed, CLUSTER) ? undefined : found;
}
