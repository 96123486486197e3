import { describe, expect, test } from "vitest";
import { toRequirement } from "../../../src/crossplane/requirement-names.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { SHARED_FROM } from "../../../src/ownership/annotations.ts";
import { RECORD_NAME } from "../../../src/ownership/record.ts";
import {
  ACCEPT,
  ALLOWED,
  boundTo,
  type CallParts,
  callOf,
  database,
  namespaceOf,
  RECORD,
  recorded,
  requirementsIn,
  runSharing,
  shared,
  toBaseName,
  xr,
} from "../../../testing/builders/sharing.ts";

/** What a team that edits its own XRs and claims as it likes cannot do (docs/security.md). */

const v2 = ["Capabilities", "RequiredResources"] as const;
const KEY = "shared/db/team-a/orders-db";
const free = { [`${KEY}/target`]: [] };

const draftOf = (parts: CallParts): Draft =>
  runSharing(callOf({ capabilities: v2, ...parts, answers: { ...free, ...parts.answers } }));
const reasonIn = ({ conditions }: Draft) => conditions[0]?.reason;
const says = ({ conditions }: Draft) => `${conditions[0]?.reason}: ${conditions[0]?.message}`;
const desired = ({ resources }: Draft) => [...resources].filter(([, edit]) => edit.is === "set").map(([key]) => key);

interface CopyParts {
  readonly record?: JsonObject;
  readonly policies?: readonly string[];
  readonly secret?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly status?: JsonObject;
}

/** The Object of a copy that is there, made from the database unless a test says otherwise. */
const copyOf = ({
  record = recorded(),
  policies = ["*"],
  secret = "orders-conn",
  ...rest
}: CopyParts = {}): JsonObject => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: { name: "shop-x7k2p-abc", generation: 2, annotations: { ...record, "crossplane.io/external-name": "x" } },
  spec: {
    managementPolicies: policies,
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: rest.name ?? "orders-db", namespace: rest.namespace ?? "team-a" },
      },
    },
    providerConfigRef: { name: "default" },
    references: [
      {
        patchesFrom: { apiVersion: "v1", kind: "Secret", namespace: "databases", name: secret, fieldPath: "data" },
        toFieldPath: "data",
      },
    ],
  },
  status: rest.status ?? {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Synced", status: "True", observedGeneration: 2 },
    ],
  },
});

/** The Object as it goes back: what we desired of it, and nothing else. */
function asKept(copy: JsonObject) {
  const { apiVersion, kind, spec } = copy as Record<string, JsonObject>;
  const { managementPolicies, ...rest } = spec ?? {};
  const limited = JSON.stringify(managementPolicies) === '["*"]' ? {} : { managementPolicies };
  const record = documentOf(copy).at(["metadata", "annotations", RECORD]);
  return { apiVersion, kind, metadata: { annotations: { [RECORD]: record } }, spec: { ...rest, ...limited } };
}

const observed = { [KEY]: copyOf() };
const named = (database: unknown) =>
  xr({
    spec: { claimRef: { kind: "Shop", namespace: "team-a", name: "shop" }, parameters: { database } },
  } as JsonObject);
const connection = (copy: JsonObject, more: JsonObject = {}) => ({
  connection: { copies: [{ secretName: "orders-db", ...copy }], ...more },
});

/** What a consumer can say to have its share lead nowhere, while the recorded database is there. */
const attacks: readonly (CallParts & { reason: string })[] = [
  { reason: "names what is not there", xr: named("nope"), answers: { db: [] } },
  { reason: "names what no resource can be called", xr: named("../orders") },
  { reason: "clears the name", xr: named(undefined) },
  { reason: "makes an object of the name", xr: named({ a: 1 }) },
  {
    reason: "names a database of its own, which grants",
    xr: named("decoy"),
    answers: { db: [database({ metadata: { name: "decoy", annotations: { [ALLOWED]: "*" } }, spec: {} })] },
  },
  {
    reason: "names a database that does not grant",
    xr: named("other"),
    answers: { db: [database({ metadata: { name: "other" } })] },
  },
  {
    reason: "gives the target an invalid name",
    sharedResources: [shared(connection({ secretName: { fromCompositeFieldPath: "spec.claimRef.kind" } }))],
    answers: { db: [database()] },
  },
  {
    reason: "clears the target's name",
    sharedResources: [shared(connection({ secretName: { fromCompositeFieldPath: "spec.none" } }))],
    answers: { db: [database()] },
  },
  {
    reason: "makes a decoy in a namespace of its own",
    sharedResources: [shared({ select: { matchLabels: { db: "orders" } } })],
    answers: { db: [database(), database({ metadata: { name: "decoy", namespace: "evil" } })] },
  },
  {
    reason: "names what is not there, of an Optional share",
    xr: named("nope"),
    answers: { db: [] },
    sharedResources: [shared({ resolution: "Optional" })],
  },
  {
    reason: "names what is not there, and the share was renamed",
    xr: named("nope"),
    sharedResources: [shared({ name: "database" })],
    answers: { database: [], "shared/database/team-a/orders-db/target": [] },
  },
];

