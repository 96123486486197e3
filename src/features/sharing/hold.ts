import { claimNamespace } from "../../crossplane/composite.ts";
import { isSameResource, toReference } from "../../crossplane/references.ts";
import type { Document } from "../../model/document.ts";
import { type Binding, findBinding } from "../../records/record.ts";
import { type Fields, isWaiting, type Judgement, type Named, type Share } from "./judgement.ts";
import { type Bound, judgeBound } from "./recorded.ts";

/** Decides the access that the record notes for the resource that the XR names now. */
export function toNamed(found: Document, isGranted: boolean, before: readonly Binding[]): Named {
  const resource = toReference(found);
  if (isGranted) return { resource, access: "Granted", claimNamespace: claimNamespace(found) };
  const known = findBinding(resource, before);
  const access = known === undefined || known.access === "Requested" ? "Requested" : "Revoked";
  return { resource, access, claimNamespace: known?.claimNamespace };
}

/**
 * Keeps an XR bound to the resources that served it while their grants stand, if the XR now names none or one that it may not use.
 * While an answer is missing, all bindings stay. A named resource that grants access takes the place of all others.
 */
export function hold(judged: Judgement, share: Share): Judgement {
  const { copies, named } = judged;
  const { before } = share;
  if (isWaiting(judged)) return { ...judged, stay: before };
  if (named?.access === "Granted") return judged;
  const granted = before.filter(({ access }) => access === "Granted");
  const others = granted.filter(({ resource }) => !named || !isSameResource(resource, named.resource));
  const held = others.map((binding) => toHeld(binding, share)).filter(({ bound }) => bound.is !== "ended");
  const requests = copies.is === "unknown" ? before.filter(({ access }) => access !== "Granted") : [];
  const stay = [...requests, ...held.map(({ binding }) => binding)];
  return { ...judged, fields: holdFields(judged, granted[0], held), stay };
}

/** A binding whose grant stands, or is not known, and its resource. */
interface Held {
  readonly binding: Binding;
  readonly bound: Bound;
}

function toHeld(binding: Binding, share: Share): Held {
  const copied = binding.secrets.map(({ namespace }) => namespace);
  const asking = share.own === undefined ? [...share.targets.namespaces, ...copied, "*"] : [share.own];
  return { binding, bound: judgeBound(binding.resource, asking, share) };
}

/**
 * Decides the access to fields. The XR's fields come from the first granted binding of its record; only copies come from the others.
 * They are refused once that grant has ended, even if the XR names nothing now. A refusal by the resource that the XR names now
 * counts unless it holds on to another: a team may record what never existed.
 */
function holdFields({ fields, named }: Judgement, first: Binding | undefined, held: readonly Held[]): Fields {
  const hasEnded = first !== held[0]?.binding;
  if (hasEnded) return { is: "refused", resources: [] };
  const hasNoOther = held.every(({ bound }) => bound.is === "gone");
  const isFinal = fields.is === "served" || (fields.is === "refused" && (named?.access === "Revoked" || hasNoOther));
  return isFinal ? fields : { is: "held", bound: held[0]?.bound.found };
}
