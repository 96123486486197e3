import { describe, expect, test } from "vitest";
import { adoption } from "../../../src/features/adoption/adoption.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import type { LookupAnswer } from "../../../src/model/requirement.ts";
import { bucket, composedCall, restoredStore } from "../../../testing/builders/composed.ts";
import { couldNotRead, synced } from "../../../testing/builders/kubernetes.ts";
import { requirementsIn, toBaseName } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { lookUpIn } from "../../../testing/simulations/store.ts";

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
function settle(xr: JsonObject, cluster: readonly JsonObject[], resource: JsonObject, isObserved = true) {
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
  const inTeam = { ...TEAM, ...modern };
  const inOwn = ["XRoot.apps.example.org/team-a/root"];
  const outside = root({ refers: [refer("XStore", "store", TEAM)], ...modern });
  test.each<Row>([
    ["the root controls it", [root()]],
    ["the root is of v2 and cluster-scoped", [root(modern)], [ROOT_XR], modern],
    ["both are namespaced", [root(inTeam)], inOwn, inTeam],
    ["it is namespaced, and the root is not", [outside], inOwn, inTeam],
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
  const OTHER = `${THEIRS} does not refer to that XR`;
  const TOO_FAR = "root is more than 4 XRs above this one";
  const MINE = "XMine.apps.example.org/mine";
  const mine = (more: Partial<Xr>) => [xrOf({ kind: "XMine", name: "mine", refers: [STORE], ...more }), root()];
  const another = refer("XStore", "another");
  const [theirs, foreign] = [refer("XStore", "store", { namespace: "b" }), { ...STORE, apiVersion: "other.org/v1" }];
  const notMine = `XRoot.apps.example.org/root, the controller of ${MINE}, does not refer to that XR`;
  const itself = controlled("XStore", "store");
  const selfMade = [xrOf({ kind: "XStore", name: "store", refers: [STORE], controller: itself })];
  const noXr = `the controller of ${OURS} is not an XR`;
  const byMine = { controller: controlled("XMine", "mine") };
  const both = [MINE, ...ASKED];
  const byM1 = controlled("XMiddle", "m1");
  const remade = { ...byRoot, uid: "before" };
  const secret = controlled("Secret", "root", { apiVersion: "v1" });
  const levels = [..."1234"].map((level) => `XMiddle.apps.example.org/m${level}`);
  const inTeam = "XRoot.apps.example.org/team-a/root";
  const elsewhere = `${inTeam}, the controller of XStore.apps.example.org/team-a/store, does not exist`;
  const moved = root({ namespace: "team-b", isModern: true });
  const team = { namespace: "team-a", isModern: true };
  const refersTo = (...refers: readonly JsonObject[]) => [root({ refers })];
  interface More {
    readonly controller?: JsonObject | undefined;
    /** The XRs that are looked up. */
    readonly asked?: readonly string[];
    readonly xr?: Partial<Xr>;
  }
  test.each<[reason: string, because: string, cluster: readonly JsonObject[], more?: More]>([
    ["if it has no controller", `${OURS} has no controller`, [], { controller: undefined, asked: [] }],
    ["if its controller does not refer to it", OTHER, refersTo(another, { ...STORE, kind: "XOther" })],
    ["if its controller refers to another namespace's", OTHER, refersTo(theirs)],
    ["if its controller refers to another API group's", OTHER, refersTo(foreign)],
    ["if its controller has another UID", `${THEIRS} has another UID`, [root()], { controller: remade }],
    ["if its controller is gone", `${THEIRS} does not exist`, []],
    ["if its controller is in another namespace", elsewhere, [moved], { xr: team, asked: [inTeam] }],
    ["if its team's XR controls it", `${MINE} is not below root`, mine({ labels: {} }), { ...byMine, asked: [MINE] }],
    ["if its team's XR has the root's label", notMine, mine({ controller: byRoot }), { ...byMine, asked: both }],
    ["if it controls itself", TOO_FAR, selfMade, { controller: itself, asked: [OURS] }],
    ["if more than four XRs are above", TOO_FAR, above("m1", "m2", "m3", "m4"), { controller: byM1, asked: levels }],
    ["if a Secret controls it", noXr, [], { controller: secret, asked: [] }],
  ])("%s: %s", (_reason, because, cluster, { xr = {}, asked = ASKED, ...more } = {}) => {
    const controller = "controller" in more ? more.controller : byRoot;
    const draft = settle(nestedXr({ ...xr, controller }), cluster, restored(xr.namespace)).at(-1);
    expect(draft?.resources.size).toBe(0);
    expect(draft?.results).toMatchObject([{ severity: "Fatal", reason: "WaitingForComposite" }]);
    const message = `have to adopt this XR first: ${because}. If this XR`;
    expect(draft?.conditions).toMatchObject([{ message: expect.stringContaining(message) }]);
    expect(askedIn(draft)).toEqual(asked);
  });

  test.each<[reason: string, isAsked: boolean, controller?: JsonObject | undefined, refers?: JsonValue]>([
    ["a name that nothing can have", false, { ...byRoot, name: "../root" }],
    ["a name that is a number", true, { ...byRoot, name: 5 }],
    ["no kind", false, { ...byRoot, kind: "" }],
    ["an API group without a version", false, { ...byRoot, apiVersion: "apps.example.org" }],
    ["two versions", false, { ...byRoot, apiVersion: `${GROUP}/v2` }],
    ["an API version that is a list", false, { ...byRoot, apiVersion: [GROUP] }],
    ["references that are a text", true, undefined, "store"],
    ["references without fields", true, undefined, [null, 5, [], {}, { name: "store" }, { ...STORE, kind: 5 }]],
  ])("where what tenants write is malformed: %s", (_reason, isAsked, controller = byRoot, refers = [STORE]) => {
    const draft = settle(nestedXr({ controller }), [root({ refers })], restored()).at(-1);
    expect(draft?.conditions).toMatchObject([{ reason: "WaitingForComposite" }]);
    expect([draft?.resources.size, draft?.requirements.size]).toEqual([0, isAsked ? 1 : 0]);
  });

  test("and asks no more once Crossplane was not allowed to read its controller", () => {
    const status = synced("False", { message: couldNotRead("adoption/controller/XRoot.apps.example.org/root") });
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
