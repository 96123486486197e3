import { describe, expect, test } from "vitest";
import type { RunFunctionRequest, RunFunctionResponse } from "../cli/render/protocol.ts";
import { fromStruct, loadMethod, toStruct } from "../cli/render/protocol.ts";
import { toRequirement } from "../src/crossplane/requirement-names.ts";
import type { JsonObject } from "../src/model/json.ts";
import { DOMAIN } from "../src/model/names.ts";
import { runFunction } from "../src/run-function.ts";
import type { CallParts } from "../testing/builders/calls.ts";
import { bucket as composed, referring, store } from "../testing/builders/composed.ts";
import { withoutCopies } from "../testing/builders/copies.ts";
import { fromXr } from "../testing/builders/shared-database.ts";
import { database, inputOf, REQUIRED, shared, xr } from "../testing/builders/sharing.ts";
import { decodeResponse, encodeRequest } from "../testing/wire/oracle.ts";
import { stateOf, v2Request } from "../testing/wire/plain.ts";

const { requestSerialize, responseDeserialize } = loadMethod();

const observed = { composite: { resource: toStruct(xr()) } };
/** An encoded request of a team's XR that uses the database; a test overrides the parts that it is about. */
const requestOf = (parts: Partial<RunFunctionRequest> = {}, input = inputOf({ sharedResources: [shared()] })) => {
  const meta = { tag: "a tag", capabilities: [] };
  return requestSerialize({ meta, observed, desired: {}, input: toStruct(input), ...parts });
};

/** The response as the protocol's own codec reads it, and what the server logs and counts. */
function run(request: Uint8Array) {
  const outcome = runFunction(request);
  const response = responseDeserialize(Buffer.from(outcome.response)) as RunFunctionResponse;
  return { ...outcome, response, bytes: outcome.response };
}

const items = [{ resource: toStruct(database()) }];
const found = { [REQUIRED.database]: { items }, [REQUIRED.labelledTarget]: { items: [] } };
const v2 = ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_RESOURCES"];

describe("Crossplane is asked, and answers, in the fields that its version has:", () => {
  const input = inputOf({ sharedResources: [withoutCopies()] });
  const asked = [REQUIRED.database];
  test.each([
    ["v1.20 is asked in both and answers with extra resources", [], { extraResources: found }, [asked, asked]],
    ["v2.0 is asked and answers in both", [], { extraResources: found, requiredResources: found }, [asked, asked]],
    ["v2.2 is asked for required resources and answers with them", v2, { requiredResources: found }, [[], asked]],
    [
      "a version that declares no required resources is asked for extra resources and answers with them",
      ["CAPABILITY_CAPABILITIES"],
      { extraResources: found },
      [asked, []],
    ],
  ])("%s", (_reason, capabilities, answer, asks) => {
    const meta = { tag: "", capabilities };
    for (const { response } of [run(requestOf({ meta }, input)), run(requestOf({ meta, ...answer }, input))]) {
      const { extraResources = {}, resources = {} } = response.requirements ?? {};
      expect([Object.keys(extraResources), Object.keys(resources)]).toEqual(asks);
    }
    expect(run(requestOf({ meta, ...answer }, input)).response.conditions[0]?.reason).toBe("Available");
  });

  test("extra resources do not answer for required ones", () => {
    const { response } = run(requestOf({ meta: { tag: "", capabilities: v2 }, extraResources: found }));
    expect(response.conditions[0]?.reason).toBe("WaitingForRequiredResources");
  });
});

describe("the state of earlier steps is returned", () => {
  /** State.resources["__proto__"] = {ready: READY_TRUE}, by hand: the protocol's own codec loses that name. */
  const entry = Buffer.concat([Buffer.from("\x0a\x09__proto__"), Buffer.from([0x12, 2, 0x18, 1])]);
  const proto = Buffer.concat([Buffer.from([0x1a, entry.length + 2, 0x12, entry.length]), entry]);

  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.host" }];
  const input = inputOf({ sharedResources: [shared({ patches })] });

  test("with resources called __proto__ and constructor", () => {
    const request = requestOf({ desired: { resources: { constructor: {} } }, context: toStruct({ a: 1 }) });
    const { bytes, response } = run(Buffer.concat([request, proto]));
    expect(response.context && fromStruct(response.context)).toEqual({ a: 1 });
    expect(Object.keys(response.desired?.resources ?? {})).toContain("constructor");
    expect(Buffer.from(bytes).includes(entry)).toBe(true);
  });

  test("with a number that JSON does not have, as it came, where this step reads and writes other fields", () => {
    const desired = { composite: { resource: toStruct({ status: { n: [Number.POSITIVE_INFINITY] } }) } };
    const { response } = run(requestOf({ desired, extraResources: found }, input));
    const status = { n: [Number.POSITIVE_INFINITY], host: "orders.db.example.org" };
    expect(response.desired?.composite?.resource).toMatchObject(toStruct({ status }));
  });

  test("with our fields beside theirs in the status of the XR", () => {
    const composite = { resource: toStruct({ status: { ours: false } }), ready: "READY_TRUE" as const };
    const { desired } = run(requestOf({ desired: { composite }, extraResources: found }, input)).response;
    const status = { ours: false, host: "orders.db.example.org" };
    expect(desired?.composite).toMatchObject({ resource: toStruct({ status }), ready: "READY_TRUE" });
  });
});

