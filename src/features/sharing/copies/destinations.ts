import { consumerNamespace } from "../../../crossplane/composite.ts";
import { CONNECTION_SECRET_REF, type SecretName } from "../../../crossplane/copies.ts";
import { isBeingDeleted } from "../../../crossplane/metadata.ts";
import { toReference } from "../../../crossplane/references.ts";
import type { Connection, Copy } from "../../../input/connection.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { quote } from "../../../model/condition.ts";
import { stringAt } from "../../../model/document.ts";
import { DNS_LABEL, isName, SECRET_KEY } from "../../../model/names.ts";
import type { Call } from "../../feature.ts";
import { type Resolved, resolveString, resolveStrings } from "../../value.ts";
import type { KnownAccess } from "../grant.ts";
import { judgeNamespace } from "../namespaces.ts";
import { formatSecret, isSameSecret, readSecret } from "../source.ts";
import {
  type Accessible,
  type Destination,
  type JudgedDestination,
  type Judgement,
  type NamedCopy,
  type NamedKey,
  type SharingReason,
  without,
} from "../verdict.ts";
import { estimateSize, isNeeded } from "./contents.ts";

/** The most copies of one shared resource, so that one call stays fast. */
export const MAX_DESTINATIONS = 1000;

export interface Destinations {
  readonly destinations: readonly Destination[];
  /** True if there are more than MAX_DESTINATIONS. How many more is not counted: a tenant may name a hundred thousand. */
  readonly isCutOff: boolean;
}

/** Finds where the copies go, each once, or the field that has to be set first. */
export function findDestinations(copies: readonly Copy[], call: Call): Resolved<Destinations> {
  const destinations: Destination[] = [];
  let isCutOff = false;
  for (const copy of copies) {
    const namespaces = findNamespaces(copy, call);
    if (namespaces.is === "unset") return namespaces;
    const name = findName(copy, call);
    if (name.is === "unset") return name;
    const keys = nameKeys(copy.keys, call);
    if (keys.is === "unset") return keys;
    const named: NamedCopy = { ...copy, keys: keys.value };
    const distinct = takeDistinct(namespaces.value, MAX_DESTINATIONS - destinations.length);
    for (const namespace of distinct.taken) destinations.push({ namespace, name: name.value, copy: named });
    isCutOff ||= distinct.isCutOff;
  }
  return { is: "set", value: { destinations, isCutOff } };
}

/** Takes the first few different texts, in their order. */
function takeDistinct(texts: readonly string[], most: number): { taken: ReadonlySet<string>; isCutOff: boolean } {
  const taken = new Set<string>();
  for (const text of texts) {
    if (taken.size === most && !taken.has(text)) return { taken, isCutOff: true };
    taken.add(text);
  }
  return { taken, isCutOff: false };
}

/** Finds the namespaces of a copy: those of the input, else the XR's own or its claim's. */
function findNamespaces({ namespaces, via }: Copy, call: Call): Resolved<readonly string[]> {
  if (namespaces !== undefined) return resolveStrings(namespaces, call);
  const own = consumerNamespace(call.composite);
  if (own !== undefined) return { is: "set", value: [own] };
  const published = stringAt(call.composite.document, [...CONNECTION_SECRET_REF, "namespace"]);
  if (via === "CompositeConnectionDetails" && published !== undefined) return { is: "set", value: [published] };
  return { is: "unset", field: "spec.claimRef.namespace of the XR, the default of namespaces," };
}

/** Finds the Secret's name; connection details have that of the Secret that Crossplane writes for the XR. */
function findName({ secretName }: Copy, call: Call): Resolved<string> {
  if (secretName !== undefined) return resolveString(secretName, call);
  const name = stringAt(call.composite.document, [...CONNECTION_SECRET_REF, "name"]);
  return { is: "set", value: name ?? call.composite.claim?.name ?? call.composite.name };
}

/** Names the keys of a copy, or the field that has to be set first. */
export function nameKeys(keys: Copy["keys"], call: Call): Resolved<NamedCopy["keys"]> {
  if (keys === undefined) return { is: "set", value: undefined };
  const named: NamedKey[] = [];
  for (const key of keys) {
    const to = resolveString(key.to, call);
    if (to.is === "unset") return to;
    named.push({ ...key, to: to.value });
  }
  return { is: "set", value: named };
}

/** Finds what is wrong with the names of a copy's keys: those of the XR are not checked with the input. */
function findKeyFault({ keys = [] }: NamedCopy): string | undefined {
  const seen = new Set<string>();
  for (const { to } of keys) {
    if (!SECRET_KEY.test(to)) return `${quote(to)} is not a Secret's key`;
    if (seen.has(to)) return `more than one key is to be named ${to}`;
    seen.add(to);
  }
  return undefined;
}

/**
 * Finds what is wrong with a destination. Its names come from the XR, so they are checked here and not with the input. A
 * namespaced XR composes into its own namespace only (Crossplane overwrites another), and its Objects write connection
 * Secrets nowhere else. The manifest of an Object may name any namespace.
 */
