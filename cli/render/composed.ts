import { CLAIM_NAME_LABEL, CLAIM_NAMESPACE_LABEL, COMPOSITE_LABEL } from "../../src/crossplane/metadata.ts";
import { isObject, type JsonObject, ownValue } from "../../src/model/json.ts";
import { RenderError } from "./error.ts";
import { metadataMap, metadataString, readMetadata, withMetadata } from "./metadata.ts";

/** The annotation that holds a composed resource's name in its Composition. */
export const RESOURCE_NAME = "crossplane.io/composition-resource-name";

export interface Composed {
  /** Its name in the Composition. */
  readonly name: string;
  /** The resource that the pipeline desires. */
  readonly desired: JsonObject;
  /** The resource that exists already. */
  readonly observed: JsonObject | undefined;
}

/**
 * Adds the metadata that Crossplane sets on a composed resource: its name or a prefix for one, its origin, and its controller.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go SetComposedResourceMetadata.
 *
 * @throws {RenderError} where somebody else controls it.
 */
export function renderComposed({ name, desired, observed }: Composed, xr: JsonObject): JsonObject {
  const identified = observed === undefined ? desired : copyIdentity(observed, desired);
  const root = metadataMap(xr, "labels")[COMPOSITE_LABEL] || metadataString(xr, "name");
  const isNamed = metadataString(identified, "name") !== "" || metadataString(identified, "generateName") !== "";
  const namespace = metadataString(xr, "namespace");

  return withMetadata(identified, {
    ...(!isNamed && { generateName: `${root}-` }),
    ...(namespace !== "" && { namespace }),
    annotations: { ...metadataMap(identified, "annotations"), [RESOURCE_NAME]: name },
    labels: { ...metadataMap(identified, "labels"), [COMPOSITE_LABEL]: root, ...claimLabels(xr) },
    ownerReferences: withController(identified, xr),
  });
}

const copyIdentity = (observed: JsonObject, desired: JsonObject): JsonObject =>
  withMetadata(desired, {
    name: metadataString(observed, "name"),
    namespace: metadataString(observed, "namespace"),
    generateName: metadataString(observed, "generateName"),
  });

/** Composed resources inherit the claim's labels from the XR. */
function claimLabels(xr: JsonObject): JsonObject {
  const { [CLAIM_NAME_LABEL]: name, [CLAIM_NAMESPACE_LABEL]: namespace } = metadataMap(xr, "labels");
  return name && namespace ? { [CLAIM_NAMESPACE_LABEL]: namespace, [CLAIM_NAME_LABEL]: name } : {};
}

function withController(object: JsonObject, xr: JsonObject): readonly JsonObject[] {
  const uid = metadataString(xr, "uid");
  const owners = readOwners(object);
  const other = owners.find((owner) => owner["controller"] === true && owner["uid"] !== uid);
  if (other !== undefined) {
    const controller = `${readString(other, "kind")} ${readString(other, "name")} (UID ${readString(other, "uid")})`;
    throw new RenderError(
      `cannot set composite resource ${JSON.stringify(metadataString(xr, "name"))} as controller ref of composed ` +
        `resource: ${metadataString(object, "name")} is already controlled by ${controller}`,
    );
  }
  const controller = {
    apiVersion: String(xr["apiVersion"]),
    blockOwnerDeletion: true,
    controller: true,
    kind: String(xr["kind"]),
    name: metadataString(xr, "name"),
    uid,
  };
  const at = owners.findIndex((owner) => owner["uid"] === uid);
  return at < 0 ? [...owners, controller] : owners.with(at, controller);
}

function readOwners(object: JsonObject): readonly JsonObject[] {
  const owners = ownValue(readMetadata(object), "ownerReferences");
  return Array.isArray(owners) ? owners.filter(isObject) : [];
}

function readString(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === "string" ? value : "";
}
