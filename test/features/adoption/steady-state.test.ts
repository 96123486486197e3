import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { runFunction } from "../../../src/run-function.ts";
import { readRequest } from "../../../src/wire/request.ts";
import { bucket, controlledBy, referring, restoredStore, store } from "../../../testing/builders/composed.ts";
import { inputOf } from "../../../testing/builders/sharing.ts";
import { decodeResponse, encodeRequest } from "../../../testing/wire/oracle.ts";
import { stateOf, v2Request } from "../../../testing/wire/plain.ts";

const names = Array.from({ length: 500 }, (_, index) => `bucket-${index}`);

const each = (object: (name: string) => JsonObject) => Object.fromEntries(names.map((name) => [name, object(name)]));

/** Building the message takes most of the time on a busy machine. */
const TIMEOUT_MS = 30_000;

test(
  "five hundred desired resources are returned byte for byte, and nothing is required",
  () => {
    const buckets = each((name) => bucket(name, controlledBy("uid-now")));
    const wanted = each((name) => ({ kind: "Bucket", metadata: { labels: { name } } }));
    const message = encodeRequest({
      ...v2Request(inputOf({ adoption: {} }), stateOf(store(referring(...names)), buckets, { ready: "True" })),
      desired: stateOf({}, wanted, { ready: "True" }),
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
  const observed = stateOf(restoredStore(referring("large")), { large: bucket("large", {}, { spec }) });
  const message = encodeRequest(v2Request(inputOf({ adoption: {} }), observed));
  const { desired } = decodeResponse(runFunction(message).response);
  expect(desired.resources.get("large")).toMatchObject({ ready: "True", object: { spec } });
});