test("an Operation requires XRDs and reports its findings in the output", () => {
  const input = inputOf({ neverReconciled: {} });
  const kind = "CompositeResourceDefinition";
  const xrds = { apiVersion: "apiextensions.crossplane.io/v2", kind, match: { labels: {} } };
  const { name: definitions } = toRequirement("never-reconciled/definitions", xrds);
  const operation = { observed: {}, meta: { tag: "", capabilities: v2 } };
  const { requirements } = run(requestOf(operation, input)).response;
  expect(requirements?.resources).toMatchObject({ [definitions]: { kind, matchLabels: { labels: {} } } });
  const requiredResources = { [definitions]: { items: [] } };
  const { bytes, results } = run(requestOf({ ...operation, requiredResources }, input));
  expect(decodeResponse(bytes).output).toEqual({ neverReconciled: {} });
  expect(results.map(({ reason }) => reason)).toEqual(["Reconciled"]);
});

describe("a request gets a Fatal result and changes nothing", () => {
  const environmentConfig = { name: "orders", data: [{ value: "a", toFieldPath: "b" }] };
  const sections: Readonly<Record<string, JsonObject>> = { publish: { environmentConfig } };
  const operationWith = (spec: JsonObject) => requestOf({ observed: {} }, inputOf({ neverReconciled: {}, ...spec }));
  const HEAD = "cannot use the input:\n";
  const NO_INPUT = "  apiVersion: required\n  kind: required\n  spec: required";
  const inComposition = requestOf({}, inputOf({ neverReconciled: {} }));
  const OPERATIONS_ONLY = `${HEAD}  spec.neverReconciled: allowed in an Operation only`;
  const notAllowed = (section: string) => `  spec.${section}: not allowed in an Operation, which has no XR`;
  type Row = [reason: string, request: Uint8Array, message: string];
  test.each<Row>([
    ["its input has faults", requestOf({}, inputOf({ responseTTL: 5 })), `${HEAD}  spec.responseTTL: not a string: 5`],
    ["it has no input", requestSerialize({ observed }), `${HEAD}${NO_INPUT}`],
    [
      "it has no XR, as in an Operation",
      requestOf({ observed: {} }),
      "cannot run without an XR: the request has no observed XR; use this function in a Composition, or in an Operation with spec.neverReconciled",
    ],
    [
      "an Operation has sections that make sense in a Composition only",
      operationWith({ sharedResources: [shared()], adoption: {}, tags: { add: [] } }),
      HEAD + ["sharedResources", "tags", "adoption"].map(notAllowed).join("\n"),
    ],
    ...["environment", "publish", "consumers", "externalNames"].map((section): Row => {
      const request = operationWith({ [section]: sections[section] ?? {} });
      return [`an Operation has the section ${section}`, request, HEAD + notAllowed(section)];
    }),
    ["a Composition has a section that makes sense in an Operation only", inComposition, OPERATIONS_ONLY],
  ])("when %s", (_reason, request, message) => {
    const { response, results } = run(request);
    expect(results).toMatchObject([{ severity: "Fatal", message, target: "Composite" }]);
    expect(response).toMatchObject({ desired: null, results: [{ severity: "SEVERITY_FATAL", message }] });
    expect(response.context).toBeUndefined();
  });

  const resources = { big: { resource: toStruct({ text: "x".repeat(4 * 1024 * 1024) }) } };

  test("when the response is larger than the 4 MiB that Crossplane takes", () => {
    const { response, bytes } = run(requestOf({ desired: { resources } }));
    expect(bytes.length).toBeLessThan(4096);
    expect(response.results[0]?.message).toBe(
      "cannot return more than 4 MiB: Crossplane takes no larger response, and a response contains what earlier steps desire, too. Split the XR into several that compose less each, or have it use fewer shared resources",
    );
    expect(Object.keys(response.requirements?.resources ?? {})).toEqual([REQUIRED.database]);
    expect(response.conditions).toHaveLength(1);
  });

  test("without a TTL, for which Crossplane would replay it", () => {
    const input = inputOf({ responseTTL: "60s" });
    const observed = { composite: { resource: toStruct(xr({ spec: {} })) } };
    expect(run(requestOf({ observed }, input)).response).toHaveProperty("meta.ttl");
    const { response } = run(requestOf({ desired: { resources } }, input));
    expect(response).toMatchObject({ results: [{ severity: "SEVERITY_FATAL" }] });
    expect(response).not.toHaveProperty("meta.ttl");
  });

  test("and holds nothing else that a thread would have to copy: a draft's values can be many times as large", () => {
    const outcome = runFunction(requestOf({ desired: { resources } }));
    expect(Object.keys(outcome).sort()).toEqual(["audit", "conditions", "response", "results", "shares"]);
  });
});

