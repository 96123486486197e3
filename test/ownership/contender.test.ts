import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import {
  ALLOW_DELETE,
  CONTENDERS,
  CREATED_BEFORE,
  IDENTITY_LABEL,
  ORIGIN,
  OWNER,
  TAGS_OWNER,
  TAKE_OWNERSHIP,
} from "../../src/ownership/annotations.ts";
import { type Contender, formatAcknowledged, isAcknowledgedBy, toContender } from "../../src/ownership/contender.ts";
import {
  findAssociationName,
  findInTheWay,
  findLiving,
  firstOther,
  indexByUid,
  listNames,
} from "../../src/ownership/contenders.ts";
import { contenderWith } from "../../testing/builders/contender.ts";

const NAMED = { "crossplane.io/composition-resource-name": "bucket", [OWNER]: "XShop/us" };
const MARKED = { ...NAMED, [TAGS_OWNER]: "XShop/us#bucket" };
const CREATED_AT = "2026-01-01T00:00:00Z";
const CREATED = { "crossplane.io/external-create-succeeded": CREATED_AT };

interface Parts {
  readonly annotations?: JsonObject;
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
}

const read = ({ annotations = NAMED, metadata = {}, spec = {} }: Parts): Contender =>
  toContender(documentOf({ metadata: { name: "us", uid: "1", annotations, ...metadata }, spec }));

const long = "x".repeat(2000);
const LONG = { [OWNER]: long, "crossplane.io/composition-resource-name": long };
const short = "x".repeat(1024);
const observing = { managementPolicies: ["Observe"] };
const writing = { managementPolicies: ["*"] };

const unmarked = { id: "#", owner: "", isMarked: false, takeOwnership: "", createdAt: "", identity: undefined };
const otherwise = { annotations: { ...MARKED, [TAGS_OWNER]: "XShop/other#bucket" } };
const ownerless = { annotations: { "crossplane.io/composition-resource-name": "bucket", [TAGS_OWNER]: "#bucket" } };
const byHand = { [OWNER]: "XShop/us", [TAGS_OWNER]: "XShop/us#by-hand" };
const cut = { annotations: { ...LONG, [TAGS_OWNER]: `${short}#${short}` } };
const paused = { annotations: { ...MARKED, "crossplane.io/paused": "true" }, spec: writing };
const undone = { annotations: { ...CREATED, [CREATED_BEFORE]: CREATED_AT } };
const aged = {
  metadata: { creationTimestamp: CREATED_AT, labels: { [IDENTITY_LABEL]: "hash" } },
  annotations: { ...NAMED, [TAKE_OWNERSHIP]: "2026", [CONTENDERS]: "a,,b" },
};
const acknowledged = new Set(["a", "b"]);
const read2026 = { createdAt: CREATED_AT, identity: "hash", takeOwnership: "2026", acknowledged };
const us = { id: "XShop/us#bucket", isMarked: false };
const leaving = { metadata: { deletionTimestamp: CREATED_AT }, spec: writing };
test.each<[reason: string, parts: Parts, is: Partial<Contender>]>([
  ["one without annotations has no owner and is no owner", { annotations: {} }, unmarked],
  ["its owner and its name in the Composition identify it", {}, { ...us, owner: "XShop/us", name: "us", uid: "1" }],
  ["one whose marker is its id was promoted", { annotations: MARKED }, { isMarked: true }],
  ["one whose marker names another one was not promoted", otherwise, us],
  ["one without an owner was not promoted, whatever its marker", ownerless, { id: "#bucket", isMarked: false }],
  ["one written by hand has its marker", { annotations: byHand }, { id: "XShop/us#by-hand", isMarked: true }],
  ["the name in the Composition counts more than the marker", { annotations: { ...NAMED, ...byHand } }, us],
  ["a long owner and name are cut", cut, { owner: short, id: `${short}#${short}`, isMarked: true }],
  ["without a UID it has its name", { metadata: { uid: null, namespace: "a" } }, { uid: "a/us", name: "a/us" }],
  ["its age, label and an operator's choice are read", aged, read2026],
  ["one that may write is writing", { spec: writing }, { isWriting: true, mayDelete: true }],
  ["one that observes is not writing", { spec: observing }, { isWriting: false, mayDelete: false }],
  ["a promoted one without policies is writing", { annotations: MARKED }, { isWriting: true }],
  ["another one without policies is not writing", {}, { isWriting: false }],
  ["one that is paused is not writing", paused, { isWriting: false }],
  ["one that is being deleted is not writing", leaving, { isWriting: false, isDeleting: true }],
  ["nothing tells who created it", {}, { isCreated: false }],
  ["its provider created it", { annotations: CREATED }, { isCreated: true }],
  ["its provider created it, and that was undone before", undone, { isCreated: false }],
  ["only what it declared before was created", { annotations: { [CREATED_BEFORE]: CREATED_AT } }, { isCreated: false }],
  ["an owner before it created it", { annotations: { [ORIGIN]: "Created" } }, { isCreated: true }],
  ["it existed before", { annotations: { [ORIGIN]: "Existed" } }, { isCreated: false }],
  [
    "an operator allows to delete it",
    { annotations: { [ALLOW_DELETE]: "true" } },
    { isCreated: false, isDeletionAllowed: true },
  ],
  [
    "an operator forbids to delete it",
    { annotations: { [ALLOW_DELETE]: "false" } },
    { isCreated: false, isDeletionAllowed: false },
  ],
])("a managed resource as a contender: %s", (_, parts, is) => {
  expect(read(parts)).toMatchObject(is);
});

