import { tags } from "../../src/features/tags/tags.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type CallParts, callOf } from "./calls.ts";
import { externallyNamed, withMetadata } from "./composed.ts";
import { synced } from "./kubernetes.ts";
import { at, desiredOf } from "./read-draft.ts";
import { runFeature } from "./run-feature.ts";

// Builders for tests of tags: a bucket, and a call of the feature.

export const DOMAIN = "shared-infrastructure.fn.crossplane.io";
export const run = (parts: CallParts): Draft => runFeature(tags, callOf({ sharedResources: [], ...parts }));
export const team = { key: "team", value: "shop" };

/** All management policies but Delete. */
export const WITHOUT_DELETE = ["Observe", "Create", "Update", "LateInitialize"];

/** The annotation of a provider that has created the cloud resource for a managed resource. */
export const CREATED = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z" };

// What a provider reports: it has found the cloud resource, has it ready, or has not found it.
export const SYNCED = synced("True");
export const READY = { conditions: ["Synced", "Ready"].map((type) => ({ type, status: "True" })) };
export const ABSENT = synced("False", { message: "observe failed: external resource does not exist" });

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

/** The marks of the owner of a bucket. */
export const ownedBy = (xr: string) => ({ [`${DOMAIN}/owner`]: xr, [`${DOMAIN}/tags-owner`]: `${xr}#bucket` });

/** One of the function's annotations on what a draft desires. */
export const markIn = (draft: Draft, name: string) => at(desiredOf(draft), `metadata.annotations[${DOMAIN}/${name}]`);

/** The bucket as the API server shows it, once the draft is applied: an XR controls it. */
export function applied(draft: Draft, name: string, annotations: JsonObject = {}, status: JsonObject = {}): JsonObject {
  const controller = {
    apiVersion: "apps.example.org/v1",
    kind: "XShop",
    name: "xr",
    uid: `xr-${name}`,
    controller: true,
  };
  const object = withMetadata(desiredOf(draft), {
    name,
    uid: name,
    creationTimestamp: "2026-01-01T00:00:00Z",
    ownerReferences: [controller],
    annotations: { ...annotations, "crossplane.io/composition-resource-name": "bucket" },
  });
  return { ...object, status };
}
