import { describe, expect, test } from "vitest";
import type { Draft } from "../../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../../src/model/json.ts";
import {
  base64,
  type CallParts,
  callOf,
  connectionSecret,
  database,
  draftOfCopy,
  recorded,
  requirementsIn,
  runSharing,
  shared,
  xr,
} from "../../../../testing/builders/sharing.ts";

/** Every way to deliver a copy: what is asked for, and what is composed. */

const v2 = ["Capabilities", "RequiredResources"] as const;
const SECRET = "db/secret";
const TARGET = "shared/db/team-a/orders-db";

const says = ({ conditions }: Draft) => `${conditions[0]?.reason}: ${conditions[0]?.message}`;
const namespaced = xr({
  metadata: { name: "shop", namespace: "team-a" },
  spec: { parameters: { database: "orders" } },
});
const marks = (owner = "Shop.apps.example.org/team-a/shop") => ({
  "shared-infrastructure.fn.crossplane.io/owner": owner,
  "shared-infrastructure.fn.crossplane.io/shared-from": "databases/orders-conn",
});
const label = { "shared-infrastructure.fn.crossplane.io/target": "f07cf4748c39cf683541dc52581d1666984278d9" };
const absent = { [SECRET]: [connectionSecret()], [`${TARGET}/target`]: [], [`${TARGET}/secret/target`]: [] };

describe("via Secret", () => {
  test("the copy itself is composed, with the values", () => {
    const { resources } = draftOfCopy({ via: "Secret", labels: { app: "shop" } }, { answers: absent });
    expect([...resources]).toEqual([
      [
        `${TARGET}/secret`,
        {
          is: "set",
          ready: "False",
          object: {
            apiVersion: "v1",
            kind: "Secret",
            metadata: {
              name: "orders-db",
              namespace: "team-a",
              labels: { app: "shop", ...label },
              annotations: { ...marks(), ...recorded() },
            },
            type: "Opaque",
            data: { password: base64("p@ss/1"), username: base64("app") },
          },
        },
      ],
    ]);
  });

  test("it is ready once it is there", () => {
    const observed = { [`${TARGET}/secret`]: { apiVersion: "v1", kind: "Secret", metadata: { name: "orders-db" } } };
    const draft = draftOfCopy({ via: "Secret" }, { answers: absent, observed });
    expect(draft.resources.get(`${TARGET}/secret`)).toMatchObject({ ready: "True" });
    expect(says(draft)).toBe("Available: undefined");
  });
});

describe("via ConnectionSecret", () => {
  const objectFor = (keys: readonly (readonly [string, string])[], extra: object) => ({
    ...extra,
    kind: "Object",
    spec: {
      managementPolicies: ["Observe"],
      forProvider: { manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } } },
      connectionDetails: keys.map(([from, to]) => ({
        apiVersion: "v1",
        kind: "Secret",
        namespace: "databases",
        name: "orders-conn",
        fieldPath: from,
        toConnectionSecretKey: to,
      })),
    },
  });

  test("on v1 with listed keys nobody reads the Secret", () => {
    const draft = draftOfCopy({ via: "ConnectionSecret", keys: [{ from: "ca.crt", to: "CA" }] }, { capabilities: [] });
    expect(draft.resources.get(`${TARGET}/connection-secret`)).toMatchObject({
      object: {
        ...objectFor([["data[ca.crt]", "CA"]], { apiVersion: "kubernetes.crossplane.io/v1alpha2" }),
        spec: { writeConnectionSecretToRef: { namespace: "team-a", name: "orders-db" } },
      },
    });
    expect([...requirementsIn(draft).keys()]).toEqual(["shared-resource/db"]);
  });

  test("without listed keys they are read, and a new version of the source wakes the provider", () => {
    const { resources } = draftOfCopy({ via: "ConnectionSecret" }, { answers: absent, xr: namespaced });
    expect(resources.get(`${TARGET}/connection-secret`)).toMatchObject({
      object: {
        ...objectFor(
          [
            ["data.password", "password"],
            ["data.username", "username"],
          ],
          { apiVersion: "kubernetes.m.crossplane.io/v1alpha1" },
        ),
        metadata: { annotations: { "shared-infrastructure.fn.crossplane.io/source-version": "42" } },
        spec: { writeConnectionSecretToRef: { name: "orders-db" } },
      },
    });
  });

  test("a Secret that the provider refuses to write is somebody else's", () => {
    const message = 'cannot publish connection details: refusing to modify uncontrolled secret of type "Opaque"';
    const observed = {
      [`${TARGET}/connection-secret`]: {
        kind: "Object",
        status: { conditions: [{ type: "Synced", status: "False", message }] },
      },
    };
    const draft = draftOfCopy({ via: "ConnectionSecret", keys: [{ from: "a", to: "a" }] }, { observed });
    expect(says(draft)).toBe(
      "TargetTaken: db: Secret team-a/orders-db exists and is not a copy of ours, so it is left unchanged: choose another " +
        "secretName, or delete it",
    );
    expect(draft.resources.size).toBe(1);
  });
});

