import { tags } from "../../src/features/tags/tags.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import { parseFieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { externallyNamed } from "./composed.ts";
import { objectSetBy } from "./read-draft.ts";
import { runFeature } from "./run-feature.ts";
import { type CallParts, callOf } from "./sharing.ts";

// Builders for tests of tags: a bucket, and a call of the feature.

export const DOMAIN = "shared-infrastructure.fn.crossplane.io";
export const run = (parts: CallParts): Draft => runFeature(tags, callOf({ sharedResources: [], ...parts }));
export const team = { key: "team", value: "shop" };

/** A bucket that the cloud names, so that no other XR can declare it. */
export const bucket = (forProvider: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  apiVersion: "s3.aws.upbound.io/v1beta2",
  kind: "Bucket",
  spec: { forProvider: { region: "eu-central-1", ...forProvider } },
  ...rest,
});

export const named = externallyNamed("orders");

/** A managed resource of any kind. */
export const managed = (
  apiVersion: string,
  kind: string,
  forProvider: JsonObject = {},
  rest: JsonObject = {},
): JsonObject => ({ apiVersion, kind, spec: { forProvider }, ...rest });

export const desiredOf = ({ resources }: Draft, name = "bucket"): JsonObject => objectSetBy(resources.get(name)) ?? {};

export const at = (object: JsonObject, path: string): JsonValue | undefined =>
  documentOf(object).at(parseFieldPath(path));

export const policiesOf = (draft: Draft, name = "bucket") => at(desiredOf(draft, name), "spec.managementPolicies");
export const tagsIn = (draft: Draft, name = "bucket") => at(desiredOf(draft, name), "spec.forProvider.tags");

/** One of the function's annotations on what a draft desires. */
export const markIn = (draft: Draft, name: string) => at(desiredOf(draft), `metadata.annotations[${DOMAIN}/${name}]`);

/** The marks of the owner of a bucket. */
export const ownedBy = (xr: string) => ({ [`${DOMAIN}/owner`]: xr, [`${DOMAIN}/tags-owner`]: `${xr}#bucket` });

/** The object with more of its metadata; its annotations are added to those that it has. */
export function withMetadata(object: JsonObject, { annotations, ...more }: JsonObject): JsonObject {
  const metadata = object["metadata"] as Record<string, JsonObject>;
  const all = { ...metadata["annotations"], ...(annotations as JsonObject | undefined) };
  return { ...object, metadata: { ...metadata, ...more, annotations: all } };
}

export const withPolicies = (object: JsonObject, ...managementPolicies: readonly string[]): JsonObject => ({
  ...object,
  spec: { ...(object["spec"] as JsonObject), managementPolicies },
});

/** The bucket as the API server shows it, once the draft is applied: an XR controls it. */
export function applied(draft: Draft, name: string, annotations: JsonObject = {}, status: JsonObject = {}): JsonObject {
  const controller = { apiVersion: "apps.example.org/v1", kind: "XShop", name: "xr", uid: "xr", controller: true };
  const object = withMetadata(desiredOf(draft), {
    name,
    uid: name,
    creationTimestamp: "2026-01-01T00:00:00Z",
    ownerReferences: [controller],
    annotations: { ...annotations, "crossplane.io/composition-resource-name": "bucket" },
  });
  return { ...object, status };
}
