import { consumerNamespace } from "../../crossplane/composite.ts";
import { isSameResource, type Reference, resourceKey } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import { type Draft, withResource } from "../../model/draft.ts";
import { type Binding, type Bindings, composeRecord, RECORD_NAME, readBindings } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import type { Delivery } from "./copies/deliver.ts";
import { findCopied } from "./copies/observed.ts";
import { isOfKind, judgeBound } from "./copies/recorded.ts";
import type { JudgedShare } from "./copies/rows.ts";
import type { Targets } from "./copies/targets.ts";
import type { SharingReason } from "./reasons.ts";
import type { Judgement } from "./verdict.ts";

/** The bindings in the XR's record, as it is observed, and as earlier steps of this function desire it. */
export interface Recorded {
  readonly observed: Bindings;
  readonly desired: Bindings;
}

export const readRecord = ({ request: { observed, desired } }: Call): Recorded => ({
  observed: readBindings(observed.resources.get(RECORD_NAME)?.document),
  desired: readBindings(desired.resources.get(RECORD_NAME)?.document),
});

/** Finds the recorded bindings of a share to resources of its kind: a team may write others, and Crossplane would look them up. */
export const boundBefore = (shared: SharedResource, { observed }: Recorded): readonly Binding[] =>
  isBound(shared) ? (observed.get(shared.name) ?? []).filter(({ resource }) => isOfKind(resource, shared)) : [];

/** Tells whether a share is bound to one resource: not to this XR itself, or to a list for later steps. */
const isBound = ({ select }: SharedResource): boolean =>
  select.by === "name" || (select.by === "labels" && select.maxMatch === 1);

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

/** Binds a share to the resource that the XR names, and to those whose grants stand or whose copies are kept. */
export function bind(
  { shared, targets, judgement: { is, wanted, held = [] } }: JudgedShare,
  { made, copies: observed }: Pick<Delivery, "made" | "copies">,
  before: readonly Binding[],
): readonly Binding[] {
  if (!isBound(shared)) return [];
  const copies = groupBy(made, ({ origin }) => resourceKey(origin));
  const credentialFor = shared.connection?.secretRef.perConsumer === true ? targets.namespaces[0] : undefined;
  const toBinding = (resource: Reference, access: Binding["access"]): Binding => {
    const secrets = (copies.get(resourceKey(resource)) ?? []).flatMap(({ secret }) => secret ?? []);
    const isWanted = wanted !== undefined && isSameResource(wanted.resource, resource);
    const known = before.find((binding) => isSameResource(binding.resource, resource));
    const copied = credentialFor === undefined ? undefined : (findCopied(observed, resource) ?? known?.copied);
    return { resource, access, secrets, credentialFor, copied, ticket: (isWanted ? wanted : known)?.ticket };
  };
  // The resource that the XR names replaces those that it held on to; only copies may still come from these.
  const granted = [...(wanted?.isGranted ? [] : held), ...made.map(({ origin }) => origin)];
  const kept = is === "unknown" ? before : [];
  const others = [...kept, ...granted.map((resource) => ({ resource, access: "Granted" as const }))];
  const first = wanted === undefined ? [] : [toBinding(wanted.resource, accessOf(wanted, before))];
  const seen = new Set(first.map(({ resource }) => resourceKey(resource)));
  const rest = others.filter(({ resource }) => !seen.has(resourceKey(resource)) && seen.add(resourceKey(resource)));
  return [...first, ...rest.map(({ resource, access }) => toBinding(resource, access))];
}

function accessOf({ resource, isGranted }: NonNullable<Judgement["wanted"]>, before: readonly Binding[]) {
  if (isGranted) return "Granted";
  const known = before.find((binding) => isSameResource(binding.resource, resource));
  return known === undefined || known.access === "Requested" ? "Requested" : "Revoked";
}

/** Records the bindings of this step beside those of earlier steps. A share with copies is in it in any case: it decides about them. */
export function withRecord(draft: Draft, own: Bindings, { desired }: Recorded, { composite }: Call): Draft {
  const bindings = new Map([...desired, ...own]);
  if (bindings.size === 0) return draft;
  return withResource(draft, RECORD_NAME, { is: "set", object: composeRecord(composite, bindings), ready: "True" });
}
