import { describe, expect, test } from "vitest";
import { adoption } from "../../../src/features/adoption/adoption.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import type { LookupAnswer } from "../../../src/model/requirement.ts";
import { bucket, composedCall, restoredStore } from "../../../testing/builders/composed.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { requirementsIn, toBaseName } from "../../../testing/builders/sharing.ts";
import { lookUpIn } from "../../../testing/simulations/look-up.ts";

const GROUP = "apps.example.org/v1";
const ROOT = { "crossplane.io/composite": "root" };

interface Xr {
  readonly kind: string;
  readonly name: string;
  readonly labels?: JsonValue;
  readonly namespace?: string;
  /** The XR that its owner reference names as its controller. */
  readonly controller?: JsonObject | undefined;
  /** The XRs that it refers to. */
  readonly refers?: JsonValue;
  readonly isModern?: boolean;
}

const xrOf = ({ kind, name, namespace, controller, labels = ROOT, refers = [], isModern = false }: Xr): JsonObject => ({
  apiVersion: GROUP,
  kind,
  metadata: {
    name,
    uid: `uid-of-${name}`,
    labels,
    ...(namespace !== undefined && { namespace }),
    ...(controller && { ownerReferences: [{ uid: "uid-of-a-config-map", name: "x" }, controller] }),
  },
  spec: isModern ? { crossplane: { resourceRefs: refers } } : { resourceRefs: refers },
});

const refer = (kind: string, name: string, more: JsonObject = {}) => ({ apiVersion: GROUP, kind, name, ...more });
const controlled = (kind: string, name: string, more: JsonObject = {}): JsonObject =>
  refer(kind, name, { uid: `uid-of-${name}`, controller: true, ...more });
const STORE = refer("XStore", "store");
const byRoot = controlled("XRoot", "root");
const root = (more: Partial<Xr> = {}): JsonObject => xrOf({ kind: "XRoot", name: "root", refers: [STORE], ...more });

/** The XRs `names` above the nested one, from the nearest to the one that the root has composed. */
const chain = (names: readonly string[]): readonly JsonObject[] =>
  names.map((name, index) => {
    const above = names[index + 1];
    const below = names[index - 1];
    const refers = [below === undefined ? STORE : refer("XMiddle", below)];
    const controller = above === undefined ? byRoot : controlled("XMiddle", above);
    return xrOf({ kind: "XMiddle", name, refers, controller });
  });
const above = (...names: readonly string[]): readonly JsonObject[] => [
  ...chain(names),
  root({ refers: [refer("XMiddle", names.at(-1) ?? "")] }),
];

const nestedXr = (more: Partial<Xr> = {}): JsonObject => {
  const xr = xrOf({ kind: "XStore", name: "store", ...more });
  const metadata = { ...(restoredStore()["metadata"] as JsonObject), ...(xr["metadata"] as JsonObject) };
  const refers = [{ apiVersion: "cloud.example.org/v1", kind: "Bucket", name: "a" }];
  return { ...xrOf({ kind: "XStore", name: "store", ...more, refers }), metadata };
};

/** Calls as Crossplane does, until the requirements stay the same; at most six times. */
function settle(
  xr: JsonObject,
  cluster: readonly JsonObject[],
  resource: JsonObject,
  isObserved = true,
): readonly Draft[] {
  const lookUp = lookUpIn([...cluster, ...(isObserved ? [] : [resource])]);
  const answers = new Map<string, LookupAnswer>();
  const call = composedCall({ xr, spec: { adoption: {} }, observed: isObserved ? { a: resource } : {} });
  const request = { ...call.request, required: (name: string): LookupAnswer => answers.get(name) ?? { is: "pending" } };
  const drafts: Draft[] = [];
  for (let calls = 0; calls < 6; calls++) {
    const draft = runFeature(adoption, { ...call, request });
    drafts.push(draft);
    if ([...draft.requirements.keys()].every((name) => answers.has(name))) return drafts;
    for (const [name, selector] of draft.requirements)
      answers.set(name, { is: "resolved", items: lookUp(selector).map(documentOf) });
  }
  throw new Error("the requirements do not become stable");
}

const askedIn = (draft: Draft | undefined): readonly string[] =>
  draft === undefined ? [] : [...requirementsIn(draft).keys()].map((name) => name.replace("adoption/controller/", ""));

/** A bucket that was restored without its controller, as the nested XR has composed it. */
const restored = (namespace?: string): JsonObject =>
  bucket("a", { labels: ROOT, ...(namespace !== undefined && { namespace }) });

