import { consumerNamespace } from "../../crossplane/composite.ts";
import { isSameResource } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Binding } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import { judgeBound } from "./copies/recorded.ts";
import type { Targets } from "./copies/targets.ts";
import type { SharingReason } from "./reasons.ts";
import type { Judgement } from "./verdict.ts";

/**
 * Keeps an XR bound to the resource that served it, while that grant stands, if the XR now names none or one that it may not use. The
 * XR's fields come from the first binding in its record (only copies come from the others). They are refused once that grant is
 * revoked, even if the XR names nothing now.
 */
export function withHeld(
  judged: Judgement,
  shared: SharedResource,
  { namespaces, details }: Targets,
  before: readonly Binding[],
  call: Call,
): Judgement {
  const { wanted } = judged;
  if (judged.is === "unknown" || (wanted?.isGranted && details.length === 0)) return judged;
  const isWanted = ({ resource }: Binding): boolean =>
    wanted !== undefined && isSameResource(resource, wanted.resource);
  const bound = before.filter(({ access }) => access === "Granted");
  const own = consumerNamespace(call.composite);
  const held = bound.filter((binding) => {
    const asking =
      own === undefined ? [...namespaces, ...binding.secrets.map((secret) => secret.namespace), "*"] : [own];
    return !isWanted(binding) && judgeBound(binding.resource, shared, asking, call) !== "ended";
  });
  // Connection details of the XR have no record of their own: they may be of any resource that it was bound to.
  if (wanted?.isGranted) {
    const others = bound.filter((binding) => !isWanted(binding));
    return { ...judged, held: held.map(({ resource }) => resource), hasLost: held.length < others.length };
  }
  const isRevoked = before.some((binding) => isWanted(binding) && binding.access !== "Requested");
  const isEnded = bound[0] !== held[0];
  return {
    ...judged,
    held: held.map(({ resource }) => resource),
    isRefused: isEnded || (judged.isRefused && (isRevoked || held.length === 0)),
    reasons: isRevoked ? judged.reasons.map(asRevoked) : judged.reasons,
  };
}

const asRevoked = (reason: SharingReason): SharingReason =>
  reason.is === "AccessNotGranted" ? { ...reason, isRevoked: true } : reason;
