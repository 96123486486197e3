import { type Document, stringAt } from "../model/document.ts";
import { isObject, type JsonObject } from "../model/json.ts";
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

/** Reads who may use a Secret. An entry of `to` without a name is for all Secrets. */
export function readGrantees(grants: readonly Document[], secret: SecretName): readonly Grantee[] {
  const isTo = ({ group = "", kind, name }: JsonObject): boolean =>
    group === "" && kind === "Secret" && (name === undefined || name === null || name === secret.name);
  return (
    grants
      // `crossplane render` answers with grants of all namespaces; another namespace's owner cannot grant this Secret.
      .filter((grant) => stringAt(grant, ["metadata", "namespace"]) === secret.namespace)
      .filter((grant) => listAt(grant, "to").some(isTo))
      .flatMap((grant) => listAt(grant, "from").flatMap(toGrantee))
  );
}

function toGrantee({ group, kind, namespace }: JsonObject): readonly Grantee[] {
  if (typeof group !== "string" || typeof kind !== "string" || typeof namespace !== "string") return [];
  return [{ namespace, kind: toGroupKind(kind, group) }];
}

function listAt(grant: Document, field: "from" | "to"): readonly JsonObject[] {
  const list = grant.at(["spec", field]);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