describe("a nested XR adopts what carries the label of the root", () => {
  const TEAM = { namespace: "team-a" };
  const modern = { isModern: true };
  const ROOT_XR = "XRoot.apps.example.org/root";
  const middles = (...levels: readonly number[]) => levels.map((level) => `XMiddle.apps.example.org/m${level}`);
  const inAnotherVersion = { ...STORE, apiVersion: "apps.example.org/v2" };
  type Row = [reason: string, cluster: readonly JsonObject[], asked?: readonly string[], xr?: Partial<Xr>];
  test.each<Row>([
    ["the root controls it", [root()]],
    ["the root is of v2 and cluster-scoped", [root(modern)], [ROOT_XR], modern],
    [
      "both are namespaced",
      [root({ ...TEAM, ...modern })],
      ["XRoot.apps.example.org/team-a/root"],
      { ...TEAM, ...modern },
    ],
    [
      "it is namespaced, and the root is not",
      [root({ refers: [refer("XStore", "store", TEAM)], ...modern })],
      ["XRoot.apps.example.org/team-a/root"],
      { ...TEAM, ...modern },
    ],
    ["the root has no label, and refers to it in another version", [root({ labels: {}, refers: [inAnotherVersion] })]],
    ["one XR is between it and the root", above("m1"), [...middles(1), ROOT_XR]],
    ["three XRs are between it and the root", above("m1", "m2", "m3"), [...middles(1, 2, 3), ROOT_XR]],
  ])("if %s", (_reason, cluster, asked = [ROOT_XR], xr = {}) => {
    const controller = asked.length === 1 ? byRoot : controlled("XMiddle", "m1");
    const nested = nestedXr({ ...xr, controller });
    const drafts = settle(nested, cluster, restored(xr.namespace));
    for (const { conditions, resources, results } of drafts.slice(0, -1)) {
      expect(conditions[0]?.reason).toBe("WaitingForRequiredResources");
      expect([resources.size, results]).toEqual([0, []]);
    }
    const last = drafts.at(-1);
    expect(last?.conditions).toMatchObject([{ reason: "Adopting" }]);
    expect([...(last?.resources.keys() ?? [])]).toEqual(["a"]);
    expect(askedIn(last)).toEqual(asked);
  });

  test("within the calls that Crossplane makes, if the resource has to be looked up first", () => {
    const nested = nestedXr({ controller: controlled("XMiddle", "m1") });
    const drafts = settle(nested, above("m1", "m2", "m3"), restored(), false);
    expect(drafts).toHaveLength(6);
    expect(drafts.at(-1)?.conditions).toMatchObject([{ reason: "RestoreInProgress" }]);
  });
});

