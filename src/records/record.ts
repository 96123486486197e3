import type { Composite } from "../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../crossplane/copies.ts";
import { isSameResource, type Reference, readReference, resourceKey } from "../crossplane/references.ts";
import { compareEntries } from "../model/collections.ts";
import type { Document } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import { isList, isObject, type JsonObject, type JsonValue, objectOf, parseJson } from "../model/json.ts";
import { DNS_LABEL, DOMAIN, isName } from "../model/names.ts";
import { formatOwner, OWNER } from "../ownership/annotations.ts";

/** A shared resource that an XR uses or asks for, in the XR's record. */
export interface Binding {
  readonly resource: Reference;
  /** `Requested`: the XR waits for a grant, an admission or readiness. `Revoked`: the XR waits again, after a grant was revoked. */
  readonly access: "Granted" | "Requested" | "Revoked";
  /** The copies of its connection Secret, MAX_SECRETS at most. */
  readonly secrets: readonly SecretName[];
  /** The dependents, which exist only with this access, by name in the Composition: MAX_DEPENDENTS at most. */
  readonly dependents: readonly string[];
  /** The namespace whose own credential it copies (`secretRef.perConsumer`); undefined for the common Secret, or none. */
  readonly credentialFor: string | undefined;
  /** The Secret of the credential for `credentialFor` whose values all copies have; undefined until there is one. */
  readonly copied?: SecretName | undefined;
  /** The ticket that the resource's answer repeats to admit the XR (`select.prefer`). Each member of a pool gets another ticket. */
  readonly ticket?: string | undefined;
  /** The namespace of the resource's claim, recorded since another team may have a resource of the same name after a deletion. */
  readonly claimNamespace?: string | undefined;
}

/**
 * The kinds of the record: a ConfigMap in the XR's namespace, or an EnvironmentConfig for a cluster-scoped XR. Every control plane has
 * both, and Crossplane may read and write them (clusterrole.yaml in its chart, v1.20 to v2.4).
 */
export const RECORD_KINDS = {
  ConfigMap: { apiVersion: "v1", kind: "ConfigMap" },
  EnvironmentConfig: { apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "EnvironmentConfig" },
} as const;

export const recordKind = ({ namespace }: Pick<Reference, "namespace">) =>
  RECORD_KINDS[namespace === undefined ? "EnvironmentConfig" : "ConfigMap"];

/** The record's name in the Composition. */
export const RECORD_NAME = "shared-infrastructure/record";

/** The label of an XR's records, with the XR's `recordId`. */
export const RECORD_LABEL = `${DOMAIN}/record-of`;

/** The most copies in a binding, since an owner reads the records of all consumers. */
const MAX_SECRETS = 100;

/** The most copies, and the most shares, that are read from one record. */
const MAX_SECRETS_IN_ALL = 1000;
const MAX_SHARES = 1000;

/** The most resources to which a share is bound: the one that the XR names now, and former ones. */
export const MAX_BINDINGS = 10;

/** The most dependents in a binding: enough to show the owner that there are some. */
const MAX_DEPENDENTS = 10;

/** Recognizes a printable name of a composed resource. A team may write the record, and people read it. */
const isPrintableName = (name: JsonValue): name is string =>
  typeof name === "string" && /^[\x21-\x7e]{1,100}$/.test(name);

/** The digits of a hash: enough against deliberate collisions, since teams choose names. */
const DIGITS = 40;

/** The format of a ticket: a hash of the XR's UID, and a number that each new ticket raises (`toTicket` in sharing/pool.ts). */
const TICKET = /^[0-9a-f]{16}\.[0-9]{1,9}$/;

/** Makes the label of the records of all XRs that use or ask for a shared resource, whatever its API version. */
export const usesLabel = (shared: Reference): string => `${DOMAIN}/uses-${hashText(resourceKey(shared), DIGITS)}`;

/** The bindings of an XR, by the name of the share. */
export type Bindings = ReadonlyMap<string, readonly Binding[]>;

export const findBinding = (resource: Reference, bindings: readonly Binding[]): Binding | undefined =>
  bindings.find((binding) => isSameResource(binding.resource, resource));

/** Identifies an XR's records, also in a rebuilt cluster: by a hash of the reference to its claim or, without one, to the XR. */
export const recordId = ({ claim, ...composite }: Reference & Pick<Composite, "claim">): string =>
  hashText(resourceKey({ ...composite, ...claim }), DIGITS);