const named = (uid: string, overrides: Partial<Contender> = {}): Contender =>
  contenderWith({ uid, name: uid, ...overrides });

describe("several contenders", () => {
  test("are sorted by an operator's choice, then promotion, then age, then UID", () => {
    const chosen = named("chosen", { takeOwnership: "2026", createdAt: "4" });
    const later = named("later", { takeOwnership: "2027", createdAt: "5" });
    const marked = named("marked", { isMarked: true, createdAt: "3" });
    const [a, b] = [named("a", { createdAt: "1" }), named("b", { createdAt: "1" })];
    const young = named("c", { createdAt: "2" });
    const deleted = named("deleted", { isDeleting: true });
    const all = [young, b, deleted, a, marked, chosen, later];
    expect(findLiving(all)).toEqual([later, chosen, marked, a, b, young]);
    expect(listNames(all)).toEqual(new Set(["c", "b", "deleted", "a", "marked", "chosen", "later"]));
    expect(indexByUid(all).get("marked")).toBe(marked);
  });

  test("are in the way while they write, or delete the cloud resource with themselves", () => {
    const writer = named("writer", { isWriting: true });
    const taking = named("taking", { isDeleting: true, mayDelete: true });
    const leaving = named("leaving", { isDeleting: true });
    const idle = named("idle", { mayDelete: true });
    expect(findInTheWay([writer, taking, leaving, idle])).toEqual([writer, taking]);
  });

  test("have a first one but ours", () => {
    const [us, other] = [named("us"), named("other")];
    expect(firstOther([us, other], "us")).toBe(other);
    expect(firstOther([us], "us")).toBeUndefined();
  });
});

describe("the name that a provider made up for an association", () => {
  const withName = (
    uid: string,
    observation: Contender["observation"],
    externalName?: string,
    annotations: JsonObject = {},
  ) => {
    const own = { ...(externalName && { "crossplane.io/external-name": externalName }), ...annotations };
    return named(uid, { observation, document: documentOf({ metadata: { name: uid, annotations: own } }) });
  };
  const [found, lost, nameless] = [
    withName("a", "present", "found"),
    withName("b", "unknown", "lost"),
    withName("c", "present"),
  ];
  const creator = withName("d", "present", "created", CREATED);
  const us = withName("us", "present", "ours");
  type Row = [
    reason: string,
    all: readonly Contender[],
    owner: Contender | undefined,
    name: string | undefined,
    isMoving?: boolean,
  ];
  test.each<Row>([
    ["is nobody's", [nameless], undefined, undefined],
    ["is another's that has found it, before one that has not", [lost, found], undefined, "found"],
    ["is another's that may find it, where nobody has", [nameless, lost], undefined, "lost"],
    ["is not another's whose provider has found none", [withName("e", "absent", "gone")], undefined, undefined],
    ["is the owner's that created it, before ours", [us, creator], creator, "created"],
    ["is ours, before an owner's that did not create it", [us, found], found, "ours"],
    ["is the owner's where ours declares another one now", [us, found], found, "found", true],
  ])("%s", (_reason, all, owner, name, isMoving = false) => {
    expect(
      findAssociationName(
        all,
        all.find(({ uid }) => uid === "us"),
        owner,
        isMoving,
      ),
    ).toBe(name);
  });
});

describe("the list of those that an owner leaves its cloud resource to", () => {
  const ownerWith = (text: string) => read({ annotations: { [CONTENDERS]: text } });
  const many = (count: number, length: number): readonly Contender[] =>
    Array.from({ length: count }, (_, index) => named(`bucket-${String(index).padStart(length - 7, "0")}`));

  test("has their names, sorted", () => {
    expect(formatAcknowledged([named("b"), named("a")])).toBe("a,b");
  });

  test.each([
    { reason: "1,000 contenders with names of 253 characters", others: many(1_000, 253), acknowledged: 1_000 },
    { reason: "50,000 contenders", others: many(50_000, 20), acknowledged: 10_000 },
  ])("fits into an annotation with $reason, and names the first successors", ({ others, acknowledged }) => {
    const text = formatAcknowledged(others);
    const owner = ownerWith(text);
    expect(text.length).toBeLessThan(200 * 1024);
    const is = others.map((_, index) => index < acknowledged);
    expect(others.map((other) => isAcknowledgedBy(owner, other))).toEqual(is);
  });

  test("names nobody who takes the hash of another for a name", () => {
    const [hash = ""] = formatAcknowledged(many(1_000, 253)).split(",");
    expect(isAcknowledgedBy(ownerWith(hash), named(hash.slice(1)))).toBe(false);
  });
});
