import { describe, expect, test } from "vitest";
import { COPY_KINDS } from "../../../../src/crossplane/copies.ts";
import { withValueAt } from "../../../../src/model/field-path.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { type CallParts, draftOfCopy } from "../../../../testing/builders/calls.ts";
import { copyMarks, KEY, objectIn, recorded, secretIn, targetSecret } from "../../../../testing/builders/copies.ts";
import { grantedTo } from "../../../../testing/builders/shared-database.ts";
import { namespacedXr, xr } from "../../../../testing/builders/sharing.ts";

/** Who deletes the Secret of a namespaced XR's Object: its provider, Kubernetes, or nobody. */

const WITHOUT_DELETE = ["Observe", "Create", "Update"];
const OBSERVE = ["Observe"];

const MANAGED_OWNERS = ["fieldsV1", "f:spec", "f:forProvider", "f:manifest", "f:metadata", "f:ownerReferences"];
const [UID, FORMER] = ["uid-object", "uid-before-the-restore"];
const ownedBy = (uid: string): JsonObject => ({ ...COPY_KINDS.NamespacedObject, name: "shop-1", uid });

interface Shape {
  /** The UID of the owner in the manifest. */
  readonly owner?: string;
  readonly policies?: readonly string[];
  /** The UID of the Secret that the provider has written. */
  readonly written?: string | undefined;
  readonly finalizers?: readonly string[];
  readonly isDeleting?: boolean;
  /** The name of its ProviderConfig. */
  readonly provider?: string;
  /** The owner that its managed fields name, by field manager. */
  readonly managed?: Readonly<Record<string, string>>;
}

/** The Object as it is observed, with a spec that its provider has read. */
function observed({ owner, policies, written = "uid-secret", finalizers = [], ...more }: Shape): JsonObject {
  const { isDeleting = false, provider = "", managed = {} } = more;
  const managedFields = Object.entries(managed).map(([manager, uid]) =>
    withValueAt({ manager }, MANAGED_OWNERS, { [`k:{"uid":"${uid}"}`]: {} }),
  );
  const metadata = { name: "orders-db", namespace: "team-a", ...(owner && { ownerReferences: [ownedBy(owner)] }) };
  const conditions = ["Ready", "Synced"].map((type) => ({ type, status: "True", observedGeneration: 3 }));
  return {
    ...COPY_KINDS.NamespacedObject,
    metadata: {
      name: "shop-1",
      namespace: "team-a",
      uid: UID,
      generation: 3,
      finalizers: ["finalizer.managedresource.crossplane.io", ...finalizers],
      annotations: recorded(),
      managedFields,
      ...(isDeleting && { deletionTimestamp: "2026-11-01T08:00:00Z" }),
    },
    spec: {
      managementPolicies: policies ?? ["*"],
      providerConfigRef: { kind: "ClusterProviderConfig", name: provider },
      forProvider: { manifest: { apiVersion: "v1", kind: "Secret", metadata } },
    },
    status: { atProvider: { manifest: { metadata: { uid: written } } }, conditions },
  };
}

/** The Secret as it is found, with these owners. */
const secret = (owners: readonly string[] = [], owner = "XShop.apps.example.org/team-a/shop"): JsonObject =>
  targetSecret(copyMarks(owner), { uid: "uid-secret", ownerReferences: owners.map(ownedBy) });

/** What decides who deletes the Secret: undefined where no Object is composed. */
function composed(object: JsonObject | undefined, found: JsonObject | undefined, parts: CallParts = {}) {
  const answers = { [`${KEY}/target`]: found === undefined ? [] : [found], ...parts.answers };
  const seen = object && { observed: { [KEY]: object } };
  const desired = objectIn(draftOfCopy({}, { xr: namespacedXr, ...parts, answers, ...seen }));
  if (desired === undefined) return undefined;
  const { metadata, spec } = desired as { metadata: JsonObject; spec: JsonObject };
  const { ownerReferences } = secretIn(desired).manifest["metadata"] as JsonObject;
  const owners = (ownerReferences as readonly JsonObject[] | undefined)?.map(({ uid }) => uid);
  return { policies: spec["managementPolicies"], owners, finalizers: metadata["finalizers"] };
}

