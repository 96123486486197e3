import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { DEPENDS_ON } from "../../../src/ownership/annotations.ts";
import { RECORD_NAME, readBindings } from "../../../src/records/record.ts";
import { type CallParts, callOf, V2 } from "../../../testing/builders/calls.ts";
import { copying, KEY, objectIn, recorded } from "../../../testing/builders/copies.ts";
import { reasonIn, requirementsIn, says } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { fromXr, grantedTo, naming, toStatus } from "../../../testing/builders/shared-database.ts";
import { database, observedObject, POSTGRES, shared, xr } from "../../../testing/builders/sharing.ts";

/** An XR that was served, and whose fields do not say any more what is copied where, or what from. */

const POLICY = { apiVersion: "iam.example.org/v1", kind: "Policy" };
const mark = { [DEPENDS_ON]: JSON.stringify({ db: { ...POSTGRES, name: "orders" } }) };
const policy = { ...POLICY, metadata: { name: "policy-1", uid: "u", annotations: mark } };
const object = observedObject({ ready: "True" });
const patchesFrom = {
  apiVersion: "v1",
  kind: "Secret",
  namespace: "databases",
  name: "orders-conn",
  fieldPath: "data",
};
const references = [{ patchesFrom, toFieldPath: "data" }];
const copy = {
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), annotations: recorded() },
  spec: { ...(object["spec"] as JsonObject), references },
};
const binding = { ...POSTGRES, name: "orders", access: "Granted", secrets: ["team-a/orders-db"] };
const boundWith = (more: JsonObject = {}) => ({
  [RECORD_NAME]: { data: { db: JSON.stringify([{ ...binding, ...more }]) } },
});

const draftOf = (parts: CallParts): Draft =>
  runFeature(sharing, callOf({ capabilities: V2, desired: { policy: POLICY }, ...parts }));
const recordOf = (draft: Draft) =>
  readBindings(documentOf(objectIn(draft, RECORD_NAME) ?? {}))
    .get("db")
    ?.at(0);
const endpointIn = (draft: Draft): unknown => draft.composite.find(({ path }) => path[1] === "db")?.value;

const fields = { secret: "orders-db", spaces: ["team-a"] };
const status = { db: "old.example.org" };
const readingFields = { secretName: fromXr("spec.secret"), namespaces: fromXr("spec.spaces") };
const values = (...all: readonly JsonValue[]) => all.flatMap((value) => [{ secret: value }, { spaces: value }]);
const lost: readonly JsonObject[] = [
  { secret: "" },
  ...values([], {}, null, "A B", ["team-a", {}]),
  { keys: 7 },
  { keys: {} },
  { keys: { "a/b": "c" } },
];

describe("an XR of the platform, which has no namespace of its own, keeps what it has while a field of its copy is lost:", () => {
  const share = { ...copying({ ...readingFields, keys: fromXr("spec.keys") }), dependents: ["policy"] };
  const sharedResources = [{ ...share, patches: [toStatus("db")] }];
  const observed = { [KEY]: copy, policy, ...boundWith() };
  const outcome = (spec: JsonObject, allowed: string, record: CallParts["observed"] = observed) => {
    const items = [grantedTo(allowed)];
    const parameters = { database: "orders" };
    const asking = xr({ spec: { parameters, ...fields, keys: { a: "b" }, ...spec }, status });
    const draft = draftOf({
      xr: asking,
      sharedResources,
      observed: record,
      answers: { db: items, "db/recorded": items },
    });
    const isKept = [KEY, "policy"].map((name) => draft.resources.get(name)?.is === "set");
    return [reasonIn(draft), recordOf(draft)?.access, endpointIn(draft), ...isKept];
  };
  const now = "orders.db.example.org";
  test.each(lost)("%j", (spec) => {
    const reason = expect.stringMatching(/^(?:FieldNotSet|InvalidTarget)$/);
    expect(outcome(spec, "team-a")).toEqual([reason, "Granted", now, true, true]);
    expect(outcome(spec, "team-b")).toEqual(["AccessNotGranted", "Revoked", undefined, false, false]);
  });

  test("which is not told of a grant while it is not known to which namespace", () => {
    expect(outcome({ secret: "" }, "team-a", {})).toEqual(["FieldNotSet", "Requested", undefined, false, false]);
  });
});

