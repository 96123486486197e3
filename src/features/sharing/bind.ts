import { claimNamespace, consumerNamespace } from "../../crossplane/composite.ts";
import { isSameResource, type Reference, resourceKey, toReference } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import type { Document } from "../../model/document.ts";
import { type Binding, type Bindings, MAX_BINDINGS } from "../../records/record.ts";
import type { Call } from "../feature.ts";
import type { Delivery } from "./copies/deliver.ts";
import { findCopied } from "./copies/observed.ts";
import { isOfKind, judgeBound } from "./copies/recorded.ts";
import { resolveTargets } from "./copies/targets.ts";
import { isWaiting, type Judged, type Judgement, type Share } from "./judgement.ts";

/** Resolves a share, without recorded bindings to other kinds: a team may write them, and Crossplane would look them up. */
export function toShare(shared: SharedResource, recorded: Bindings, call: Call): Share {
  const before = isBound(shared) ? (recorded.get(shared.name) ?? []) : [];
  return {
    shared,
    targets: resolveTargets(shared.connection?.copies ?? [], call),
    before: before.filter(({ resource }) => isOfKind(resource, shared)),
    own: consumerNamespace(call.composite),
    call,
  };
}

/** Tells whether a share is bound to one resource: not to this XR itself, or to a list for later steps. */
export const isBound = ({ select }: SharedResource): boolean =>
  select.by === "name" || (select.by === "labels" && select.maxMatch === 1);

export const findBinding = (resource: Reference, bindings: readonly Binding[]): Binding | undefined =>
  bindings.find((binding) => isSameResource(binding.resource, resource));

/** Says of the resource that the XR names now what the record is to say. */
export function toWanted(found: Document, isGranted: boolean, before: readonly Binding[]): Judgement["wanted"] {
  const resource = toReference(found);
  if (isGranted) return { resource, access: "Granted", claimNamespace: claimNamespace(found) };
  const known = findBinding(resource, before);
  const access = known === undefined || known.access === "Requested" ? "Requested" : "Revoked";
  return { resource, access, claimNamespace: known?.claimNamespace };
}

/**
 * Keeps an XR bound to the resource that served it, while that grant stands, if the XR now names none or one that it may not use. The
 * XR's fields come from the first binding in its record (only copies come from the others). They are refused once that grant is
 * revoked, even if the XR names nothing now; and where the XR names one that refuses them, unless one that it holds on to is there.
 */
export function withHeld(judged: Judgement, share: Share): Judgement {
  const { wanted } = judged;
  const { targets, before, own } = share;
  if (isWaiting(judged) || wanted?.access === "Granted") return judged;
  const toBound = (binding: Binding) => {
    const { resource, secrets } = binding;
    const asking =
      own === undefined ? [...targets.namespaces, ...secrets.map(({ namespace }) => namespace), "*"] : [own];
    return { binding, ...judgeBound(resource, asking, share) };
  };
  const granted = before.filter(({ access }) => access === "Granted");
  const others = granted.filter(({ resource }) => !wanted || !isSameResource(resource, wanted.resource));
  const held = others.map(toBound).filter(({ is }) => is !== "ended");
  const isEnded = granted[0] !== held[0]?.binding;
  const isRefused = isEnded || (judged.isRefused && (wanted?.access === "Revoked" || held.every(isGone)));
  return { ...judged, held: held.map(({ binding: { resource } }) => resource), bound: held[0]?.found, isRefused };
}

/** A team may name in its record what was never there. */
const isGone = ({ is }: ReturnType<typeof judgeBound>): boolean => is === "gone";

/** The copies of a share and its dependents, by name in the Composition, and the shared resource that each is for. */
interface Composing extends Pick<Delivery, "copies"> {
  readonly made: readonly Delivery["made"][number][];
  readonly dependents: readonly { readonly name: string; readonly origin: Reference }[];
}

/** Binds a share to the resource that the XR names, and to those whose grants stand or whose copies are kept. */
export function bind(
  { shared, targets, before, judgement: { is, wanted, held } }: Judged,
  { made, copies: observed, dependents }: Composing,
): readonly Binding[] {
  if (!isBound(shared)) return [];
  const copies = groupBy(made, ({ origin }) => resourceKey(origin));
  const depending = groupBy(dependents, ({ origin }) => resourceKey(origin));
  const credentialFor = shared.connection?.secretRef.perConsumer === true ? targets.namespaces[0] : undefined;
  const toBinding = ({ resource, access, ticket, claimNamespace }: NonNullable<typeof wanted>): Binding => {
    const secrets = (copies.get(resourceKey(resource)) ?? []).map(({ secret }) => secret);
    const copied = findCopied(observed, resource) ?? findBinding(resource, before)?.copied;
    return {
      resource,
      access,
      secrets,
      dependents: (depending.get(resourceKey(resource)) ?? []).map(({ name }) => name),
      credentialFor,
      copied: credentialFor === undefined ? undefined : copied,
      ...{ ticket, claimNamespace },
    };
  };
  // A resource that the XR names and may use has replaced those that it held on to; only copies may still come from these.
  const granted = [...(held ?? []), ...[...made, ...dependents].map(({ origin }) => origin)];
  const all = [
    ...(wanted ? [wanted] : []),
    ...(is === "unknown" ? before.filter(({ access }) => held === undefined || access !== "Granted") : []),
    ...granted.map((resource) => ({ ...findBinding(resource, before), resource, access: "Granted" as const })),
  ];
  const distinct = groupBy(all, ({ resource }) => resourceKey(resource));
  return [...distinct.values()].slice(0, MAX_BINDINGS).flatMap((same) => same.slice(0, 1).map(toBinding));
}