describe("via CompositeConnectionDetails", () => {
  const copies = [{ via: "CompositeConnectionDetails", keys: [{ from: "password", to: "DB_PASSWORD" }] }];
  const sharedResources = [shared({ connection: { copies } })];
  test("the keys are the XR's own, and need a grant for the claim's namespace", () => {
    const { connectionDetails, resources } = draftOfCopy({}, { sharedResources, answers: absent });
    expect([[...connectionDetails], resources.size]).toEqual([[["DB_PASSWORD", base64("p@ss/1")]], 0]);
  });

  test.each<{ reason: string; answers: NonNullable<CallParts["answers"]> }>([
    { reason: "the Secret is not looked up yet", answers: {} },
    { reason: "the Secret is gone", answers: { [SECRET]: [] } },
    { reason: "the shared resource is gone", answers: { db: [] } },
  ])("they stay while $reason", ({ answers }) => {
    const { connectionDetails } = draftOfCopy(
      {},
      { sharedResources, answers, details: { DB_PASSWORD: "old", other: "x" } },
    );
    expect([...connectionDetails]).toEqual([["DB_PASSWORD", base64("old")]]);
  });

  test("without listed keys, what an earlier step desires is newer than what stays", () => {
    const all = [shared({ connection: { copies: [{ via: "CompositeConnectionDetails" }] } })];
    const details = { theirs: "old", ours: "kept" };
    const call = callOf({ capabilities: v2, sharedResources: all, answers: { db: [] }, details });
    const composite = {
      ...call.request.desired.composite,
      connectionDetails: new Map([["theirs", Buffer.from("new")]]),
    };
    const request = { ...call.request, desired: { ...call.request.desired, composite } };
    expect([...runSharing({ ...call, request }).connectionDetails]).toEqual([["ours", base64("kept")]]);
  });
});