function findFault(destination: Destination, source: SecretName, { composite }: Call): string | undefined {
  const { namespace, name, copy } = destination;
  if (!DNS_LABEL.test(namespace)) return `${quote(namespace)} is not a namespace's name`;
  if (!isName(name)) return `${quote(name)} is not a Secret's name`;
  if (isSameSecret(destination, source)) return `Secret ${formatSecret(destination)} is the source itself`;
  const own = composite.namespace;
  const isBound = copy.via === "Secret" || copy.via === "ConnectionSecret";
  if (isBound && own !== undefined && own !== namespace) {
    return `via: ${copy.via} cannot reach namespace ${namespace} from an XR in namespace ${own}; via: Object can`;
  }
  return undefined;
}

interface Copyable extends Accessible {
  readonly source: SecretName;
}

/** Judges each destination of the copies, and asks for the source Secret where one of them needs it. */
export function judgeCopies(
  shared: SharedResource,
  connection: Connection,
  { resource, name, source, access }: Copyable,
  call: Call,
): Judgement {
  const found = findDestinations(connection.copies, call);
  if (found.is === "unset") return without("broken", { is: "FieldNotSet", field: found.field });
  const { destinations, isCutOff } = found.value;
  const copies = new Set(destinations.map(({ copy }) => copy));
  const [fault] = [
    ...[...copies].flatMap((copy) => findKeyFault(copy) ?? []),
    ...destinations.flatMap((destination) => findFault(destination, source, call) ?? []),
  ];
  if (fault !== undefined) return without("broken", { is: "InvalidTarget", fault });

  const allowed = destinations.map((destination) => judgeDestination(destination, access, call));
  const isRead = allowed.some(({ leave, destination }) => leave === "granted" && isNeeded(destination.copy));
  const secret = isRead ? readSecret(shared.name, source, call) : ({ is: "pending" } as const);
  return {
    verdict: {
      is: "copy",
      original: { origin: toReference(resource), source },
      secret,
      destinations: allowed,
      isBeingDeleted: shared.select.by !== "self" && isBeingDeleted(resource),
      reasons: findRefusals(allowed, isCutOff, name, access, call),
    },
    readable: [],
    isRefused: false,
  };
}

/** A namespace is asked whether it takes the copy only where the copy is granted to it. */
function judgeDestination(destination: Destination, access: KnownAccess, call: Call): JudgedDestination {
  if (!access.isGranted(destination.namespace)) return { destination, leave: "notGranted" };
  const { namespaces } = destination.copy;
  const isPlatforms = namespaces === undefined || namespaces.is === "literal";
  const acceptance = judgeNamespace(destination.namespace, isPlatforms, call);
  const leave = { accepted: "granted", pending: "unknown", unreadable: "unreadable", refused: "notAccepted" } as const;
  return { destination, leave: leave[acceptance] };
}

/** The largest total size of the copies of all shared resources: Crossplane takes responses of up to 4 MiB. */
const MAX_BYTES = 3 * 1024 * 1024;

/** Leaves out copies over MAX_BYTES, the first in the input first: Crossplane refuses a larger response, and the XR with it. */
export function limitCopies<Share extends { readonly judgement: Judgement }>(
  shares: readonly Share[],
): readonly Share[] {
  let free = MAX_BYTES;
  return shares.map((share) => {
    const { verdict } = share.judgement;
    if (verdict.is !== "copy" || verdict.secret.is !== "read") return share;
    const { original, secret, reasons } = verdict;
    const sizes = new Map<NamedCopy, number>();
    const destinations = verdict.destinations.map((one): JudgedDestination => {
      const { copy } = one.destination;
      if (one.leave !== "granted" || !isNeeded(copy)) return one;
      const size = sizes.get(copy) ?? estimateSize(copy, original.source, secret.data);
      sizes.set(copy, size);
      if (size > free) return { ...one, leave: "tooLarge" };
      free -= size;
      return one;
    });
    const excess = destinations.filter(({ leave }) => leave === "tooLarge").length;
    if (excess === 0) return share;
    const limited = { ...verdict, destinations, reasons: [...reasons, { is: "TooLarge", excess } as const] };
    return { ...share, judgement: { ...share.judgement, verdict: limited } };
  });
}

function findRefusals(
  judged: readonly JudgedDestination[],
  isCutOff: boolean,
  shared: string,
  access: KnownAccess,
  { composite }: Call,
): readonly SharingReason[] {
  const namespacesThat = (reason: JudgedDestination["leave"]): readonly string[] =>
    [...new Set(judged.filter(({ leave }) => leave === reason).map(({ destination }) => destination.namespace))].sort();
  const reasons: SharingReason[] = [];
  const namespaces = namespacesThat("notGranted");
  if (namespaces.length > 0) {
    reasons.push({ is: "AccessNotGranted", shared, namespaces, remedy: access.remedy(namespaces) });
  }
  const closed = namespacesThat("notAccepted");
  const consumer = consumerNamespace(composite) ?? "*";
  if (closed.length > 0) reasons.push({ is: "NamespaceNotAccepting", namespaces: closed, consumer });
  const unreadable = namespacesThat("unreadable");
  if (unreadable.length > 0) reasons.push({ is: "NamespaceNotReadable", namespaces: unreadable });
  const [pending] = namespacesThat("unknown");
  if (pending !== undefined) reasons.push({ is: "WaitingForRequiredResources", wanted: `Namespace ${pending}` });
  if (isCutOff) reasons.push({ is: "TooManyTargets" });
  return reasons;
}
