import { consumerNamespace } from "../../../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import type { Copy } from "../../../input/connection.ts";
import { groupBy } from "../../../model/collections.ts";
import { brief, quote } from "../../../model/condition.ts";
import { DNS_LABEL, isName } from "../../../model/names.ts";
import type { Bindings } from "../../../records/record.ts";
import type { Call } from "../../feature.ts";
import { type Resolved, resolveString, resolveStrings, resolveTexts } from "../../value.ts";
import type { Judged, JudgedTarget, NamedCopy, Target, Targets } from "../judgement.ts";
import { MAX_TARGETS } from "../reasons.ts";
import { isSameSecret } from "../source.ts";
import { findKeyFault, nameKeys } from "./contents.ts";
import { copyName, findCopies, isReleased, type ObservedCopy } from "./observed.ts";
import { findMetadataFault } from "./secret-type.ts";

export function resolveTargets(copies: readonly Copy[], call: Call): Targets {
  const resolved = copies.map((copy) => ({
    copy,
    namespaces: findNamespaces(copy, call),
    name: resolveString(copy.secretName, call),
    keys: nameKeys(copy, call),
    type: resolveString(copy.type, call),
    labels: resolveTexts(copy.labels, call),
    annotations: resolveTexts(copy.annotations, call),
  }));
  const parts = resolved.flatMap(({ copy: _, ...values }) => Object.values(values));
  const [unset] = parts.flatMap((part) => (part.is === "unset" ? [part.field] : []));
  const [fault] = parts.flatMap((part) => (part.is === "faulty" ? [part.fault] : []));
  const all = resolved.flatMap(({ copy, namespaces, name, keys, type, labels, annotations }) => {
    if (unset !== undefined || namespaces.is === "unset" || name.is === "unset") return [];
    if (type.is === "unset" || labels.is === "unset" || annotations.is === "unset") return [];
    const metadata = { type: type.value, labels: labels.value, annotations: annotations.value };
    const named: NamedCopy = { ...copy, ...metadata, keys: keys.is === "set" ? keys.value : [] };
    return [...new Set(namespaces.value)].map((namespace): Target => ({ namespace, name: name.value, copy: named }));
  });
  const list = all.slice(0, MAX_TARGETS);
  const namespaces = [...new Set(list.map(({ namespace }) => namespace))];
  return { list, namespaces, isCutOff: all.length > list.length, unset, fault };
}

/** Finds the namespaces of a copy: those of the input, else the XR's own or its claim's. */
function findNamespaces({ namespaces }: Copy, call: Call): Resolved<readonly string[]> {
  if (namespaces !== undefined) return resolveStrings(namespaces, call);
  const own = consumerNamespace(call.composite);
  return own === undefined
    ? { is: "unset", field: "spec.claimRef.namespace of the XR, the default of namespaces," }
    : { is: "set", value: [own] };
}

/** Finds a fault in the names of keys or Secrets. They may come from the XR, so they are not checked with the input. */
export function findTargetFault(
  { fault, list }: Targets,
  source: SecretName | undefined,
  call: Call,
): string | undefined {
  const copies = new Set(list.map(({ copy }) => copy));
  const faults = [
    fault,
    ...[...copies].map((copy) => findKeyFault(copy, call) ?? findMetadataFault(copy)),
    ...list.map((target) => findSecretFault(target, source, call.composite.namespace)),
  ];
  return faults.find((each) => each !== undefined);
}

/**
 * A namespaced XR composes into its own namespace only (Crossplane overwrites another), and its Objects write connection Secrets
 * nowhere else. The manifest of an Object may name any namespace.
 */
function findSecretFault(target: Target, source: SecretName | undefined, own: string | undefined): string | undefined {
  const { namespace, name, copy } = target;
  if (!DNS_LABEL.test(namespace)) return `${quote(namespace)} is not a namespace's name`;
  if (!isName(name)) return `${quote(name)} is not a Secret's name`;
  if (source && isSameSecret(target, source)) return `Secret ${formatSecret(target)} is the source itself`;
  const isBound = copy.via === "Secret" || copy.via === "ConnectionSecret";
  return isBound && own !== undefined && own !== namespace
    ? `via: ${copy.via} cannot reach namespace ${namespace} from an XR in namespace ${own}; via: Object can`
    : undefined;
}

/** The copies by Secret, so that each Secret has one writer: two would overwrite each other for ever. */
export type Possession = ReturnType<typeof findPossession>;

export const formatMaker = (share: string): string => `shared resource ${share} of this XR`;

export function findPossession(
  shares: readonly Judged[],
  copies: readonly ObservedCopy[],
  earlier: Bindings,
  { request: { desired } }: Call,
) {
  const names = new Set(shares.map(({ shared }) => shared.name));
  // A share that was renamed still decides about the copies at its targets, if no share of an earlier step does.
  const wanted = shares.flatMap(({ shared, targets }) =>
    targets.list.map((target) => [formatSecret(target), shared.name] as const),
  );
  const heirs = new Map(wanted.reverse()); // the first in the input
  const findShare = ({ key, share, target }: ObservedCopy): string | undefined => {
    if (names.has(share) || earlier.has(share) || desired.resources.has(key)) return share;
    return target && heirs.get(formatSecret(target));
  };
  // Its own come before those that it takes over: the first binding decides.
  const ownFirst = copies.toSorted((a, b) => Number(names.has(b.share)) - Number(names.has(a.share)));
  const byShare = groupBy(ownFirst, findShare);
  // By Secret, the maker of the copy that has it; those that are composed in this call are added.
  const holders = new Map<string, string>();
  const hold = ({ target }: ObservedCopy, maker: string) => {
    if (target !== undefined && !holders.has(formatSecret(target))) holders.set(formatSecret(target), maker);
  };
  // The copy that an earlier step desires has its Secret, else an observed one of the first share in the input.
  for (const copy of findCopies(desired.resources))
    if (!names.has(copy.share)) hold(copy, `shared resource ${brief(copy.share)} of an earlier step`);
  for (const name of names)
    for (const copy of byShare.get(name) ?? []) if (!isReleased(copy)) hold(copy, formatMaker(name));
  return { byShare, bySecret: groupBy(copies, ({ target }) => target && formatSecret(target)), holders };
}

/** All that may want or hold one target Secret. */
export type Row = ReturnType<typeof gatherRows>[number];

/** Gathers the rows of a share's targets, in their order. */
export function gatherRows(share: string, targets: readonly JudgedTarget[], possession: Possession) {
  const { byShare, bySecret, holders } = possession;
  const byKey = new Map(byShare.get(share)?.map((copy) => [copy.key, copy]));
  const left = new Set(byKey.keys());
  const named = new Set<string>();
  const findHolder = (secret: string): string | undefined => {
    const holder = holders.get(secret);
    if (named.has(secret)) return formatMaker(share);
    named.add(secret);
    return holder === formatMaker(share) ? undefined : holder;
  };
  return targets.map((target) => {
    const key = copyName(share, target); // its name in the Composition
    const secret = formatSecret(target);
    const observed = byKey.get(key);
    const there = bySecret.get(secret) ?? [];
    return {
      target,
      key,
      observed,
      // The observed copies of the Secret that the share decides about, each in one row.
      copies: [...(observed ? [observed] : []), ...there].filter((copy) => left.delete(copy.key)),
      // The maker of another copy that has the Secret.
      holder: findHolder(secret),
      // True if an Object that is not released still holds the Secret.
      isHeld: there.some((copy) => !copy.isSecret && !isReleased(copy)),
    };
  });
}