describe("an XR with a credential of its own asks for it while a field of its copy is lost:", () => {
  const connection = { secretRef: { perConsumer: true } };
  const sharedResources = [copying({ ...readingFields, keys: fromXr("spec.keys"), via: "Secret" }, connection)];
  const observed = boundWith({ credentialFor: "team-a" });
  const elsewhere = [
    { spaces: ["team-b", "team-a"] },
    { spaces: ["team-a", "team-b"] },
    { spaces: "team-b", secret: "Not a name" },
  ];
  test.each([...lost, ...elsewhere])("%j", (spec) => {
    const asking = naming("orders", { ...fields, keys: { a: "b" }, ...spec });
    const draft = draftOf({ xr: asking, sharedResources, observed, answers: { db: [grantedTo("*")], answer: [] } });
    expect(["FieldNotSet", "InvalidTarget"]).toContain(reasonIn(draft));
    expect(recordOf(draft)).toMatchObject({ access: "Granted", credentialFor: "team-a" });
  });
});

describe("a revocation is told also where a field of the copy is lost:", () => {
  test.each(lost)("%j", (spec) => {
    const sharedResources = [copying({ ...readingFields, keys: fromXr("spec.keys") })];
    const asking = naming("orders", { ...fields, keys: { a: "b" }, ...spec });
    const items = [grantedTo("team-b")];
    const answers = { db: items, "db/recorded": items };
    const draft = draftOf({ xr: asking, sharedResources, observed: { [KEY]: copy, ...boundWith() }, answers });
    expect(says(draft)).toMatch(/^AccessNotGranted: .*; db: /);
    expect(draft.resources.has(KEY)).toBe(false);
  });
});

test.each([
  ["is there", [database()], "orders.db.example.org"],
  ["is not looked up yet", "pending", "old.example.org"],
  ["is gone", [], undefined],
] as const)(
  "with onSourceMissing: Delete the status of an XR that names what does not exist follows the bound resource, which %s",
  (_reason, recordedNow, endpoint) => {
    const sharedResources = [
      {
        ...shared(),
        connection: { ...(copying({}, { onSourceMissing: "Delete" })["connection"] as JsonObject) },
        patches: [toStatus("db")],
      },
    ];
    const asking = { ...naming("nope"), status };
    const answers = { db: [], "db/recorded": recordedNow };
    const draft = draftOf({ xr: asking, sharedResources, observed: { [KEY]: copy, ...boundWith() }, answers });
    expect([endpointIn(draft), draft.resources.has(KEY)]).toEqual([endpoint, recordedNow.length > 0]);
  },
);

test("what an XR composes with its own credentials stays while the XR names no Secret, whatever the input says of grants", () => {
  const { apiVersion: _, kind: __, ...self } = shared({ grant: "ReferenceGrant", select: { self: {} } });
  const sharedResources = [{ ...self, dependents: ["policy"] }];
  const draft = draftOf({ sharedResources, observed: { policy } });
  expect([says(draft), draft.resources.get("policy")?.is]).toEqual([
    expect.stringContaining("NoConnectionSecret"),
    "set",
  ]);
});

test("the grant of a bound resource is judged without its answer to the XR, which another namespace may need", () => {
  const connection = { secretRef: { perConsumer: true } };
  const sharedResources = [copying({ via: "Secret" }, connection)];
  const answers = { "db/recorded": [database()] };
  const draft = draftOf({ xr: naming(), sharedResources, observed: boundWith(), answers });
  expect([...requirementsIn(draft).keys()]).not.toContain("shared-resource/answer");
});