describe("a copy lives as long as the grant that it was made under, when the consumer", () => {
  const recordedAnswer = (items: readonly JsonObject[]) => ({ "db/recorded": items, "database/recorded": items });

  test.each(attacks)("$reason: granted, the copy stays exactly as it is", (parts) => {
    const answers = recordedAnswer([database()]);
    const draft = draftOf({ ...parts, observed, answers: { ...parts.answers, ...answers } });
    expect(draft.resources.get(KEY)).toEqual({ is: "set", ready: "True", object: asKept(copyOf()) });
  });

  test.each(attacks)("$reason: taken back, the copy goes", (parts) => {
    const answers = recordedAnswer([database({ annotations: { [ALLOWED]: "team-b" } })]);
    const granted = parts.answers?.["db"] ?? [];
    const db = granted === "pending" ? [] : granted.map(withoutGrantOfOrders);
    const draft = draftOf({
      ...parts,
      observed,
      answers: { ...parts.answers, ...(parts.answers?.["db"] && { db }), ...answers },
    });
    expect(desired(draft)).toEqual([]);
  });

  test.each(attacks)("$reason: not known yet, the copy stays exactly as it is", (parts) => {
    const draft = draftOf({ ...parts, observed });
    expect(draft.resources.get(KEY)).toMatchObject({ object: asKept(copyOf()) });
  });

  test.each(attacks)("$reason: the database gone, onSourceMissing decides", (parts) => {
    const answers = recordedAnswer([]);
    const kept = ["Keep", "Delete"].map((onSourceMissing) => {
      const sharedResources = (parts.sharedResources ?? [shared()]).map((one) => ({
        ...one,
        connection: { ...(one["connection"] as JsonObject), onSourceMissing },
      }));
      const db = parts.answers?.["db"];
      const without = db === undefined || db === "pending" ? db : db.filter((item) => !isOrders(item));
      // Where the database is found as well as recorded, it is not gone.
      if (Array.isArray(db) && without?.length !== db.length) return [true, true];
      const draft = draftOf({ ...parts, sharedResources, observed, answers: { ...parts.answers, ...answers } });
      return desired(draft).length === 1;
    });
    expect([
      [true, false],
      [
        [true, true],
        [true, true],
      ],
    ]).toContainEqual(kept);
  });

  const isOrders = (item: JsonObject): boolean => (item["metadata"] as JsonObject)["name"] === "orders";
  const withoutGrantOfOrders = (item: JsonObject): JsonObject =>
    isOrders(item) ? { ...item, metadata: { name: "orders", annotations: {} } } : item;
});

describe("the record of a copy", () => {
  const nowhere = { xr: named("nope") };
  test("is asked for by name, and only while the share leads elsewhere", () => {
    const asked = (parts: CallParts) =>
      requirementsIn(draftOf({ observed, ...parts })).get("shared-resource/db/recorded");
    expect(asked({ ...nowhere, answers: { db: [] } })).toEqual({
      apiVersion: "data.example.org/v1",
      kind: "XPostgres",
      namespace: undefined,
      match: { name: "orders" },
    });
    expect(asked({ answers: { db: [database()] } })).toBeUndefined();
    expect(asked({})).toBeUndefined();
  });

  test.each<{ reason: string; copy: CopyParts; answers: NonNullable<CallParts["answers"]>; isKept: boolean }>([
    {
      reason: "does not count for a Secret that the database does not name",
      copy: { secret: "another-conn" },
      answers: { db: [], "db/recorded": [database()] },
      isKept: false,
    },
    {
      reason: "that is no record does not count: a copy from before is kept until it is written again",
      copy: { record: { [RECORD]: "{" } },
      answers: { db: [], "db/recorded": [] },
      isKept: false,
    },
  ])("$reason", ({ copy, answers, isKept }) => {
    const sharedResources = [shared(connection({}, { onSourceMissing: "Delete" }))];
    const draft = draftOf({ ...nowhere, sharedResources, observed: { [KEY]: copyOf(copy) }, answers });
    expect(desired(draft).length > 0).toBe(isKept);
  });

  test("is made where there is none, as the copy is written again", () => {
    const draft = draftOf({ observed: { [KEY]: copyOf({ record: {} }) }, answers: { db: [database()] } });
    expect(draft.resources.get(KEY)).toMatchObject({ object: { metadata: { annotations: recorded() } } });
  });

  const billing = database({ metadata: { name: "billing", annotations: { [ALLOWED]: "*" } } });
  const moving = (items: readonly JsonObject[] | "pending", copy = copyOf()) =>
    draftOf({ xr: named("billing"), observed: { [KEY]: copy }, answers: { db: [billing], "db/recorded": items } });
  const OWNER = "shared-infrastructure.fn.crossplane.io/owner";
  const EARLIER = "shared-infrastructure.fn.crossplane.io/earlier-shared-resources";
  const earlier = { [EARLIER]: `[${String(recorded()[RECORD])}]` };
  const moved = { ...recorded("billing"), ...earlier };

  test("follows the share to another resource, and keeps what may still be in the Secret", () => {
    const draft = moving([database()]);
    expect(draft.resources.get(KEY)).toMatchObject({ object: { metadata: { annotations: moved } } });
  });

  const unseen = { conditions: [{ type: "Synced", status: "False", observedGeneration: 2 }] };
  test.each<{ reason: string; items: readonly JsonObject[] | "pending"; copy: JsonObject; annotations: unknown }>([
    {
      reason: "stays while it is not known who grants the old one",
      items: "pending",
      copy: copyOf(),
      annotations: recorded(),
    },
    {
      reason: "goes first where the old one is not granted any more",
      items: [database({ annotations: {} })],
      copy: copyOf(),
      annotations: undefined,
    },
    {
      reason: "still counts while the provider cannot write what comes from the new one",
      items: [database()],
      copy: copyOf({ record: moved, status: unseen }),
      annotations: moved,
    },
    {
      reason: "and goes then when the old one is not granted any more",
      items: [database({ annotations: {} })],
      copy: copyOf({ record: moved, status: unseen }),
      annotations: undefined,
    },
    {
      reason: "is forgotten when the provider has written what comes from the new one",
      items: "pending",
      copy: copyOf({ record: moved }),
      annotations: recorded("billing"),
    },
  ])("that has moved $reason", ({ items, copy, annotations }) => {
    const edit = moving(items, copy).resources.get(KEY);
    const object = edit?.is === "set" && edit.object !== undefined ? documentOf(edit.object) : undefined;
    const { [OWNER]: _, ...records } = (object?.at(["metadata", "annotations"]) ?? {}) as JsonObject;
    expect(object && records).toEqual(annotations);
  });

  test("that has moved counts with all that it names while the share leads nowhere", () => {
    const attack = (items: readonly JsonObject[]) =>
      draftOf({
        xr: named("nope"),
        observed: { [KEY]: copyOf({ record: moved, status: unseen }) },
        answers: { db: [], "db/recorded": items },
      });
    expect(
      [attack([database()]), attack([database({ annotations: {} })])].map((draft) => desired(draft).length),
    ).toEqual([1, 0]);
  });
});

