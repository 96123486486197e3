import { describe, expect, test } from "vitest";
import { ENVIRONMENT } from "../../../src/features/value.ts";
import type { Document } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import { type JsonObject, type JsonValue, MAX_DEPTH } from "../../../src/model/json.ts";
import { WireDocument } from "../../../src/wire/document.ts";
import { writeStruct } from "../../../src/wire/struct-writer.ts";
import { Writer } from "../../../src/wire/writer.ts";
import { type CallParts, sharingDraft } from "../../../testing/builders/calls.ts";
import { copyMetadata, KEY, withoutCopies } from "../../../testing/builders/copies.ts";
import { says } from "../../../testing/builders/read-draft.ts";
import { grantedTo, naming, toStatus } from "../../../testing/builders/shared-database.ts";
import { database, observedObject, xr } from "../../../testing/builders/sharing.ts";

/** Kubernetes stores objects that are nested ten times as deep as this function reads them. */
function deep(levels = MAX_DEPTH + 1): JsonObject {
  let value: JsonValue = "x";
  for (let i = 0; i < levels; i++) value = { a: value };
  return value as unknown as JsonObject;
}

function onWire(object: JsonObject): Document {
  const writer = new Writer(1024);
  writeStruct(writer, object);
  const bytes = Buffer.from(writer.finish());
  return new WireDocument({ bytes, start: 0, end: bytes.length });
}

/** Calls with documents in the request's bytes: others can be as deep as one likes. */
const draftOf = (parts: CallParts): Draft => sharingDraft({ ...parts, toDocument: onWire });

const alone = withoutCopies();
const deepDatabase = { db: [database({ status: { endpoint: deep() } })] };

describe("what is nested deeper than this function reads stops nobody:", () => {
  const before = { xr: { ...xr(), status: { endpoint: "before" } } };

  test("a field that is patched fails its patch, which keeps what it has", () => {
    const sharedResources = [{ ...alone, patches: [toStatus("endpoint"), toStatus("name", "metadata.name")] }];
    const draft = draftOf({ ...before, sharedResources, answers: deepDatabase });
    expect([says(draft), draft.composite]).toEqual([
      "PatchFailed: db: cannot read status.endpoint of XPostgres orders: it is nested deeper than 1000 levels",
      [
        { path: ["status", "endpoint"], value: "before" },
        { path: ["status", "name"], value: "orders" },
      ],
    ]);
  });

  test("a resource of an earlier step is not patched", () => {
    const toResource = { name: "app", fieldPath: "spec.db" };
    const patches = [{ fromFieldPath: "metadata.name", toResource, policy: "Optional" }];
    const desired = { app: { spec: deep() } };
    const draft = draftOf({ sharedResources: [{ ...alone, patches }], answers: { db: [database()] }, desired });
    expect(says(draft)).toBe(
      "PatchFailed: db: cannot set spec.db: the object around it is nested deeper than 1000 levels",
    );
    expect(draft.resources.size).toBe(0);
  });

  const sharedResources = [{ ...alone, toEnvironment: { fromFieldPath: "status" } }];
  test("a map does not go into the environment", () => {
    const draft = draftOf({ sharedResources, answers: deepDatabase });
    expect([says(draft), draft.context.has(ENVIRONMENT)]).toEqual(["Available: undefined", false]);
  });

  test("an environment of earlier steps stays, and nothing is merged into it", () => {
    const answers = { db: [database()] };
    const contexts = [deep(2), deep()].map((environment) =>
      draftOf({ sharedResources, answers, context: { [ENVIRONMENT]: environment } }).context.has(ENVIRONMENT),
    );
    expect(contexts).toEqual([true, false]);
  });

  test.each([
    { recorded: "still grants", allowed: "team-a", is: [KEY] },
    { recorded: "no longer grants", allowed: "none", is: [] },
  ])("a name in the XR is none, and its copy lives while its source $recorded", ({ allowed, is }) => {
    const copy = { ...observedObject({ ready: "True" }), metadata: { name: "shop-abc", ...copyMetadata() } };
    const answers = { "db/recorded": [grantedTo(allowed)] };
    const draft = draftOf({ xr: naming(deep()), observed: { [KEY]: copy }, answers });
    expect(says(draft)).toBe("FieldNotSet: db: spec.parameters.database of the XR is not set");
    expect([...draft.resources.keys()]).toEqual(is);
  });
});
