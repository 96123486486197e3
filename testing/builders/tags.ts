import { tags } from "../../src/features/tags/tags.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import { parseFieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { externallyNamed } from "./composed.ts";
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

export function desiredOf(draft: Draft, name = "bucket"): JsonObject {
  const edit = draft.resources.get(name);
  return edit?.is === "set" ? (edit.object ?? edit.document?.toObject() ?? {}) : {};
}

export const at = (object: JsonObject, path: string): JsonValue | undefined =>
  documentOf(object).at(parseFieldPath(path));
