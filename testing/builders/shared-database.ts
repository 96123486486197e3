import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { ALLOWED, database, xr } from "./sharing.ts";

// What tests of sharing vary of the database and of the XR that uses it.

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
