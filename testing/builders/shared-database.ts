import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { objectSetBy } from "./read-draft.ts";
import { ALLOWED, database, shared, xr } from "./sharing.ts";

// What tests of sharing vary of the database and of the XR that uses it, and what they read of its copies.

/** What Crossplane v2.2 says that it can do. */
export const V2 = ["Capabilities", "RequiredResources"] as const;

/** The name in the Composition of what makes the copy. */
export const KEY = "shared/db/team-a/orders-db";

export const fromXr = (fromCompositeFieldPath: string) => ({ fromCompositeFieldPath });

/** A patch that sets a field of the XR's status. */
export const toStatus = (field: string, fromFieldPath = "status.endpoint") => ({
  fromFieldPath,
  toCompositeFieldPath: `status.${field}`,
});

const claimRef = { kind: "Shop", namespace: "team-a", name: "shop" };

/** A claim's XR that names this database, with more of its spec. */
export const naming = (name?: JsonValue, spec: JsonObject = {}): JsonObject =>
  xr({ spec: { claimRef, parameters: name === undefined ? {} : { database: name }, ...spec } });

/** The database, granted to these namespaces. */
export const grantedTo = (allowed: string, more: JsonObject = {}): JsonObject =>
  database({ annotations: { [ALLOWED]: allowed }, ...more });

/** The database, granted to no namespace. */
export const refused = database({ annotations: {} });

/** Another database of the same kind, with more of its metadata, granted to these namespaces. */
export const another = (name: string, allowed?: string, metadata: JsonObject = {}, more: JsonObject = {}): JsonObject =>
  database({ metadata: { name, annotations: allowed ? { [ALLOWED]: allowed } : {}, ...metadata }, ...more });

/** The shared resource with one copy that is made like this, and more of its connection. */
export const copying = (copy: JsonObject = {}, connection: JsonObject = {}): JsonObject =>
  shared({ connection: { copies: [{ secretName: "orders-db", ...copy }], ...connection } });

/** The shared resource without copies. */
export function withoutCopies(overrides: JsonObject = {}): JsonObject {
  const { connection: _, ...share } = shared(overrides);
  return share;
}

/** A ReferenceGrant beside the database's Secret, to XRs of team-a; `from` and `to` say what differs. */
export const referenceGrant = (from: JsonObject = {}, to: JsonObject = {}, namespace = "databases"): JsonObject => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { namespace, name: "grant" },
  spec: {
    from: [{ group: "apps.example.org", kind: "XShop", namespace: "team-a", ...from }],
    to: [{ group: "", kind: "Secret", ...to }],
  },
});

/** A condition Synced, as a status has it. */
export const synced = (status: string, more: JsonObject = {}): JsonObject => ({
  conditions: [{ type: "Synced", status, ...more }],
});

/** What Crossplane v2.4 says of a requirement in Synced, two minutes after it was asked for what RBAC forbids. */
export const couldNotRead = (requirement: string): string =>
  `cannot compose resources: cannot run Composition pipeline step "share": fetching resources for ${requirement}#1: cannot get ` +
  "required resource by name: Timeout: failed waiting for *unstructured.Unstructured Informer to sync";

/** The object that is desired under a name. */
export const objectIn = ({ resources }: Draft, name = KEY): JsonObject | undefined => objectSetBy(resources.get(name));

interface ObjectSpec {
  readonly forProvider: { readonly manifest: JsonObject };
  readonly references?: readonly {
    readonly patchesFrom: { readonly fieldPath: string };
    readonly toFieldPath: string;
  }[];
}

/** What an Object of provider-kubernetes makes a Secret of: its manifest, and the source's paths by those that they are copied to. */
export function secretIn(object: JsonObject | undefined) {
  const { spec } = object ?? {};
  const { forProvider, references } = spec as unknown as ObjectSpec;
  const copied = references?.map(({ patchesFrom, toFieldPath }) => [toFieldPath, patchesFrom.fieldPath] as const);
  return { manifest: forProvider.manifest, data: forProvider.manifest["data"] as JsonObject | undefined, copied };
}