describe("keys", () => {
  const dataWith = (keys: readonly JsonObject[], data?: JsonObject) =>
    draftOfCopy({ via: "Secret", keys }, { answers: { ...absent, [SECRET]: [connectionSecret(data)] } });
  const valuesOf = ({ resources }: Draft) =>
    (resources.get(`${TARGET}/secret`) as { object: JsonObject }).object["data"];

  test.each<{ reason: string; keys: readonly JsonObject[]; data: JsonObject }>([
    {
      reason: "renamed, and only those that are listed",
      keys: [{ from: "password", to: "DB_PASSWORD" }],
      data: { DB_PASSWORD: base64("p@ss/1") },
    },
    {
      reason: "a template, as it is and as a part of a URL; braces that stand for themselves",
      keys: [{ value: "{{{username}}}:{password}@{password|url}", to: "url" }],
      data: { url: base64("{app}:p@ss/1@p%40ss%2F1") },
    },
  ])("$reason", ({ keys, data }) => {
    expect(valuesOf(dataWith(keys))).toEqual(data);
  });

  const named = [
    { from: "username", to: "user" },
    { from: "password", to: { fromCompositeFieldPath: "spec.parameters.passwordKey" } },
  ];
  const naming = (passwordKey?: JsonValue) => {
    const parameters = { database: "orders", ...(passwordKey !== undefined && { passwordKey }) };
    return { ...xr(), spec: { ...(xr()["spec"] as JsonObject), parameters } };
  };
  const values = {
    "via: Secret": `${TARGET}/secret`,
    "via: Object": TARGET,
    "via: ConnectionSecret": `${TARGET}/connection-secret`,
  };
  test.each([
    { via: "Secret", found: { user: base64("app"), DB_PASS: base64("p@ss/1") } },
    { via: "Object", found: ["data.username", "data.user", "data.password", "data.DB_PASS"] },
    { via: "ConnectionSecret", found: ["user", "DB_PASS"] },
  ])("with via: $via take a name from a field of the XR", ({ via, found }) => {
    const draft = draftOfCopy({ via, keys: named }, { xr: naming("DB_PASS"), answers: absent });
    const edit = draft.resources.get(values[`via: ${via}` as keyof typeof values]) as { object: JsonObject };
    const { references = [], connectionDetails = [] } = (edit.object["spec"] ?? {}) as {
      references?: readonly { patchesFrom: { fieldPath: string }; toFieldPath: string }[];
      connectionDetails?: readonly { toConnectionSecretKey: string }[];
    };
    const names = [
      ...references.flatMap(({ patchesFrom, toFieldPath }) => [patchesFrom.fieldPath, toFieldPath]),
      ...connectionDetails.map(({ toConnectionSecretKey }) => toConnectionSecretKey),
    ];
    expect(names.length > 0 ? names : edit.object["data"]).toEqual(found);
  });

  test.each<{ reason: string; passwordKey?: JsonValue; condition: string }>([
    {
      reason: "is not set",
      condition: "FieldNotSet: db: spec.parameters.passwordKey of the XR is not set",
    },
    {
      reason: "holds an object",
      passwordKey: {},
      condition: "FieldNotSet: db: spec.parameters.passwordKey of the XR is not set",
    },
    {
      reason: "holds what no key can be called",
      passwordKey: "../db",
      condition: 'InvalidTarget: db: "../db" is not a Secret\'s key',
    },
    {
      reason: "names a key that is there already",
      passwordKey: "user",
      condition: "InvalidTarget: db: more than one key is named user",
    },
  ])("a field of the XR that $reason keeps the copy as it is", ({ passwordKey, condition }) => {
    const kept = { apiVersion: "v1", kind: "Secret", metadata: { name: "orders-db" }, data: { user: "b2xk" } };
    const draft = draftOfCopy(
      { via: "Secret", keys: named },
      { xr: naming(passwordKey), answers: absent, observed: { [`${TARGET}/secret`]: kept } },
    );
    expect(says(draft)).toBe(condition);
    expect(draft.resources.get(`${TARGET}/secret`)).toEqual({ is: "set", object: kept, ready: "True" });
    expect([...requirementsIn(draft).keys()]).not.toContain("shared-resource/db/secret");
  });

  test("all of 200, binary and empty ones among them, come as they are", () => {
    const data = Object.fromEntries([
      ...Array.from({ length: 198 }, (_, index) => [`k${index}`, base64(`v${index}`)]),
      ["binary", Buffer.from([0, 255, 254]).toString("base64")],
      ["empty", ""],
    ]);
    const draft = draftOfCopy({ via: "Secret" }, { answers: { ...absent, [SECRET]: [connectionSecret(data)] } });
    expect(valuesOf(draft)).toEqual(data);
  });

  test.each<{ reason: string; keys: readonly JsonObject[]; data?: JsonObject; condition: string }>([
    {
      reason: "a key that is not there",
      keys: [{ from: "ca", to: "ca" }],
      condition: "KeyNotFound: db: Secret databases/orders-conn has no key ca",
    },
    {
      reason: "a template with one",
      keys: [{ value: "{ca}", to: "ca" }],
      condition: "KeyNotFound: db: Secret databases/orders-conn has no key ca",
    },
    {
      reason: "a template with bytes that are no text",
      keys: [{ value: "{ca}", to: "ca" }],
      data: { ca: Buffer.from([0xff]).toString("base64") },
      condition:
        "KeyIsNotText: db: key ca of Secret databases/orders-conn is not text, so a template cannot contain it",
    },
  ])("$reason keeps the copy and says so", ({ keys, data, condition }) => {
    const kept = { apiVersion: "v1", kind: "Secret", metadata: { name: "orders-db" }, data: { ca: "b2xk" } };
    const draft = draftOfCopy(
      { via: "Secret", keys },
      { answers: { ...absent, [SECRET]: [connectionSecret(data)] }, observed: { [`${TARGET}/secret`]: kept } },
    );
    expect(says(draft)).toBe(condition);
    expect(draft.resources.get(`${TARGET}/secret`)).toEqual({ is: "set", object: kept, ready: "True" });
  });
});