export function composeRecord(composite: Composite, bindings: Bindings): JsonObject {
  const uses = [...bindings.values()].flatMap((list) => list.map(({ resource }) => usesLabel(resource))).sort();
  return {
    ...recordKind(composite),
    metadata: {
      labels: { [RECORD_LABEL]: recordId(composite), ...Object.fromEntries(uses.map((label) => [label, "true"])) },
      annotations: { [OWNER]: formatOwner(composite) },
    },
    data: toRecordData(bindings),
  };
}

export const toRecordData = (bindings: Bindings): JsonObject =>
  Object.fromEntries(
    [...bindings].sort(compareEntries).map(([share, list]) => [share, JSON.stringify(list.map(toEntry))]),
  );

/** Makes an entry of the list in JSON, which leaves out fields that are undefined. */
function toEntry({ resource, access, secrets, dependents, credentialFor, copied, ticket, claimNamespace }: Binding) {
  const { apiVersion, kind, namespace, name } = resource;
  const copies = secrets.slice(0, MAX_SECRETS).map(formatSecret);
  return {
    ...{ apiVersion, kind, namespace, name, access },
    secrets: copies.length > 0 ? copies : undefined,
    dependents: dependents.length > 0 ? dependents.filter(isPrintableName).slice(0, MAX_DEPENDENTS) : undefined,
    ...{ credentialFor, copied: copied && formatSecret(copied), ticket, claimNamespace },
  };
}

/** The most shares of one XR that an owner reads, since an owner reads the records of all teams at once. */
const MAX_USES = 20;

/** Limits for reading a record: only bindings `to` this resource, and `most` copies of each. */
export interface ReadLimits {
  readonly to?: Reference;
  readonly most?: number | undefined;
}

/**
 * Reads a record, within these limits and the constants above: without any, a record of a megabyte with short names would take a hundred
 * times as much memory. Skips invalid parts, since a team may edit the record in its own namespace.
 */
export function readBindings(record: Document | undefined, { to, most = MAX_SECRETS }: ReadLimits = {}): Bindings {
  let left = MAX_SECRETS_IN_ALL;
  const found = new Map<string, readonly Binding[]>();
  for (const [share, text] of sharesIn(record)) {
    // Most texts name other resources; these are not parsed.
    const list = to === undefined || text.includes(to.name) ? parseJson(text) : undefined;
    const bindings = (isList(list) ? list.slice(0, MAX_BINDINGS) : []).flatMap((entry) => {
      const read = readEntry(entry as JsonValue, Math.min(left, most));
      for (const { secrets } of read) left -= secrets.length;
      return read;
    });
    const own =
      to === undefined ? bindings : bindings.filter(({ resource }) => isSameResource(resource, to)).slice(0, 1);
    if (to === undefined || own.length > 0) found.set(share, own);
    if (to !== undefined && found.size >= MAX_USES) break;
  }
  return found;
}

function sharesIn(record: Document | undefined): readonly (readonly [share: string, text: string])[] {
  const shares = Object.entries(objectOf(record?.at(["data"]))).slice(0, MAX_SHARES);
  return shares.map(([share, text]) => [share, typeof text === "string" ? text : ""]);
}

function readEntry(entry: JsonValue, most: number): readonly Binding[] {
  const resource = readReference(entry);
  if (resource === undefined || !isObject(entry)) return [];
  const { access, secrets, dependents, credentialFor, copied, ticket, claimNamespace } = entry;
  return [
    {
      resource,
      access: access === "Granted" || access === "Revoked" ? access : "Requested",
      secrets: isList(secrets) ? secrets.slice(0, most).flatMap(readSecretName) : [],
      dependents: isList(dependents) ? dependents.slice(0, MAX_DEPENDENTS).filter(isPrintableName) : [],
      credentialFor: toNamespace(credentialFor),
      copied: readSecretName(copied)[0],
      ticket: typeof ticket === "string" && TICKET.test(ticket) ? ticket : undefined,
      claimNamespace: toNamespace(claimNamespace),
    },
  ];
}

const toNamespace = (text: JsonValue | undefined): string | undefined =>
  typeof text === "string" && DNS_LABEL.test(text) ? text : undefined;

/** Parses the output of `formatSecret`; none if it is invalid. */
export function readSecretName(text: JsonValue | undefined): readonly SecretName[] {
  const [namespace = "", name = "", ...rest] = typeof text === "string" ? text.split("/", 3) : [];
  return DNS_LABEL.test(namespace) && isName(name) && rest.length === 0 ? [{ namespace, name }] : [];
}
