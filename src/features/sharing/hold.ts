import { isSameResource } from "../../crossplane/references.ts";
import type { Judgement, Share } from "./judgement.ts";
import { isWaiting } from "./judgement.ts";
import { judgeBound } from "./recorded.ts";

/**
 * Keeps an XR bound to the resources that served it while their grants stand, if the XR now names none or one without a
 * grant. While an answer is missing, all bindings stay. A named resource that grants access takes the place of all
 * others.
 *
 * The XR's fields come from the first granted binding of its record; only copies come from the others. They are
 *
 * - refused once that grant has ended, even if the XR names nothing now;
 * - refused by the resource that the XR names now, if that served it before or no other one exists: a team may record
 *   what never existed;
 * - else held.
 */
export function hold(judged: Judgement, share: Share): Judgement {
  const { copies, fields, named } = judged;
  const { before } = share;
  if (isWaiting(judged)) return { ...judged, stay: before };
  if (named?.access === "Granted" || fields.is === "served") return judged;
  const granted = before.filter(({ access }) => access === "Granted");
  const others = granted.filter(({ resource }) => !named || !isSameResource(resource, named.resource));
  const held = others
    .map((binding) => ({ binding, bound: judgeBound(binding.resource, binding.secrets, share) }))
    .filter(({ bound }) => bound.is !== "ended");
  const requests = copies.is === "unknown" ? before.filter(({ access }) => access !== "Granted") : [];
  const stay = [...requests, ...held.map(({ binding }) => binding)];

  const [first] = held;
  if (first?.binding !== granted[0]) return { ...judged, fields: { is: "refused", resources: [] }, stay };
  const isRefused =
    fields.is === "refused" && (named?.access === "Revoked" || held.every(({ bound }) => bound.is === "gone"));
  return { ...judged, fields: isRefused ? fields : { is: "held", bound: first?.bound.found }, stay };
}
