import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { OWNER, SHARED_FROM } from "../../src/ownership/annotations.ts";
import { objectOf } from "./kubernetes.ts";
import { objectSetBy } from "./read-draft.ts";
import { POSTGRES, shared } from "./sharing.ts";

// Copies of the database's Secret: the shares that ask for them, what is composed, and what tests read of that.

/** The name in the Composition of what makes the copy. */
export const KEY = "shared/db/team-a/orders-db";

/** The annotation by which what is composed for a copy names the shared resource that it was made from. */
export const RECORD = "shared-infrastructure.fn.crossplane.io/shared-resource";

/** The record of a copy of the database. */
export const recorded = (name = "orders", more: JsonObject = {}): JsonObject => ({
  [RECORD]: JSON.stringify({ ...POSTGRES, ...more, name }),
});

/** The owner of what the claim's XR composes. */
const SHOP = "Shop.apps.example.org/team-a/shop";

/** The metadata of the Object that makes a copy of the database's Secret. */
export const copyMetadata = (): JsonObject => ({ annotations: { [OWNER]: SHOP, ...recorded() } });

/** The marks by which an XR knows the Secret that it has copied. */
export const copyMarks = (owner = SHOP): JsonObject => ({ [OWNER]: owner, [SHARED_FROM]: "databases/orders-conn" });

/** The Secret that is found where the copy goes. */
export const targetSecret = (annotations: JsonObject = copyMarks(), metadata: JsonObject = {}): JsonObject =>
  objectOf("v1", "Secret", { namespace: "team-a", name: "orders-db", annotations, ...metadata });

/** The shared resource with one copy that is made like this, and more of its connection. */
export const copying = (copy: JsonObject = {}, connection: JsonObject = {}): JsonObject =>
  shared({ connection: { copies: [{ secretName: "orders-db", ...copy }], ...connection } });

/** The shared resource without copies. */
export function withoutCopies(overrides: JsonObject = {}): JsonObject {
  const { connection: _, ...share } = shared(overrides);
  return share;
}

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