test("a number that JSON does not have is not patched, and the condition names its field", () => {
  const resource = toStruct(database({ status: { n: Number.NaN } }));
  const extraResources = { [REQUIRED.database]: { items: [{ resource }] } };
  const patches = [{ fromFieldPath: "status.n", toCompositeFieldPath: "status.n" }];
  const { response } = run(requestOf({ extraResources }, inputOf({ sharedResources: [shared({ patches })] })));
  expect(response.desired?.composite?.resource).toBeNull();
  const why = "cannot read status.n of XPostgres orders: it is a number that JSON cannot hold";
  expect(response.conditions[0]?.message).toContain(why);
});

test("a request of 3 MB is answered", () => {
  const resources = { big: { resource: toStruct({ text: "x".repeat(3_000_000) }) } };
  const { response } = run(requestOf({ desired: { resources }, extraResources: found }));
  const names = ["big", "shared/db/team-a/orders-db", "shared-infrastructure/record"];
  expect(Object.keys(response.desired?.resources ?? {})).toEqual(names);
});

const long = "x".repeat(240_000);
const alone = withoutCopies({ select: { name: fromXr(`spec.${long}`) } });
test.each([
  { reason: "a condition and an event", request: requestOf({}, inputOf({ sharedResources: [alone] })), said: 2 },
  { reason: "a Fatal result", request: requestOf({}, inputOf({ [long]: 1 })), said: 1 },
])("no message is longer than 1 KB, whatever somebody wrote: $reason", ({ request, said }) => {
  const { response, conditions, results } = run(request);
  const messages = [...response.conditions, ...response.results, ...conditions, ...results].map(({ message = "" }) =>
    Buffer.byteLength(message),
  );
  expect(messages).toEqual(Array(2 * said).fill(1024));
});

test("the value of a credential is never part of a response", () => {
  const credentials = { c: { credentialData: { data: { k: Buffer.from("hunter2") } } } };
  const { bytes } = run(requestOf({ extraResources: found, credentials }));
  expect(Buffer.from(bytes).includes("hunter2")).toBe(false);
});

/** As data, it has no text: `String` throws for it. */
const textless = { toString: 1, valueOf: 2 };

type Parts = Pick<CallParts, "xr" | "observed" | "desired" | "context">;

const xrOfA = store(referring("a"));
const referringTo = (metadata: JsonObject): Parts => ({ xr: xrOfA, observed: { a: composed("a", metadata) } });
const forProvider = { tags: [{ key: textless, value: "c" }] };
const tagged = { apiVersion: "dynamodb.aws.crossplane.io/v1alpha1", kind: "Table", spec: { forProvider } };
const resourceRefs = [{ apiVersion: "v1", kind: "X", name: textless }];
const remark = { other: [{ reason: textless, message: textless }] };

test.each<[reason: string, spec: JsonObject, parts: Parts]>([
  ["the key of a tag in a list", { tags: { add: [{ key: "team", value: "shop" }] } }, { desired: { table: tagged } }],
  ["a reference's name", { adoption: {} }, { xr: store({ spec: { resourceRefs } }) }],
  ["a controller's UID", { adoption: {} }, referringTo({ ownerReferences: [{ controller: true, uid: textless }] })],
  ["a field manager", { adoption: {} }, referringTo({ managedFields: [{ manager: textless }] })],
  ["a remark of an earlier step", { sharedResources: [shared()] }, { context: { [`${DOMAIN}/unavailable`]: remark } }],
])("a request is answered where %s is an object that has no text", (_reason, spec, parts) => {
  const { xr: composite = store(), observed = {}, desired = {}, context = {} } = parts;
  const observing = v2Request(inputOf(spec), stateOf(composite, observed));
  const request = encodeRequest({ ...observing, desired: stateOf({}, desired), context });
  expect(() => runFunction(request)).not.toThrow();
});