test("with minMatch: 0 copies outlive their source as onSourceMissing says", () => {
  const select = { matchLabels: { db: "orders" }, minMatch: 0 };
  const kept = ["Keep", "Delete"].map((onSourceMissing) => {
    const sharedResources = [shared({ select, ...connection({}, { onSourceMissing }) })];
    return desired(draftOf({ sharedResources, observed, answers: { db: [], "db/recorded": [] } })).length;
  });
  expect(kept).toEqual([1, 0]);
});

test.each([{ policies: ["Observe"] }, { policies: ["Observe", "Create", "Update"] }])(
  "a copy that is kept keeps its management policies: $policies",
  ({ policies }) => {
    const draft = draftOf({ observed: { [KEY]: copyOf({ policies }) }, answers: { db: "pending" } });
    expect(draft.resources.get(KEY)).toMatchObject({ object: { spec: { managementPolicies: policies } } });
  },
);

describe("a list of namespaces from the XR", () => {
  const sharedResources = [shared(connection({ namespaces: { fromCompositeFieldPath: "spec.apps" } }))];
  const listing = (apps: readonly string[]) =>
    xr({ spec: { claimRef: { namespace: "team-a", name: "shop" }, parameters: { database: "orders" }, apps } });
  const everywhere = { db: [database({ annotations: { [ALLOWED]: "*" } })] };

  test("that names one twice means it once", () => {
    const draft = draftOf({ xr: listing(["team-a", "team-a"]), sharedResources, answers: everywhere });
    expect([desired(draft), says(draft)]).toEqual([
      [KEY],
      "WaitingForCopies: db: waiting for Secret team-a/orders-db to be written",
    ]);
  });

  test("that is longer than 1,000 is cut off, and the condition says so", () => {
    const apps = Array.from({ length: 1005 }, (_, index) => `n${index}`);
    const draft = draftOf({ xr: listing(apps), sharedResources, answers: everywhere, spaces: apps });
    expect(requirementsIn(draft).size).toBeLessThan(2002);
    expect(draft.conditions[0]?.message).toContain(
      "only the first 1000 copies are made, the most for one shared resource",
    );
  });

  test("costs what its bytes cost, as does the owner's annotation", () => {
    const apps = Array.from({ length: 4000 }, (_, index) => `n${index}`);
    const allowed = ",".repeat(250_000);
    const parts = {
      xr: listing(apps),
      sharedResources,
      answers: { db: [database({ annotations: { [ALLOWED]: allowed } })] },
    };
    const call = callOf({ capabilities: v2, ...parts });
    const before = process.cpuUsage();
    runSharing(call);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

describe("a namespace has a say in what is copied into it", () => {
  const byField = shared(connection({ namespaces: { fromCompositeFieldPath: "spec.where" } }));
  const evil = (spec: JsonObject = {}): JsonObject => ({
    apiVersion: "apps.example.org/v1",
    kind: "XShop",
    metadata: { name: "shop", namespace: "evil" },
    spec: { parameters: { database: "orders" }, where: "kube-system", ...spec },
  });
  const everywhere = { db: [database({ annotations: { [ALLOWED]: "*" } })] };
  const at = (namespace: string) => `shared/db/${namespace}/orders-db`;
  const answersFor = (namespace: string, items: readonly JsonObject[] | "pending") => ({
    ...everywhere,
    [`${at(namespace)}/target`]: [],
    [`namespace/${namespace}`]: items,
  });
  /** What Crossplane v2.4 says two minutes after it was asked for what RBAC forbids. */
  const couldNotRead = (namespace: string) => {
    const { name } = toRequirement(`namespace/${namespace}`, {
      apiVersion: "v1",
      kind: "Namespace",
      match: { name: namespace },
    });
    const message =
      `cannot compose resources: cannot run Composition pipeline step "share": fetching resources for ${name}: cannot get ` +
      "required resource by name: Timeout: failed waiting for *unstructured.Unstructured Informer to sync";
    return { type: "Synced", status: "False", reason: "ReconcileError", message };
  };
  const closed =
    "NamespaceNotAccepting: db: namespace kube-system does not accept copies from evil: its owner has to add evil to the " +
    `Namespace's annotation ${ACCEPT}`;

  test.each<CallParts & { reason: string; composed: readonly string[]; condition: string }>([
    {
      reason: "one that says nothing takes none",
      xr: evil(),
      answers: answersFor("kube-system", [namespaceOf("kube-system")]),
      composed: [],
      condition: closed,
    },
    {
      reason: "one that is not there takes none",
      xr: evil(),
      answers: answersFor("kube-system", []),
      composed: [],
      condition: closed,
    },
    {
      reason: "one that names others takes none",
      xr: evil(),
      answers: answersFor("kube-system", [namespaceOf("kube-system", { [ACCEPT]: "team-a, evil-twin" })]),
      composed: [],
      condition: closed,
    },
    {
      reason: "one that names the consumer's namespace takes it",
      xr: evil(),
      answers: answersFor("kube-system", [namespaceOf("kube-system", { [ACCEPT]: "team-a, evil" })]),
      composed: [at("kube-system")],
      condition: "WaitingForCopies: db: waiting for Secret kube-system/orders-db to be written",
    },
    {
      reason: "it is waited for",
      xr: evil(),
      answers: answersFor("kube-system", "pending"),
      composed: [],
      condition: "WaitingForRequiredResources: db: waiting for Crossplane to look up Namespace kube-system",
    },
    {
      reason: "none is asked for at once again where Crossplane could not read one of them in the last reconcile",
      xr: { ...evil(), status: { conditions: [couldNotRead("kube-public")] } },
      answers: answersFor("kube-system", "pending"),
      composed: [],
      condition:
        "NamespaceNotReadable: db: Crossplane could not read namespace kube-system, so nothing is written there: grant it " +
        '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}, as deploy/function/crossplane-reads.yaml does',
    },
    {
      reason: "the XR's own is not asked",
      xr: evil({ where: "evil" }),
      answers: answersFor("evil", "pending"),
      composed: [at("evil")],
      condition: "WaitingForCopies: db: waiting for Secret evil/orders-db to be written",
    },
    {
      reason: "a claimRef on a namespaced XR means nothing",
      xr: evil({ where: "team-a", claimRef: { kind: "Shop", namespace: "team-a", name: "shop" } }),
      answers: answersFor("team-a", [namespaceOf("team-a")]),
      composed: [],
      condition: closed.replace("kube-system", "team-a"),
    },
    {
      reason: "what the Composition names is the platform's word",
      xr: evil(),
      sharedResources: [shared(connection({ namespaces: "kube-system" }))],
      answers: answersFor("kube-system", "pending"),
      composed: [at("kube-system")],
      condition: "WaitingForCopies: db: waiting for Secret kube-system/orders-db to be written",
    },
    {
      reason: "what an XR without namespace and claim names is the platform's word",
      xr: { ...evil(), metadata: { name: "shop" } },
      answers: answersFor("kube-system", "pending"),
      composed: [at("kube-system")],
      condition: "WaitingForCopies: db: waiting for Secret kube-system/orders-db to be written",
    },
    {
      reason: "an XR that pushes its own credentials is no exception",
      xr: evil({ writeConnectionSecretToRef: { name: "own" } }),
      sharedResources: [{ name: "db", select: { self: {} }, connection: byField["connection"] as JsonObject }],
      answers: answersFor("kube-system", [namespaceOf("kube-system")]),
      composed: [],
      condition: closed,
    },
  ])("$reason", ({ reason: _, composed, condition, ...parts }) => {
    const draft = draftOf({ sharedResources: [byField], ...parts });
    expect([desired(draft), says(draft)]).toEqual([composed, condition]);
  });

  test("a copy in one that takes none any more goes, with and without its record", () => {
    const kept = [recorded(), {}].map((record) => {
      const copy = copyOf({ record, namespace: "kube-system" });
      const answers = answersFor("kube-system", [namespaceOf("kube-system")]);
      return desired(
        draftOf({ xr: evil(), sharedResources: [byField], answers, observed: { [at("kube-system")]: copy } }),
      );
    });
    expect(kept).toEqual([[], []]);
  });

  const leadingNowhere = [
    { reason: "names no database", xr: evil({ parameters: {} }), answers: {} },
    {
      reason: "names a database that does not exist",
      xr: evil({ parameters: { database: "nope" } }),
      answers: { db: [] },
    },
    { reason: "no longer says where to", xr: evil({ where: undefined as never }), answers: everywhere },
  ];
  const granted = { "db/recorded": [database({ annotations: { [ALLOWED]: "*" } })] };
  test.each(
    leadingNowhere.flatMap((parts) => [
      {
        ...parts,
        namespace: "takes copies from it",
        items: [namespaceOf("kube-system", { [ACCEPT]: "evil" })],
        is: "stays",
      },
      { ...parts, namespace: "takes none any more", items: [namespaceOf("kube-system")], is: "goes" },
      { ...parts, namespace: "is not looked up yet", items: "pending" as const, is: "stays" },
    ]),
  )("while the XR $reason, a copy in a namespace that $namespace $is", ({ xr: composite, answers, items, is }) => {
    const key = at("kube-system");
    const draft = draftOf({
      xr: composite,
      sharedResources: [byField],
      answers: { ...granted, ...answers, "namespace/kube-system": items },
      observed: { [key]: copyOf({ namespace: "kube-system" }) },
    });
    expect(desired(draft)).toEqual(is === "stays" ? [key] : []);
    expect([...requirementsIn(draft).keys()]).toContain("namespace/kube-system");
  });

  test("while the XR leads nowhere, a copy stays where the Composition names its namespace, and none is asked", () => {
    const key = at("kube-system");
    const draft = draftOf({
      xr: evil({ parameters: {} }),
      sharedResources: [shared(connection({ namespaces: ["kube-system", "kube-public"] }))],
      answers: granted,
      observed: { [key]: copyOf({ namespace: "kube-system" }) },
    });
    expect(desired(draft)).toEqual([key]);
    expect([...requirementsIn(draft).keys()]).toEqual(["shared-resource/db/recorded"]);
  });

  test("a ReferenceGrant is for the namespace that asks, not for the one that is written to", () => {
    const grant = (namespace: string): JsonObject => ({
      metadata: { namespace: "databases", name: "grant" },
      spec: { from: [{ group: "apps.example.org", kind: "XShop", namespace }], to: [{ group: "", kind: "Secret" }] },
    });
    const reasons = ["team-a", "evil"].map((namespace) =>
      reasonIn(
        draftOf({
          xr: evil({ where: "team-a" }),
          sharedResources: [{ ...byField, grant: "ReferenceGrant" }],
          answers: { ...free, db: [database()], "db/reference-grants": [grant(namespace)] },
          spaces: ["team-a"],
        }),
      ),
    );
    expect(reasons).toEqual(["AccessNotGranted", "WaitingForCopies"]);
  });
});

describe("a decoy wins nothing", () => {
  const byLabels = { matchLabels: { db: "orders" }, sortByFieldPath: "spec.rank" };
  const ranked = (name: string, spec: JsonObject, more: JsonObject = {}): JsonObject =>
    database({
      metadata: { name, ...more, annotations: { [ALLOWED]: "*" } },
      spec: { writeConnectionSecretToRef: { namespace: "databases", name: `${name}-conn` }, ...spec },
    });
  const takenBy = (parts: CallParts): unknown => {
    const edit = draftOf({ sharedResources: [shared({ select: byLabels })], ...parts }).resources.get(KEY);
    const object = edit?.is === "set" ? edit.object : undefined;
    const annotations = (object?.["metadata"] as JsonObject | undefined)?.["annotations"] as JsonObject | undefined;
    return annotations && JSON.parse(String(annotations[RECORD])).name;
  };

  test("that lacks the field by which resources are sorted", () => {
    expect(takenBy({ answers: { db: [ranked("decoy", {}), ranked("orders", { rank: 5 })] } })).toBe("orders");
  });

  test("that comes first, while the copy's source still matches", () => {
    const db = [ranked("decoy", { rank: 0 }), ranked("orders", { rank: 5 })];
    expect(takenBy({ answers: { db } })).toBe("decoy");
    expect(takenBy({ answers: { db }, observed })).toBe("orders");
  });

  test.each([
    { reason: "anywhere", namespace: "*", found: "decoy" },
    { reason: "outside of the namespace that the Composition names", namespace: "databases", found: "orders" },
  ])("$reason, as select.namespace says: $namespace", ({ namespace, found }) => {
    const items = [
      ranked("orders", { rank: 5, writeConnectionSecretToRef: { name: "c" } }, { namespace: "databases" }),
      ranked("decoy", { rank: 0, writeConnectionSecretToRef: { name: "c" } }, { namespace: "evil" }),
    ];
    const select = { ...byLabels, namespace: namespace };
    expect(takenBy({ sharedResources: [shared({ select })], answers: { db: items } })).toBe(found);
  });
});

describe("fields are granted as Secrets are", () => {
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db.host" }];
  const toEnvironment = { fromFieldPath: "status" };
  const { connection: _, ...alone } = shared({ patches, toEnvironment, into: "db" });
  const refused = [database({ annotations: { [ALLOWED]: "team-b" } })];
  const shown = { ...named("orders"), status: { db: { host: "old" } } };

  test.each<{ reason: string; sharedResource: JsonObject; items: readonly JsonObject[]; isGiven: boolean }>([
    {
      reason: "with connection, by default",
      sharedResource: shared({ patches, toEnvironment, into: "db" }),
      items: refused,
      isGiven: false,
    },
    { reason: "without connection, by default", sharedResource: alone, items: refused, isGiven: false },
    {
      reason: "not where the input says so",
      sharedResource: { ...alone, grant: "None" },
      items: refused,
      isGiven: true,
    },
    { reason: "granted", sharedResource: alone, items: [database()], isGiven: true },
  ])("$reason", ({ sharedResource, items, isGiven }) => {
    const draft = draftOf({ xr: shown, sharedResources: [sharedResource], answers: { db: items } });
    const given = [
      draft.composite.length > 0,
      draft.context.has("apiextensions.crossplane.io/environment"),
      draft.context.has("shared-infrastructure.fn.crossplane.io/shared-resources"),
    ];
    expect(given).toEqual([isGiven, isGiven, isGiven]);
    expect(reasonIn(draft) === "AccessNotGranted").toBe(!isGiven);
  });

  test("a claim that copies to another namespace needs a grant for its own, too", () => {
    const draft = draftOf({
      sharedResources: [shared({ patches, ...connection({ namespaces: "team-b" }) })],
      answers: { db: refused, "shared/db/team-b/orders-db/target": [] },
    });
    expect([desired(draft), draft.composite, reasonIn(draft)]).toEqual([
      ["shared/db/team-b/orders-db"],
      [],
      "AccessNotGranted",
    ]);
  });

  test("the condition says what was asked for and who grants it, and nothing of the resource", () => {
    const select = { matchLabels: { db: "orders" } };
    const items = [database({ metadata: { name: "project-x" }, spec: { writeConnectionSecretToRef: { name: "x" } } })];
    const draft = draftOf({ sharedResources: [shared({ select, grant: "Annotation" })], answers: { db: items } });
    expect(JSON.stringify([draft.conditions, draft.results])).not.toContain("project-x");
  });
});

describe("a decoy with the same labels, which grants to everybody,", () => {
  const sharedResources = [shared({ select: { matchLabels: { db: "orders" } } })];
  const decoy = database({ metadata: { name: "a-decoy", annotations: { [ALLOWED]: "*" } } });

  test("changes nothing for an XR that has a copy of the database", () => {
    const drafts = [[database()], [decoy, database()]].map((db) =>
      draftOf({ sharedResources, observed, answers: { db } }),
    );
    expect(drafts.map(desired)).toEqual([[KEY], [KEY]]);
    expect(JSON.stringify(drafts[1])).toBe(JSON.stringify(drafts[0])); // Documents have functions
    expect(drafts[1]?.resources).toEqual(drafts[0]?.resources);
  });

  test("does not reach an XR that has none yet, which is told of both", () => {
    const draft = draftOf({ sharedResources, answers: { db: [decoy, database()] } });
    expect([desired(draft), says(draft)]).toEqual([
      [],
      "Ambiguous: db: found 2 XPostgres with labels db=orders, more than maxMatch: 1: a-decoy, orders",
    ]);
  });

  test("is the only one that an XR is told of to which the database is not granted", () => {
    const db = [decoy, database({ annotations: { [ALLOWED]: "team-b" } })];
    expect(says(draftOf({ sharedResources, answers: { db } }))).toContain("more than maxMatch: 1: a-decoy");
  });
});

describe("one Secret has one writer", () => {
  const two = [shared({ select: { matchLabels: { db: "orders" } } }), shared({ name: "cache" })];
  const cache = "shared/cache/team-a/orders-db";

  test("also where one of two shares has a decoy and keeps its copy", () => {
    const draft = draftOf({
      sharedResources: two,
      observed,
      answers: {
        db: [database(), database({ metadata: { name: "decoy" } })],
        "db/recorded": [database()],
        cache: [database()],
        [`${cache}/target`]: [],
      },
    });
    expect(desired(draft)).toEqual([KEY]);
    expect(says(draft)).toContain("cache: Secret team-a/orders-db is a copy made by shared resource db of this XR");
  });

  test("also where an earlier step desires it", () => {
    const draft = draftOf({
      sharedResources: [shared({ name: "cache" })],
      desired: { [KEY]: copyOf() },
      answers: { cache: [database()], [`${cache}/target`]: [] },
    });
    expect(desired(draft)).toEqual([]);
    expect(says(draft)).toContain("is a copy made by shared resource db of an earlier step");
  });

  const OWNER = { "shared-infrastructure.fn.crossplane.io/owner": "Shop.apps.example.org/team-a/shop" };
  const oursFrom = (from: JsonObject) => ({
    metadata: { namespace: "team-a", name: "orders-db", annotations: { ...OWNER, ...from } },
  });
  const ours = oursFrom({ [SHARED_FROM]: "databases/orders-conn" });
  const seen = (observedGeneration: number) => ({
    conditions: [{ type: "Synced", status: "True", observedGeneration }],
  });
  const created = [...seen(2).conditions, { type: "Ready", status: "False", reason: "Creating" }];
  const observer = copyOf({ policies: ["Observe"], status: seen(2) });
  const deletionTimestamp = "2026-01-01T00:00:00Z";

  test.each([
    {
      reason: "not observed, since it may be one that was dropped and is still going",
      copy: undefined,
      isLimited: true,
    },
    { reason: "not read yet", copy: copyOf({ policies: ["Observe"], status: seen(1) }), isLimited: true },
    {
      reason: "read after a creation only",
      copy: copyOf({ policies: ["Observe"], status: { conditions: created } }),
      isLimited: true,
    },
    {
      reason: "going",
      copy: { ...observer, metadata: { ...(observer["metadata"] as JsonObject), deletionTimestamp } },
      isLimited: true,
    },
    { reason: "read", copy: observer, isLimited: false },
    // The Object may be going because a grant was taken back: as an observer it would leave the Secret there.
    {
      reason: "not observed, over a copy of another Secret",
      copy: undefined,
      secret: oursFrom({ [SHARED_FROM]: "databases/billing-conn" }),
      isLimited: false,
    },
    {
      reason: "not observed, over a copy that does not say of what",
      copy: undefined,
      secret: oursFrom({}),
      isLimited: false,
    },
  ])("an Object over a Secret with our mark observes only: $isLimited, while it is $reason", (row) => {
    const { copy, secret = ours, isLimited } = row;
    const { resources } = draftOf({
      ...(copy !== undefined && { observed: { [KEY]: copy } }),
      answers: { db: [database()], [`${KEY}/target`]: [secret] },
    });
    const edit = resources.get(KEY);
    const spec = edit?.is === "set" ? edit.object?.["spec"] : undefined;
    expect(spec).toMatchObject({ references: [{ toFieldPath: "data" }] });
    expect((spec as JsonObject)["managementPolicies"]).toEqual(isLimited ? ["Observe"] : undefined);
  });

  const takeOver = (old: JsonObject, sharedResource: JsonObject = shared({ name: "database" })) =>
    draftOf({
      sharedResources: [sharedResource],
      observed: { [KEY]: old },
      answers: {
        database: [database()],
        db: [database()],
        "shared/database/team-a/orders-db/target": [],
        [`${KEY}/secret/target`]: [],
        "db/secret": [{ metadata: { namespace: "databases", name: "orders-conn" }, data: {} }],
      },
    });

  test("a renamed share first has the old Object observe only", () => {
    const draft = takeOver(copyOf());
    expect(desired(draft)).toEqual([KEY]);
    expect(draft.resources.get(KEY)).toMatchObject({ object: { spec: { managementPolicies: ["Observe"] } } });
  });

  test.each([
    { reason: "not before the provider has read that", observedGeneration: 1, composed: [KEY] },
    { reason: "when it has", observedGeneration: 2, composed: ["shared/database/team-a/orders-db"] },
  ])("and the new one takes over $reason", ({ observedGeneration, composed }) => {
    const status = { conditions: [{ type: "Synced", status: "True", observedGeneration }] };
    expect(desired(takeOver(copyOf({ policies: ["Observe"], status })))).toEqual(composed);
  });

  test("the same goes for another via", () => {
    const bySecret = shared(connection({ via: "Secret" }));
    expect(takeOver(copyOf(), bySecret).resources.get(KEY)).toMatchObject({
      object: { spec: { managementPolicies: ["Observe"] } },
    });
    expect(desired(takeOver(copyOf({ policies: ["Observe"] }), bySecret))).toEqual([`${KEY}/secret`]);
  });
});

describe("a copy that one step has dropped", () => {
  const revoked = database({ annotations: {} });
  const laterShares: readonly JsonObject[] = [
    { name: "other", select: { self: {} }, ...connection({}) },
    shared({ name: "other", kind: "XRedis", grant: "None", select: { name: "mine" } }),
  ];

  test.each(laterShares)("is not taken over by a share of a later step, whatever that grants", (later) => {
    const first = draftOf({ observed, answers: { db: [revoked] } });
    expect(desired(first)).toEqual([]);
    const second = draftOf({
      sharedResources: [later],
      observed,
      context: Object.fromEntries(first.context) as JsonObject,
      answers: { other: [], "other/recorded": [revoked] },
    });
    expect(desired(second)).toEqual([]);
  });

  test.each(laterShares)(
    "nor judged by a share that needs no grant, where that follows a share of another kind",
    (later) => {
      const keptIf = (item: JsonObject) =>
        desired(draftOf({ sharedResources: [later], observed, answers: { other: [], "other/recorded": [item] } }));
      expect([keptIf(database()), keptIf(revoked)]).toEqual([[KEY], []]);
    },
  );
});

test.each([
  ["names", { secretName: { fromCompositeFieldPath: "spec.parameters.database" } }],
  ["namespaces", { namespaces: { fromCompositeFieldPath: "spec.parameters.database" } }],
])("texts of a megabyte for %s are cut wherever they are repeated", (_, copy) => {
  const shares = ["a", "b", "c"].map((name) => shared({ name, ...connection(copy) }));
  const answers = Object.fromEntries(["a", "b", "c"].map((name) => [name, [database()]]));
  const text = "x".repeat(1024 * 1024);
  const draft = draftOf({ xr: named(text), sharedResources: shares, answers });
  const { requirements, ...said } = draft;
  expect(JSON.stringify([said.conditions, said.results, [...said.context.values()]]).length).toBeLessThan(10_000);
});

test("the holder of a Secret is cut, whoever wrote it there", () => {
  const OWNER = { "shared-infrastructure.fn.crossplane.io/owner": "x".repeat(100_000) };
  const theirs = { metadata: { namespace: "team-a", name: "orders-db", annotations: OWNER } };
  const draft = draftOf({ answers: { db: [database()], [`${KEY}/target`]: [theirs] } });
  expect(says(draft)).toMatch(/^TargetTaken: db: Secret team-a\/orders-db is a copy made by x{99}…:/);
});

describe("what a team writes as the record on its own Secret is not looked up", () => {
  const secretWith = (record: JsonObject, earlier: readonly JsonObject[] = []): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace: "team-a",
      name: "orders-db",
      annotations: {
        [RECORD]: JSON.stringify(record),
        "shared-infrastructure.fn.crossplane.io/earlier-shared-resources": JSON.stringify(earlier),
      },
    },
  });
  const database = { apiVersion: "data.example.org/v1", kind: "XPostgres" };

  test.each<{ reason: string; secret: JsonObject; asked: readonly string[] }>([
    { reason: "of the share's kind", secret: secretWith({ ...database, name: "a" }), asked: ["recorded"] },
    {
      reason: "another kind",
      secret: secretWith({ apiVersion: "v1", kind: "Secret", namespace: "kube-system", name: "admin-token" }),
      asked: [],
    },
    { reason: "a name that nothing has", secret: secretWith({ ...database, name: "../x" }), asked: [] },
    {
      reason: "a namespace that there cannot be",
      secret: secretWith({ ...database, namespace: "../x", name: "a" }),
      asked: [],
    },
    {
      reason: "a list of earlier ones",
      secret: secretWith(
        { ...database, name: "a" },
        Array.from({ length: 1000 }, (_, index) => ({ ...database, name: `n${index}` })),
      ),
      asked: ["recorded"],
    },
    {
      reason: "in a ConfigMap that is named like a copy",
      secret: {
        ...secretWith({ ...database, kind: "Pod", name: "a" }, [{ ...database, name: "b" }]),
        kind: "ConfigMap",
      },
      asked: [],
    },
  ])("$reason", ({ secret, asked }) => {
    const draft = draftOf({
      xr: named(undefined),
      sharedResources: [shared(connection({ via: "Secret" }))],
      observed: { [`${KEY}/secret`]: secret },
      spaces: ["team-a"],
    });
    const names = [...draft.requirements.keys()].map(toBaseName).filter((name) => name.startsWith("shared-resource/"));
    expect(names).toEqual(asked.map((name) => `shared-resource/db/${name}`));
  });
});

describe("a shared resource that is being deleted", () => {
  const dying = [
    database({
      metadata: { name: "orders", annotations: { [ALLOWED]: "*" }, deletionTimestamp: "2026-01-01T00:00:00Z" },
    }),
  ];
  test("hands out no new copies, and those that are there stay", () => {
    const fresh = draftOf({ answers: { db: dying } });
    expect([desired(fresh), says(fresh)]).toEqual([
      [],
      "BeingDeleted: db: XPostgres orders is being deleted, so its connection Secret is not copied again",
    ]);
    expect(desired(draftOf({ answers: { db: dying }, observed }))).toEqual([KEY]);
  });
});

describe("an XR that is nested below a claim's XR asks for the claim's namespace, not for the platform:", () => {
  const nested = xr({
    metadata: {
      name: "shop-x7k2p-cache",
      labels: { "crossplane.io/claim-name": "shop", "crossplane.io/claim-namespace": "team-a" },
    },
    spec: { parameters: { database: "orders", namespace: "kube-system" } },
  });
  const elsewhere = { namespaces: { fromCompositeFieldPath: "spec.parameters.namespace" } };
  const ofAnother = database({ annotations: { [ALLOWED]: "kube-system" } });
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.endpoint" }];

  test("its copies go into that namespace", () => {
    expect(desired(draftOf({ xr: nested, answers: { db: [database()] } }))).toEqual([KEY]);
  });

  test("it puts no Secret into a namespace that has not accepted it, though the database is granted to that one", () => {
    const sharedResources = [shared(connection(elsewhere))];
    const answers = { db: [ofAnother], "namespace/kube-system": [namespaceOf("kube-system")] };
    const draft = draftOf({ xr: nested, sharedResources, answers });
    expect([desired(draft), reasonIn(draft)]).toEqual([[], "NamespaceNotAccepting"]);
  });

  test("it reads no field of a database that is granted only to the namespace that it names for its copy", () => {
    const sharedResources = [shared({ ...connection(elsewhere), patches })];
    const draft = draftOf({ xr: nested, sharedResources, answers: { db: [ofAnother], secret: "pending" } });
    expect([draft.composite, says(draft)]).toEqual([[], expect.stringContaining("to namespace team-a")]);
  });
});

test("the XR of a claim hands out no Secret that its tenant chose, also not to itself (select.self)", () => {
  const secret = { namespace: "dba", name: "root-credentials" };
  const secretRef = {
    nameFieldPath: "spec.parameters.secret.name",
    namespaceFieldPath: "spec.parameters.secret.namespace",
  };
  const claimed = {
    name: "orders",
    labels: { "crossplane.io/claim-namespace": "team-b" },
    annotations: { [ALLOWED]: "*" },
  };
  const lure = database({ metadata: claimed, spec: { parameters: { secret } } });
  const own = xr({ spec: { claimRef: { kind: "Shop", namespace: "team-a", name: "shop" }, parameters: { secret } } });
  const drafts = [
    draftOf({ sharedResources: [shared(connection({}, { secretRef }))], answers: { db: [lure] } }),
    draftOf({ xr: own, sharedResources: [{ name: "db", ...connection({}, { secretRef }), select: { self: {} } }] }),
  ];
  expect(drafts.map((draft) => [desired(draft), reasonIn(draft)])).toEqual([
    [[], "SourceNotAllowed"],
    [[], "SourceNotAllowed"],
  ]);
});

describe("the condition names what a person has to mend before what is waited for:", () => {
  const failing = (message: string) =>
    copyOf({ status: { conditions: [{ type: "Synced", status: "False", reason: "ReconcileError", message }] } });

  test.each([
    ["whose source does not exist", 'cannot get referenced resource: secrets "orders-conn" not found'],
    [
      "without a ProviderConfig",
      'connect failed: cannot get provider config: ClusterProviderConfig.kubernetes.m.crossplane.io "default" not found',
    ],
    [
      "without a RoleBinding",
      'observe failed: cannot get object: secrets "orders-db" is forbidden: User "system:serviceaccount:crossplane-system:provider-kubernetes" ' +
        'cannot get resource "secrets" in API group "" in the namespace "team-a"',
    ],
  ])("a copy %s is a fault, with all that the provider says", (_why, message) => {
    const draft = draftOf({ observed: { [KEY]: failing(message) }, answers: { db: [database()] } });
    expect(says(draft)).toBe(`CopyFailed: db: Secret team-a/orders-db cannot be written: ${message}`);
  });

  test("a share that waits for its copy does not hide another one that is not found", () => {
    const draft = draftOf({
      sharedResources: [shared(), shared({ ...connection({ secretName: "other" }), name: "cache" })],
      answers: { db: [database()], cache: [] },
    });
    expect(says(draft)).toBe(
      "NotFound: cache: found no XPostgres orders; db: waiting for Secret team-a/orders-db to be written",
    );
  });

  test("what a provider repeats of another team's cannot move a terminal's cursor or begin a line", () => {
    const draft = draftOf({
      observed: { [KEY]: failing("a\u001b[2Jb\nReady: c\u202ed") },
      answers: { db: [database()] },
    });
    expect(says(draft)).toContain("cannot be written: a\ufffd[2Jb Ready: c\ufffdd");
  });
});

test("a resource that a field of the XR takes out of the pipeline stops nothing beside copies: a copy goes with its grant", () => {
  const patches = [
    { fromFieldPath: "status.endpoint", toResource: { name: "replica", fieldPath: "spec.forProvider.endpoint" } },
  ];
  const sharedResources = [shared({ ...connection({}), patches })];
  const [granted, refused] = ["team-a", "team-b"].map((team) =>
    draftOf({ sharedResources, observed, answers: { db: [database({ annotations: { [ALLOWED]: team } })] } }),
  );
  expect([granted, refused].map((draft) => draft?.results.filter(({ severity }) => severity === "Fatal"))).toEqual([
    [],
    [],
  ]);
  const { connection: _, ...fieldsOnly } = shared({ patches });
  const otherStep = draftOf({
    sharedResources: [fieldsOnly],
    observed,
    answers: { db: [database()] },
  });
  expect(otherStep.results.filter(({ severity }) => severity === "Fatal")).toEqual([]);
  expect(granted && says(granted)).toContain('cannot patch a resource: no earlier step desires "replica"');
  expect(refused && desired(refused)).toEqual([]);
});

test("connection details of the XR go where access is refused, also where the database names no Secret any more", () => {
  const details = { password: "cGFzc3dvcmQ=" };
  const sharedResources = [shared({ connection: { copies: [{ via: "CompositeConnectionDetails" }] } })];
  const drafts = ["team-a", "team-b"].map((team) =>
    draftOf({ sharedResources, details, answers: { db: [database({ annotations: { [ALLOWED]: team }, spec: {} })] } }),
  );
  expect(drafts.map((draft) => [reasonIn(draft), draft.connectionDetails.size])).toEqual([
    ["NoConnectionSecret", 1],
    ["AccessNotGranted", 0],
  ]);
});

describe("connection details of the XR go with the grant of the database that it was bound to", () => {
  const billing = database({ metadata: { name: "billing", annotations: { [ALLOWED]: "*" } } });
  const naming = (name?: string): JsonObject =>
    xr({
      spec: {
        claimRef: { kind: "Shop", namespace: "team-a", name: "shop" },
        parameters: name === undefined ? {} : { database: name },
      },
    });

  test.each<{ while: string; xr: JsonObject; answers: CallParts["answers"]; left: number }>([
    { while: "names nothing", xr: naming(), answers: {}, left: 0 },
    { while: "names one that is not there", xr: naming("nope"), answers: { db: [] }, left: 0 },
    {
      while: "names one that grants and has no Secret yet",
      xr: naming("billing"),
      answers: { db: [billing], "db/secret": [] },
      left: 0,
    },
  ])("while the XR $while", ({ xr: asking, answers, left }) => {
    const count = (allowed: string) =>
      draftOf({
        xr: asking,
        sharedResources: [shared({ connection: { copies: [{ via: "CompositeConnectionDetails" }] } })],
        details: { password: "cGFzc3dvcmQ=" },
        observed: {
          [RECORD_NAME]: boundTo({ db: { apiVersion: "data.example.org/v1", kind: "XPostgres", name: "orders" } }),
        },
        answers: { ...answers, "db/recorded": [database({ annotations: { [ALLOWED]: allowed } })] },
      }).connectionDetails.size;
    expect([count("team-a"), count("team-b")]).toEqual([1, left]);
  });
});

test("connection details of a share that is refused do not stay with another one that lists no keys, or not any more", () => {
  const via = "CompositeConnectionDetails";
  const details = { orders_password: "cGFzc3dvcmQ=" };
  const orders = shared({ connection: { copies: [{ via, keys: [{ from: "password", to: "orders_password" }] }] } });
  const left = [undefined, { fromCompositeFieldPath: "spec.none" }].map((keys) => {
    const other = shared({ name: "other", connection: { copies: [{ via, ...(keys && { keys }) }] } });
    const answers = { db: [database({ annotations: {} })], other: [database({ spec: {} })] };
    return draftOf({ sharedResources: [orders, other], details, answers }).connectionDetails.size;
  });
  expect(left).toEqual([0, 0]);
});

test("a namespace or a field with a line break in its name begins no line of a condition", () => {
  const spaces = { namespaces: { fromCompositeFieldPath: "spec.parameters.spaces" } };
  const asking = xr({ spec: { parameters: { database: "orders", spaces: ["a\norders-db: Available"] } } });
  const patches = [{ fromFieldPath: "status", toCompositeFieldPath: "status.db" }];
  const { connection: _, ...fields } = shared({ patches });
  const drafts = [
    draftOf({ xr: asking, sharedResources: [shared(connection(spaces))], answers: { db: [database({ spec: {} })] } }),
    draftOf({
      xr: asking,
      sharedResources: [
        shared(connection({ ...spaces, via: "ConnectionSecret" }, { secretRef: { perConsumer: true } })),
      ],
      answers: { db: [database({ annotations: { [ALLOWED]: "*" } })], answer: [] },
    }),
    draftOf({
      sharedResources: [fields],
      answers: { db: [database({ status: { "a\norders-db: Available": "x" } })] },
      capabilities: [...v2, "RequiredSchemas"],
      schemas: { XShop: { properties: { status: { properties: { db: { type: "object", properties: {} } } } } } },
    }),
  ];
  expect(drafts.map(reasonIn)).toEqual(["AccessNotGranted", "NoCredential", "PatchFailed"]);
  expect(drafts.map(says).join()).not.toContain("\n");
});