test("a large Secret is not copied more often than an answer to Crossplane can hold", () => {
  const namespaces = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  const everywhere = database({ annotations: { "shared-infrastructure.fn.crossplane.io/allowed-namespaces": "*" } });
  const draft = draftOfCopy(
    { via: "Secret", namespaces },
    { answers: { db: [everywhere], [SECRET]: [connectionSecret({ large: "A".repeat(1024 * 1024) })] } },
  );
  expect(draft.resources.size).toBe(2);
  expect(says(draft)).toContain("TooLarge: db: 998 copies are left out: the response would exceed Crossplane's limit");
});

test("nor are the Secrets of several shared resources, whose answers are one: the first in the input come first", () => {
  const names = ["a", "b", "c", "d"];
  const large = { large: "A".repeat(1024 * 1024) };
  const draft = draftOfCopy(
    {},
    {
      sharedResources: names.map((name) =>
        shared({ name, connection: { copies: [{ via: "Secret", secretName: name }] } }),
      ),
      answers: Object.fromEntries(
        names.flatMap((name) => [
          [name, [database()]],
          [`${name}/secret`, [connectionSecret(large)]],
          [`shared/${name}/team-a/${name}/secret/target`, []],
        ]),
      ),
    },
  );
  expect([...draft.resources.keys()]).toEqual(["shared/a/team-a/a/secret", "shared/b/team-a/b/secret"]);
  expect(says(draft)).toContain("c: 1 copy is left out");
  expect(says(draft)).toContain("d: 1 copy is left out");
});

test.each<{ reason: string; copy: JsonObject; data: JsonObject; copies: number }>([
  {
    reason: "what a template makes of its values",
    copy: { via: "Secret", keys: ["a", "b"].map((to) => ({ to, value: "{password|url}" })) },
    data: { password: Buffer.from("%".repeat(100_000)).toString("base64") },
    copies: 3,
  },
  {
    reason: "the names of its keys, which an Object repeats",
    copy: { via: "ConnectionSecret" },
    data: Object.fromEntries(Array.from({ length: 1600 }, (_, index) => [`${index}`.padStart(253, "k"), "eA=="])),
    copies: 2,
  },
  {
    reason: "those that the input lists",
    copy: { keys: Array.from({ length: 1600 }, (_, index) => ({ from: "a", to: `${index}`.padStart(253, "k") })) },
    data: {},
    copies: 4,
  },
])("$reason count as well", ({ copy, data, copies }) => {
  const names = Array.from({ length: 6 }, (_, index) => ({ ...copy, secretName: `s${index}` }));
  const draft = draftOfCopy(
    {},
    { sharedResources: [shared({ connection: { copies: names } })], answers: { [SECRET]: [connectionSecret(data)] } },
  );
  expect(draft.resources.size).toBe(copies);
  expect(says(draft)).toContain(`TooLarge: db: ${6 - copies} copies are left out`);
});