type Outcome = object | undefined;

const RESTORED: Shape = { owner: FORMER, written: "" };
const LEFT: Shape = { ...RESTORED, managed: { kubectl: FORMER } };
const TAKEN: Shape = { ...RESTORED, managed: { "apiextensions.crossplane.io/composed/1": FORMER } };
const OF_KUBERNETES: Shape = { owner: UID, policies: WITHOUT_DELETE };
const NONE = { policies: undefined, owners: undefined, finalizers: undefined };
const WRITES_THERE = { written: "uid-there" };
const SAME_PROVIDER: Shape = { ...OF_KUBERNETES, provider: "default" };
const ANOTHER_PROVIDER: Shape = { ...OF_KUBERNETES, provider: "another" };
const IS_PROVIDERS = { owners: [UID] };
const IS_KUBERNETES = { owners: [UID], policies: WITHOUT_DELETE };
const ORPHAN = { finalizers: ["orphan"] };
const SEEN = { owner: UID, policies: OBSERVE };
const [GIVEN_UP, SEEN_ONLY] = [
  { ...SEEN, ...ORPHAN },
  { ...NONE, policies: OBSERVE, owners: [UID] },
];
const STAYS = { policies: OBSERVE, owners: [UID], ...ORPHAN };

describe("a copy that is written", () => {
  test.each<[reason: string, object: Shape | undefined, found: JsonObject | undefined, outcome: Outcome]>([
    ["is its provider's to delete before it exists", undefined, undefined, {}],
    ["is still, before it is written", { written: "" }, undefined, {}],
    ["is still, while the Secret is not owned yet", {}, secret(), { owners: [UID] }],
    ["is Kubernetes' once the Object owns the Secret", { owner: UID }, secret([UID]), IS_KUBERNETES],
    ["is its provider's where another owner was added", { owner: UID }, secret([UID, "x"]), IS_PROVIDERS],
    ["is its provider's where somebody removed the owner", OF_KUBERNETES, secret(), IS_PROVIDERS],
    ["stays Kubernetes' where the Secret is gone with its namespace", SAME_PROVIDER, undefined, IS_KUBERNETES],
    ["is its provider's where that is another one, maybe of another cluster", ANOTHER_PROVIDER, undefined, {}],
    ["is its provider's where it writes another Secret, in another cluster", WRITES_THERE, secret([UID]), {}],
    ["is owned by the Object's new UID after a restore", RESTORED, secret(), { owners: [UID] }],
    ["keeps a former UID that only the restore has set", LEFT, secret([FORMER]), { owners: [FORMER, UID] }],
    ["has none any more once Crossplane has applied it", TAKEN, secret([FORMER]), { owners: [UID] }],
    ["is owned by the new UID while Kubernetes deletes it", { owner: FORMER }, undefined, { owners: [UID] }],
    ["is owned by the new UID where the former is an owner still", RESTORED, secret([FORMER, UID]), IS_KUBERNETES],
  ])("%s", (_reason, object, found, outcome) => {
    expect(composed(object && observed(object), found)).toEqual({ ...NONE, ...outcome });
  });

  test("in another namespace cannot be owned", () => {
    const key = "shared/db/team-b/orders-db";
    const found = targetSecret(copyMarks("XShop.apps.example.org/team-a/shop"), {
      uid: "uid-secret",
      namespace: "team-b",
    });
    const answers = { db: [grantedTo("*")], [`${key}/target`]: [found] };
    const parts = { xr: namespacedXr, spaces: ["team-b"], answers, observed: { [key]: observed({}) } };
    const draft = draftOfCopy({ namespaces: "team-b" }, parts);
    expect(secretIn(objectIn(draft, key)).manifest["metadata"]).not.toHaveProperty("ownerReferences");
  });

  test("for a claim is its provider's", () => {
    expect(composed(observed({}), secret([], "Shop.apps.example.org/team-a/shop"), { xr: xr() })).toEqual(NONE);
  });
});