describe("a nested XR waits, and adopts nothing,", () => {
  const OURS = "XStore.apps.example.org/store";
  const THEIRS = `XRoot.apps.example.org/root, the controller of ${OURS},`;
  const ASKED = ["XRoot.apps.example.org/root"];
  const OTHER = `${THEIRS} does not refer to it`;
  const TOO_FAR = "root is more than 4 XRs above this one";
  const mine = (more: Partial<Xr>) => [xrOf({ kind: "XMine", name: "mine", refers: [STORE], ...more }), root()];
  const itself = controlled("XStore", "store");
  const noXr = `the controller of ${OURS} is not an XR`;
  interface Row {
    readonly reason: string;
    readonly controller?: JsonObject | undefined;
    readonly cluster?: readonly JsonObject[];
    readonly because: string;
    /** The XRs that are looked up. */
    readonly asked?: readonly string[];
    readonly xr?: Partial<Xr>;
  }
  const referringTo = (...refers: readonly JsonObject[]) => ({ cluster: [root({ refers })], because: OTHER });
  test.each<Row>([
    { reason: "if it has no controller", controller: undefined, because: `${OURS} has no controller`, asked: [] },
    {
      reason: "if its controller is a real XR that does not refer to it",
      ...referringTo(refer("XStore", "another"), { ...STORE, kind: "XOther" }),
    },
    {
      reason: "if its controller refers to an XR of that name in another namespace",
      ...referringTo(refer("XStore", "store", { namespace: "team-b" })),
    },
    {
      reason: "if its controller refers to another API group's XR of that name",
      ...referringTo({ ...STORE, apiVersion: "other.example.org/v1" }),
    },
    {
      reason: "if its controller has another UID than the owner reference",
      controller: { ...byRoot, uid: "uid-before-the-restore" },
      cluster: [root()],
      because: `${THEIRS} has another UID`,
    },
    { reason: "if its controller is gone", because: `${THEIRS} does not exist` },
    {
      reason: "if its controller is in another namespace",
      xr: { namespace: "team-a", isModern: true },
      cluster: [root({ namespace: "team-b", isModern: true })],
      because: `XRoot.apps.example.org/team-a/root, the controller of XStore.apps.example.org/team-a/store, does not exist`,
      asked: ["XRoot.apps.example.org/team-a/root"],
    },
    {
      reason: "if an XR of its team controls it and refers to it, which is not below that root",
      controller: controlled("XMine", "mine"),
      cluster: mine({ labels: {} }),
      because: "XMine.apps.example.org/mine is not below root",
      asked: ["XMine.apps.example.org/mine"],
    },
    {
      reason: "if an XR of its team with the label of the root controls it and refers to it",
      controller: controlled("XMine", "mine"),
      cluster: mine({ controller: byRoot }),
      because: "XRoot.apps.example.org/root, the controller of XMine.apps.example.org/mine, does not refer to it",
      asked: ["XMine.apps.example.org/mine", ...ASKED],
    },
    {
      reason: "if it controls itself",
      controller: itself,
      cluster: [xrOf({ kind: "XStore", name: "store", refers: [STORE], controller: itself })],
      because: TOO_FAR,
      asked: ["XStore.apps.example.org/store"],
    },
    {
      reason: "if more than four XRs would have to be looked up",
      controller: controlled("XMiddle", "m1"),
      cluster: above("m1", "m2", "m3", "m4"),
      because: TOO_FAR,
      asked: [..."1234"].map((level) => `XMiddle.apps.example.org/m${level}`),
    },
    ...[
      controlled("Secret", "root", { apiVersion: "v1" }),
      controlled("Deployment", "root", { apiVersion: "apps/v1" }),
    ].map((controller) => ({
      reason: `and a ${controller["kind"]} is not looked up, if that is its controller`,
      controller,
      because: noXr,
      asked: [],
    })),
  ])("$reason", ({ cluster = [], xr = {}, because, asked = ASKED, ...row }) => {
    const controller = "controller" in row ? row.controller : byRoot;
    const draft = settle(nestedXr({ ...xr, controller }), cluster, restored(xr.namespace)).at(-1);
    expect(draft?.resources.size).toBe(0);
    expect(draft?.results).toMatchObject([{ severity: "Fatal", reason: "WaitingForComposite" }]);
    expect(draft?.conditions[0]?.message).toContain(
      `as its label crossplane.io/composite says: ${because}; XR root has`,
    );
    expect(askedIn(draft)).toEqual(asked);
  });

  test.each<[reason: string, isAsked: boolean, controller?: JsonObject | undefined, refers?: JsonValue]>([
    ["a name that nothing can have", false, { ...byRoot, name: "../root" }],
    ["a name that is a number", true, { ...byRoot, name: 5 }],
    ["no name", false, { ...byRoot, name: null }],
    ["no kind", false, { ...byRoot, kind: "" }],
    ["an API group without a version", false, { ...byRoot, apiVersion: "apps.example.org" }],
    ["two versions", false, { ...byRoot, apiVersion: `${GROUP}/v2` }],
    ["an API version that is a list", false, { ...byRoot, apiVersion: [GROUP] }],
    ["a UID that is an object", true, { ...byRoot, uid: {} }],
    ["references that are a text", true, undefined, "store"],
    ["references that are an object", true, undefined, { 0: STORE }],
    ["references without fields", true, undefined, [null, 5, [], {}, { name: "store" }, { ...STORE, kind: 5 }]],
  ])("where what tenants write is malformed: %s", (_reason, isAsked, controller = byRoot, refers = [STORE]) => {
    const draft = settle(nestedXr({ controller }), [root({ refers })], restored()).at(-1);
    expect(draft?.conditions).toMatchObject([{ reason: "WaitingForComposite" }]);
    expect([draft?.resources.size, draft?.requirements.size]).toEqual([0, isAsked ? 1 : 0]);
  });

  test("and asks no more once Crossplane was not allowed to read its controller", () => {
    const message =
      'cannot compose resources: cannot run Composition pipeline step "adopt": fetching resources for adoption/controller/XRoot.apps.example.org/root#1: forbidden';
    const status = { conditions: [{ type: "Synced", status: "False", message }] };
    const [draft] = settle({ ...nestedXr({ controller: byRoot }), status }, [root()], restored());
    expect(draft?.requirements.size).toBe(0);
    expect(draft?.conditions[0]?.message).toContain("Crossplane could not read the controller of this XR");
  });
});

test.each([
  ["has composed nothing that lacks a controller", { ownerReferences: [controlled("XStore", "store")] }],
  ["did not compose it", { labels: { "crossplane.io/composite": "other" } }],
])("nothing is looked up for a nested XR that %s", (_reason, metadata) => {
  const [draft] = settle(nestedXr({ controller: byRoot }), [root()], bucket("a", { labels: ROOT, ...metadata }));
  expect(draft?.requirements.size).toBe(0);
});

test("a controller is looked up for two resources once, under a name without its hash that says what it is for", () => {
  const call = composedCall({
    xr: nestedXr({ controller: byRoot }),
    spec: { adoption: {} },
    observed: { a: restored(), b: { ...restored(), metadata: { name: "b", labels: ROOT } } },
  });
  expect([...runFeature(adoption, call).requirements.keys()].map(toBaseName)).toEqual([
    "adoption/controller/XRoot.apps.example.org/root",
  ]);
});
