import { describe, expect, test } from "vitest";
import { withholdReadiness } from "../../src/features/readiness.ts";
import { emptyDraft, withCompositeUnready, withResource } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Ready } from "../../src/model/request.ts";
import { run } from "../../src/pipeline.ts";
import { RECORD_NAME } from "../../src/records/record.ts";
import { type CallParts, callOf } from "../../testing/builders/calls.ts";
import { objectIn, withoutCopies } from "../../testing/builders/copies.ts";
import { resourceOf } from "../../testing/builders/request.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { fromXr, refused, toStatus } from "../../testing/builders/shared-database.ts";
import { database, xr } from "../../testing/builders/sharing.ts";

const record = { apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "EnvironmentConfig", data: { db: "[]" } };

const held = withCompositeUnready(emptyDraft);
const recorded = withResource(held, RECORD_NAME, { is: "set", object: record, ready: "True" });
const served = withResource(emptyDraft, RECORD_NAME, { is: "set", object: record, ready: "True" });
const beside = (ready: Ready) => ({ [RECORD_NAME]: { ...resourceOf(record), ready } });
test.each<[reason: string, draft: typeof held, earlier: ReturnType<typeof beside> | object, is: Ready | undefined]>([
  ["it is not ready while something is held back", recorded, {}, "False"],
  ["it is composed for that if there is none", held, {}, "False"],
  ["it is ready where all is served", served, {}, "True"],
  ["it stays unready behind an earlier step of ours that holds something back", served, beside("False"), "False"],
  ["an earlier step that is served changes nothing", served, beside("True"), "True"],
  ["without it nothing is composed", emptyDraft, {}, undefined],
])("the record carries the readiness of the XR past the steps behind this one: %s", (_reason, draft, earlier, is) => {
  const call = callOf({ sharedResources: [] });
  const resources = new Map(Object.entries(earlier));
  const desired = { ...call.request.desired, resources };
  const edit = runFeature(withholdReadiness, { ...call, request: { ...call.request, desired } }, draft).resources.get(
    RECORD_NAME,
  );
  expect(edit?.is === "set" ? edit.ready : undefined).toBe(is);
});

describe("with the whole step, the record is not ready", () => {
  const fields = withoutCopies({ grant: "Annotation", patches: [toStatus("endpoint", "status.endpoint")] });
  const config = { name: { fromCompositeFieldPath: "spec.none" }, data: [{ value: true, toFieldPath: "on" }] };
  const tagged = { add: [{ key: "note", value: fromXr("spec.note") }] };
  const spec = { forProvider: { region: "eu-west-1" } };
  const bucket = { apiVersion: "s3.aws.upbound.io/v1beta2", kind: "Bucket", spec };
  const vpc = { apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "VPC", spec: { forProvider: { region: "eu-west-1" } } };
  const nothing = { sharedResources: [] };
  test.each<[reason: string, ready: Ready, parts: CallParts]>([
    ["while a shared resource is not found", "False", { sharedResources: [fields], answers: { db: [] } }],
    ["or not granted", "False", { sharedResources: [fields], answers: { db: [refused] } }],
    ["and is while a copy is written, which is unready itself", "True", { answers: { db: [database()] } }],
    ["while nothing is published", "False", { ...nothing, spec: { publish: { environmentConfig: config } } }],
    [
      "while tags are refused",
      "False",
      { ...nothing, xr: xr({ spec: { note: "v".repeat(300) } }), tags: tagged, desired: { bucket } },
    ],
    [
      "without a recorded name",
      "False",
      { ...nothing, desired: { vpc }, spec: { externalNames: { requireRecord: true } } },
    ],
    ["and is ready once all is served", "True", { sharedResources: [fields], answers: { db: [database()] } }],
  ])("%s", (_reason, ready, parts) => {
    const draft = runFeature(run, callOf({ xr: xr(), ...parts }));
    const edit = draft.resources.get(RECORD_NAME);
    expect(edit?.is === "set" && edit.ready).toBe(ready);
    expect(objectIn(draft, RECORD_NAME)?.["kind"]).toBe("EnvironmentConfig");
  });

  test("no record is composed where nothing is shared and nothing held back", () => {
    const draft = runFeature(run, callOf({ ...nothing, desired: { vpc } as Readonly<Record<string, JsonObject>> }));
    expect(draft.resources.has(RECORD_NAME)).toBe(false);
  });
});