describe("a Secret that another XR has is given up", () => {
  const theirs = (...owners: readonly string[]) => secret(owners, "XShop.apps.example.org/team-a/another");
  test.each<[reason: string, object: Shape, found: JsonObject, outcome: Outcome]>([
    ["first its Object only observes", OF_KUBERNETES, theirs(UID), STAYS],
    ["its Object stays while it is the only owner", GIVEN_UP, theirs(UID), STAYS],
    ["its Object goes when the other one owns it, too", GIVEN_UP, theirs(UID, "x"), undefined],
    ["its Object goes when the Secret has no owner", GIVEN_UP, theirs(), undefined],
    ["an Object that is being deleted takes no other finalizer", { ...SEEN, isDeleting: true }, theirs(UID), SEEN_ONLY],
  ])("%s", (_reason, object, found, outcome) => {
    expect(composed(observed(object), found)).toEqual(outcome);
  });

  test("wanted again, it keeps the finalizer as long as it observes, and loses it when it writes", () => {
    const [unread, read] = [{ status: {} }, {}].map((more) =>
      composed({ ...observed({ owner: UID, policies: OBSERVE, ...ORPHAN }), ...more }, secret([UID])),
    );
    expect(unread).toMatchObject({ policies: OBSERVE, finalizers: ["orphan"] });
    expect(read).toEqual({ policies: WITHOUT_DELETE, owners: [UID], finalizers: undefined });
  });
});

const gone = { answers: { db: [] } };
test.each<[reason: string, object: Shape, outcome: Outcome]>([
  ["stays Kubernetes' to delete", OF_KUBERNETES, IS_KUBERNETES],
  ["stays given up", GIVEN_UP, STAYS],
  ["is owned by the Object's new UID after a restore", { ...OF_KUBERNETES, owner: FORMER }, IS_KUBERNETES],
  ["observes after a restore as before", { owner: FORMER, policies: OBSERVE }, { policies: OBSERVE, owners: [UID] }],
])("a copy that is kept as it is, since its source is gone, %s", (_reason, object, outcome) => {
  expect(composed(observed(object), secret([UID]), gone)).toEqual({ ...NONE, ...outcome });
});

const former = "shared/before/team-a/orders-db";
const handOver = (object: Shape, owners: readonly string[]) => {
  const answers = { [`${KEY}/target`]: [secret(owners)] };
  const draft = draftOfCopy({}, { xr: namespacedXr, answers, observed: { [former]: observed(object) } });
  const [before, after] = [objectIn(draft, former), objectIn(draft)];
  const owned = before && secretIn(before).manifest["metadata"];
  const spec = before?.["spec"] as JsonObject | undefined;
  return { policies: spec?.["managementPolicies"], owned, isBegun: after !== undefined };
};
const metadata = { name: "orders-db", namespace: "team-a" };
const UPDATE = ["Observe", "Update"];
const unowned = { policies: UPDATE, owned: { ...metadata, ownerReferences: [] } };

test.each<[reason: string, object: Shape, owners: readonly string[], outcome: object]>([
  ["loses its owner first, while the Object still writes it", OF_KUBERNETES, [UID], { ...unowned, isBegun: false }],
  ["is only observed then", { policies: UPDATE }, [], { policies: OBSERVE, owned: metadata, isBegun: false }],
  ["then has another Object", { policies: OBSERVE }, [], { policies: undefined, owned: undefined, isBegun: true }],
])("a Secret that another share of the XR takes over: %s", (_reason, object, owners, outcome) => {
  expect(handOver(object, owners)).toEqual(outcome);
});
