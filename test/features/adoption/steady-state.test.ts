import { expect, test } from "vitest";
import { loadMethod, toStruct } from "../../../cli/render/protocol.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { runFunction } from "../../../src/run-function.ts";
import { readRequest } from "../../../src/wire/request.ts";
import { bucket, controlledBy, referring, restoredStore, store } from "../../../testing/builders/composed.ts";
import { inputOf } from "../../../testing/builders/sharing.ts";
import { decodeResponse } from "../../../testing/wire/oracle.ts";

const names = Array.from({ length: 500 }, (_, index) => `bucket-${index}`);

const resourcesOf = (object: (name: string) => JsonObject) =>
  Object.fromEntries(names.map((name) => [name, { resource: toStruct(object(name)), ready: "READY_TRUE" }]));

/** Building the message takes most of the time on a busy machine. */
const TIMEOUT_MS = 30_000;

test(
  "five hundred desired resources are returned byte for byte, and nothing is required",
  () => {
    const xr = store(referring(...names));
    const message = loadMethod().requestSerialize({
      meta: { tag: "steady", capabilities: ["CAPABILITY_REQUIRED_RESOURCES"] },
      observed: {
        composite: { resource: toStruct(xr) },
        resources: resourcesOf((name) => bucket(name, controlledBy("uid-now"))),
      },
      desired: { resources: resourcesOf((name) => ({ kind: "Bucket", metadata: { labels: { name } } })) },
      input: toStruct(inputOf({ adoption: {} })),
    });
    const { response } = runFunction(message);
    const { slice } = readRequest(message).desired;
    expect(Buffer.from(response).includes(slice.bytes.subarray(slice.start, slice.end))).toBe(true);

    const { requirements, results, conditions } = decodeResponse(response);
    expect([requirements, results.map(({ reason }) => reason)]).toEqual([undefined, ["Adopted"]]);
    expect(conditions).toMatchObject([{ type: "ResourcesAdopted", status: "True" }]);
  },
  TIMEOUT_MS,
);

test("a restored resource of 300 KB is put back as a whole", () => {
  const spec = { forProvider: { policy: "p".repeat(300_000) } };
  const message = loadMethod().requestSerialize({
    meta: { tag: "large" },
    observed: {
      composite: { resource: toStruct(restoredStore(referring("large"))) },
      resources: { large: { resource: toStruct(bucket("large", {}, { spec })) } },
    },
    desired: {},
    input: toStruct(inputOf({ adoption: {} })),
  });
  const { desired } = decodeResponse(runFunction(message).response);
  expect(desired.resources.get("large")).toMatchObject({ ready: "True", object: { spec } });
});
