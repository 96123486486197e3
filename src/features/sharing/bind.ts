import { consumerNamespace } from "../../crossplane/composite.ts";
import { isSameResource, type Reference, resourceKey } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import type { Binding, Bindings } from "../../ownership/record.ts";
import type { Delivery } from "./copies/deliver.ts";
import { findCopied } from "./copies/observed.ts";
import { isOfKind, judgeBound } from "./copies/recorded.ts";
import type { JudgedShare } from "./copies/rows.ts";
import type { SharingReason } from "./reasons.ts";
import type { Judgement, Share, Wanted } from "./verdict.ts";

/** Finds the recorded bindings of a share to resources of its kind: a team may write others, and Crossplane would look them up. */
export const boundBefore = (shared: SharedResource, observed: Bindings): readonly Binding[] =>
  isBound(shared) ? (observed.get(shared.name) ?? []).filter(({ resource }) => isOfKind(resource, shared)) : [];

/** Tells whether a share is bound to one resource: not to this XR itself, or to a list for later steps. */
const isBound = ({ select }: SharedResource): boolean =>
  select.by === "name" || (select.by === "labels" && select.maxMatch === 1);

export const findBinding = (resource: Reference, bindings: readonly Binding[]): Binding | undefined =>
  bindings.find((binding) => isSameResource(binding.resource, resource));

/**
 * Keeps an XR bound to the resource that served it, while that grant stands, if the XR now names none or one that it may not use. The
 * XR's fields come from the first binding in its record (only copies come from the others). They are refused once that grant is
 * revoked, even if the XR names nothing now.
 */
export function withHeld(judged: Judgement, { shared, targets, before, call }: Share): Judgement {
  const { wanted } = judged;
  if (judged.is === "unknown" || (wanted?.isGranted && targets.details.length === 0)) return judged;
  const own = consumerNamespace(call.composite);
  const isHeld = ({ resource, secrets }: Binding): boolean => {
    const asking =
      own === undefined ? [...targets.namespaces, ...secrets.map(({ namespace }) => namespace), "*"] : [own];
    return judgeBound(resource, shared, asking, call) !== "ended";
  };
  const isWanted = ({ resource }: Binding): boolean =>
    wanted !== undefined && isSameResource(resource, wanted.resource);
  const granted = before.filter(({ access }) => access === "Granted");
  const others = granted.filter((binding) => !isWanted(binding));
  const held = others.filter(isHeld);
  // Connection details of the XR have no record of their own: they may be of any resource that it was bound to.
  const kept = { ...judged, held: held.map(({ resource }) => resource), hasLost: held.length < others.length };
  if (wanted?.isGranted) return kept;
  const isRevoked = wanted !== undefined && wasGranted(wanted.resource, before);
  return {
    ...kept,
    isRefused: granted[0] !== held[0] || (judged.isRefused && (isRevoked || held.length === 0)),
    reasons: isRevoked ? judged.reasons.map(asRevoked) : judged.reasons,
  };
}

const wasGranted = (wanted: Reference, before: readonly Binding[]): boolean =>
  before.some(({ resource, access }) => access !== "Requested" && isSameResource(resource, wanted));

const asRevoked = (reason: SharingReason): SharingReason =>
  reason.is === "AccessNotGranted" ? { ...reason, isRevoked: true } : reason;

/** Binds a share to the resource that the XR names, and to those whose grants stand or whose copies are kept. */
export function bind(
  { shared, targets, before, judgement: { is, wanted, held = [] } }: JudgedShare & Share,
  { made, copies: observed }: Pick<Delivery, "made" | "copies">,
): readonly Binding[] {
  if (!isBound(shared)) return [];
  const copies = groupBy(made, ({ origin }) => resourceKey(origin));
  const credentialFor = shared.connection?.secretRef.perConsumer === true ? targets.namespaces[0] : undefined;
  const toBinding = ({ resource, access }: Pick<Binding, "resource" | "access">): Binding => {
    const secrets = (copies.get(resourceKey(resource)) ?? []).flatMap(({ secret }) => secret ?? []);
    const isWanted = wanted !== undefined && isSameResource(wanted.resource, resource);
    const known = findBinding(resource, before);
    const copied = credentialFor === undefined ? undefined : (findCopied(observed, resource) ?? known?.copied);
    return { resource, access, secrets, credentialFor, copied, ticket: (isWanted ? wanted : known)?.ticket };
  };
  // The resource that the XR names replaces those that it held on to; only copies may still come from these.
  const granted = [...(wanted?.isGranted ? [] : held), ...made.map(({ origin }) => origin)];
  const all = [
    ...(wanted ? [{ resource: wanted.resource, access: accessOf(wanted, before) }] : []),
    ...(is === "unknown" ? before : []),
    ...granted.map((resource) => ({ resource, access: "Granted" as const })),
  ];
  const distinct = groupBy(all, ({ resource }) => resourceKey(resource));
  return [...distinct.values()].flatMap((same) => same.slice(0, 1).map(toBinding));
}

function accessOf({ resource, isGranted }: Wanted, before: readonly Binding[]): Binding["access"] {
  if (isGranted) return "Granted";
  return wasGranted(resource, before) ? "Revoked" : "Requested";
}