describe("the source Secret is asked for last, and with it the Secret that it is copied to", () => {
  test.each<{ reason: string; copy: JsonObject; parts?: CallParts; asked: readonly string[] }>([
    { reason: "never where the provider reads it", copy: { via: "Object" }, asked: [`${TARGET}/target`] },
    {
      reason: "where its values are needed",
      copy: { via: "Secret" },
      asked: ["shared-resource/db/secret", `${TARGET}/secret/target`],
    },
    {
      reason: "not before access is granted",
      copy: { via: "Secret" },
      parts: { answers: { db: [database({ annotations: {} })] } },
      asked: [],
    },
    {
      reason: "where one of two namespaces is granted",
      copy: { via: "Secret", namespaces: ["team-a", "team-b"] },
      asked: ["shared-resource/db/secret", `${TARGET}/secret/target`],
    },
  ])("$reason", ({ copy, parts, asked }) => {
    expect([...requirementsIn(draftOfCopy(copy, parts)).keys()]).toEqual(["shared-resource/db", ...asked]);
  });

  test("one that is gone keeps the copies, or takes them away where the input says so", () => {
    const observed = { [`${TARGET}/secret`]: { apiVersion: "v1", kind: "Secret", metadata: { name: "orders-db" } } };
    const copies = [{ secretName: "orders-db", via: "Secret" }];
    const kept = ["Keep", "Delete"].map((onSourceMissing) => {
      const sharedResources = [shared({ connection: { onSourceMissing, copies } })];
      const draft = draftOfCopy({}, { sharedResources, observed, answers: { [SECRET]: [] } });
      return [draft.resources.size, says(draft)];
    });
    const gone = "SourceNotFound: db: Secret databases/orders-conn does not exist";
    expect(kept).toEqual([
      [1, gone],
      [0, gone],
    ]);
  });
});

describe("a target is written to only by whom it belongs to", () => {
  const target = (annotations: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "team-a", name: "orders-db", annotations },
  });
  const other = "Shop.apps.example.org/team-a/another";
  const observed = {
    apiVersion: "kubernetes.crossplane.io/v1alpha2",
    kind: "Object",
    spec: { forProvider: { manifest: { kind: "Secret" } }, references: [] },
  };
  /** The Object as Crossplane has written it in generation 5, and as the provider has seen it so far. */
  const observing = (observedGeneration: number): JsonObject => ({
    ...observed,
    metadata: { generation: 5 },
    spec: { ...observed.spec, managementPolicies: ["Observe"] },
    status: { conditions: [{ type: "Synced", status: "True", observedGeneration }] },
  });
  const taken = (holder: string) =>
    `TargetTaken: db: Secret team-a/orders-db is a copy made by ${holder}: choose another secretName`;

  test.each<{ reason: string; parts: CallParts; composed: unknown; condition: string }>([
    {
      reason: "nothing is composed before it has been looked up",
      parts: { answers: { [`${TARGET}/target`]: "pending" } },
      composed: undefined,
      condition: "WaitingForRequiredResources: db: waiting for Crossplane to look up Secret",
    },
    {
      reason: "nobody has it",
      parts: { answers: absent },
      composed: expect.anything(),
      condition: "WaitingForCopies: db: waiting for Secret team-a/orders-db to be written",
    },
    {
      reason: "it is ours, from before a restore",
      parts: { answers: { [`${TARGET}/target`]: [target(marks())] } },
      composed: expect.anything(),
      condition: "WaitingForCopies: db: waiting for Secret team-a/orders-db to be written",
    },
    {
      reason: "it is nobody's copy",
      parts: { answers: { [`${TARGET}/target`]: [target({})] } },
      composed: undefined,
      condition:
        "TargetTaken: db: Secret team-a/orders-db exists and is not a copy of ours, so it is left unchanged: choose another " +
        "secretName, or delete it",
    },
    {
      reason: "it is another XR's copy",
      parts: { answers: { [`${TARGET}/target`]: [target(marks(other))] } },
      composed: undefined,
      condition: taken(other),
    },
    {
      reason: "it was ours and is another XR's now: it is given up without deleting it",
      parts: { observed: { [TARGET]: observed }, answers: { [`${TARGET}/target`]: [target(marks(other))] } },
      composed: expect.objectContaining({
        object: expect.objectContaining({ spec: expect.objectContaining({ managementPolicies: ["Observe"] }) }),
      }),
      condition: taken(other),
    },
    {
      reason: "it is not dropped before the provider has read that it only observes",
      parts: {
        observed: { [TARGET]: observing(4) },
        answers: { [`${TARGET}/target`]: [target(marks(other))] },
      },
      composed: expect.objectContaining({
        object: expect.objectContaining({ spec: expect.objectContaining({ managementPolicies: ["Observe"] }) }),
      }),
      condition: taken(other),
    },
    {
      reason: "nor while the provider has never looked at it",
      parts: {
        observed: { [TARGET]: { ...observing(4), status: {} } },
        answers: { [`${TARGET}/target`]: [target(marks(other))] },
      },
      composed: expect.objectContaining({ is: "set" }),
      condition: taken(other),
    },
    {
      reason: "and is dropped when it has",
      parts: {
        observed: { [TARGET]: observing(5) },
        answers: { [`${TARGET}/target`]: [target(marks(other))] },
      },
      composed: undefined,
      condition: taken(other),
    },
    {
      reason: "what is composed stays while it is looked up",
      parts: { observed: { [TARGET]: observed }, answers: { [`${TARGET}/target`]: "pending" } },
      composed: { is: "set", ready: "False", object: observed },
      condition: "WaitingForRequiredResources: db: waiting for Crossplane to look up Secret",
    },
  ])("$reason", ({ parts, composed, condition }) => {
    const draft = draftOfCopy({}, parts);
    expect(draft.resources.get(TARGET)).toEqual(composed);
    expect(says(draft)).toBe(condition);
  });
});

