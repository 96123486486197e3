import { describe, expect, test } from "vitest";
import { loadMethod, type RunFunctionResponse } from "../cli/render/protocol.ts";
import type { JsonObject } from "../src/model/json.ts";
import { runFunction } from "../src/run-function.ts";
import { database, inputOf, REQUIRED, shared, xr } from "../testing/builders/sharing.ts";
import { encodeRequest } from "../testing/wire/oracle.ts";
import { stateOf, v2Request } from "../testing/wire/plain.ts";

/**
 * A Secret's value goes into the copy that needs it and nowhere else. Each way to deliver and to fail is tried with a value that
 * must not occur in the rest of the response, from which alone the server's log and metrics are made.
 */

const { responseDeserialize } = loadMethod();

const CANARY = "canary-5f1d";
const values = [CANARY, Buffer.from(CANARY).toString("base64"), encodeURIComponent(CANARY)];
const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString("base64");
const TARGET = "shared/db/team-a/orders-db";

const secret = (namespace: string, name: string, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace, name, annotations },
  data: { password: base64(CANARY), binary: base64(Buffer.concat([Buffer.from(CANARY), Buffer.from([0xff])])) },
});

/** The copy as Crossplane observes it for each of its kinds, with its values. */
const copies: Readonly<Record<string, JsonObject>> = {
  [TARGET]: {
    apiVersion: "kubernetes.crossplane.io/v1alpha2",
    kind: "Object",
    spec: { forProvider: { manifest: secret("team-a", "orders-db") } },
    status: { atProvider: { manifest: secret("team-a", "orders-db") } },
  },
  [`${TARGET}/secret`]: secret("team-a", "orders-db"),
};

function respond(copy: JsonObject, answers: Readonly<Record<string, readonly JsonObject[]>>, isObserved: boolean) {
  const sharedResources = [shared({ connection: { copies: [copy] } })];
  const { composite, resources } = stateOf(xr(), isObserved ? copies : {});
  const details = new Map([["password", base64(CANARY)]]);
  const request = v2Request(inputOf({ sharedResources }), { composite: { ...composite, details }, resources }, answers);
  const { response } = runFunction(encodeRequest(request));
  return responseDeserialize(Buffer.from(response)) as RunFunctionResponse;
}

const named = { secretName: "orders-db" };
const ways: readonly JsonObject[] = [
  ...["Object", "ConnectionSecret", "Secret"].map((via) => ({ ...named, via })),
  ...["password", "missing"].map((from) => ({ ...named, via: "Secret", keys: [{ from, to: "x" }] })),
  ...["{password}", "{binary}", "{missing}"].flatMap((value) =>
    ["Object", "Secret"].map((via) => ({ ...named, via, keys: [{ value, to: "x" }] })),
  ),
];

const found = { [REQUIRED.database]: [database()] };
const read = { ...found, [REQUIRED.secret]: [secret("databases", "orders-conn")] };
const targetIs = (...found: readonly JsonObject[]) => ({
  [REQUIRED.target()]: found,
  [REQUIRED.target(`${TARGET}/secret`)]: found,
});
const cases = {
  "nothing was looked up": {},
  "the Secret was not looked up": found,
  "all was looked up, and the target is free": { ...read, ...targetIs() },
  "the target is somebody else's": { ...read, ...targetIs(secret("team-a", "orders-db")) },
  "the Secret is gone": { ...found, [REQUIRED.secret]: [] },
  "access is not granted": { ...read, [REQUIRED.database]: [database({ annotations: {} })] },
  "the shared resource is gone": { ...read, [REQUIRED.database]: [] },
};

describe.each(ways)("a copy of a Secret by %j exposes no value", (copy) => {
  test.each(Object.entries(cases))("when %s", (_, answers) => {
    for (const isObserved of [false, true]) {
      const { desired: _, ...said } = respond(copy, answers, isObserved);
      expect(said.conditions).toHaveLength(1);
      for (const value of values) expect(JSON.stringify(said)).not.toContain(value);
    }
  });
});

test("a value is found in the copy that needs it, so these tests would find it elsewhere", () => {
  const { desired } = respond({ ...named, via: "Secret" }, cases["all was looked up, and the target is free"], false);
  expect(JSON.stringify(desired)).toContain(base64(CANARY));
});
