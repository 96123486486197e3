import { type Document, stringAt } from "../model/document.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { once } from "../model/once.ts";
import type { Requirement, SchemaRequirement } from "../model/requirement.ts";
import { toGroupKind } from "./api-group.ts";
import type { SecretName } from "./copies.ts";
import { toRequirement } from "./requirement.ts";

/** A grant that lies beside a Secret, for kinds in other namespaces: https://gateway-api.sigs.k8s.io/api-types/referencegrant. */

export const REFERENCE_GRANT = { group: "gateway.networking.k8s.io", kind: "ReferenceGrant" } as const;

type Version = "v1" | "v1beta1";

/** The schema that tells whether the cluster serves a version of ReferenceGrant. */
export const referenceGrantSchema = (version: Version): SchemaRequirement => ({
  name: `sharing/reference-grant-${version}`,
  apiVersion: `${REFERENCE_GRANT.group}/${version}`,
  kind: REFERENCE_GRANT.kind,
});

/** The requirement of all ReferenceGrants in a Secret's namespace. */
export const requireReferenceGrants = (name: string, version: Version, { namespace }: SecretName): Requirement =>
  toRequirement(name, {
    apiVersion: `${REFERENCE_GRANT.group}/${version}`,
    kind: REFERENCE_GRANT.kind,
    namespace,
    match: { labels: {} },
  });

/** A kind in a namespace, as an entry of `from` names it. */
export interface Grantee {
  readonly namespace: string;
  /** Kind.group of an XR or claim. */
  readonly kind: string;
}

/** Lists those who may use a Secret. */
export function readGrantees(grants: readonly Document[], secret: SecretName): readonly Grantee[] {
  const { all, named } = grantsOf(grants, secret);
  return [...all, ...named.flat()];
}

/** Those who may use a Secret. */
export interface SecretGrants {
  /** By a grant for all Secrets of its namespace. */
  readonly all: readonly Grantee[];
  /** By each grant that names it. */
  readonly named: readonly (readonly Grantee[])[];
}

/**
 * Finds those who may use a Secret. `crossplane render` answers with grants of all namespaces; another namespace's owner cannot
 * grant this Secret.
 */
export function grantsOf(grants: readonly Document[], { namespace, name }: SecretName): SecretGrants {
  const index = bySecret(grants);
  return { all: flat(index.get(`${namespace}/`) ?? NOBODY), named: index.get(`${namespace}/${name}`) ?? NOBODY };
}

const NOBODY: readonly (readonly Grantee[])[] = [];

const flat = once((lists: readonly (readonly Grantee[])[]): readonly Grantee[] => lists.flat());

/** The grantees of each grant, by the Secrets that it is for. An entry of `to` without a name is for all of the namespace. */
const bySecret = once((grants: readonly Document[]) => {
  const index = new Map<string, (readonly Grantee[])[]>();
  for (const grant of grants) {
    const namespace = stringAt(grant, ["metadata", "namespace"]) ?? "";
    const grantees = listAt(grant, "from").flatMap(toGrantee);
    for (const name of new Set(listAt(grant, "to").flatMap(toSecretName))) {
      const key = `${namespace}/${name}`;
      const lists = index.get(key) ?? [];
      lists.push(grantees);
      index.set(key, lists);
    }
  }
  return index;
});

function toSecretName({ group = "", kind, name }: JsonObject): readonly string[] {
  if (group !== "" || kind !== "Secret") return [];
  if (name === undefined || name === null) return [""];
  return typeof name === "string" && name !== "" ? [name] : [];
}

function toGrantee({ group, kind, namespace }: JsonObject): readonly Grantee[] {
  if (typeof group !== "string" || typeof kind !== "string" || typeof namespace !== "string") return [];
  return [{ namespace, kind: toGroupKind(kind, group) }];
}

function listAt(grant: Document, field: "from" | "to"): readonly JsonObject[] {
  const list = grant.at(["spec", field]);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