test("on v1 copies of ours are found by their label, and other Secrets not at all", () => {
  const draft = draftOfCopy({}, { capabilities: [] });
  const { resources } = draft;
  expect(requirementsIn(draft).get(`${TARGET}/target`)).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    match: { labels: label },
  });
  expect(resources.get(TARGET)).toMatchObject({
    object: { spec: { forProvider: { manifest: { metadata: { labels: label } } } } },
  });
});

const needsV2 = "needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2";

describe("what this generation of Crossplane or this XR cannot do is said at once", () => {
  test.each<{
    reason: string;
    copies: readonly JsonObject[];
    more?: JsonObject;
    parts?: CallParts;
    faults: readonly string[];
  }>([
    {
      reason: "v1 cannot look up Secrets and ReferenceGrants",
      parts: { capabilities: [] },
      more: { grant: "ReferenceGrant" },
      copies: [
        { secretName: "a", via: "Secret" },
        {
          secretName: "b",
          keys: [
            { from: "a", to: "a" },
            { value: "b", to: "b" },
            { value: "{c}", to: "c" },
          ],
        },
        { secretName: "c", via: "ConnectionSecret" },
        { via: "CompositeConnectionDetails" },
      ],
      faults: [
        `grant: ReferenceGrant ${needsV2}; else use Annotation`,
        `connection.copies[0].via: Secret ${needsV2}; else use Object or ConnectionSecret`,
        `connection.copies[1].keys[2].value: a key of the Secret ${needsV2}; else use from`,
        `connection.copies[2].keys: required here: reading them from the Secret ${needsV2}`,
        `connection.copies[3].via: CompositeConnectionDetails ${needsV2}; else use Object or ConnectionSecret`,
      ],
    },
    {
      reason: "an XR of v2 has no connection details",
      parts: { xr: namespaced },
      copies: [{ via: "CompositeConnectionDetails" }],
      faults: ["connection.copies[0].via: XShop has no connection details, as all XRs of Crossplane v2; use Object"],
    },
  ])("$reason", ({ copies, more, parts, faults }) => {
    const run = () => draftOfCopy({}, { ...parts, sharedResources: [shared({ connection: { copies }, ...more })] });
    expect(run).toThrow(
      ["cannot use the input:", ...faults.map((fault) => `  spec.sharedResources[0].${fault}`)].join("\n"),
    );
  });

  test.each(["Secret", "ConnectionSecret"])("a namespaced XR reaches no other namespace via %s", (via) => {
    const answers = {
      db: [database({ annotations: { "shared-infrastructure.fn.crossplane.io/allowed-namespaces": "*" } })],
    };
    const draft = draftOfCopy({ via, namespaces: "team-b" }, { xr: namespaced, answers });
    expect(says(draft)).toBe(
      `InvalidTarget: db: via: ${via} cannot reach namespace team-b from an XR in namespace team-a; via: Object can`,
    );
  });
});
