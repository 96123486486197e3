import { describe, expect, test } from "vitest";
import { COPY_KINDS } from "../../../../src/crossplane/copies.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { type CallParts, draftOfCopy } from "../../../../testing/builders/calls.ts";
import { KEY, objectIn, recorded, secretIn } from "../../../../testing/builders/copies.ts";
import { objectOf } from "../../../../testing/builders/kubernetes.ts";
import { grantedTo } from "../../../../testing/builders/shared-database.ts";
import { xr } from "../../../../testing/builders/sharing.ts";

/** Who deletes the Secret of a namespaced XR's Object: its provider, Kubernetes, or nobody. */

const DOMAIN = "shared-infrastructure.fn.crossplane.io";
const WITHOUT_DELETE = ["Observe", "Create", "Update"];
const OBSERVE = ["Observe"];
const namespaced = xr({
  metadata: { name: "shop", namespace: "team-a" },
  spec: { parameters: { database: "orders" } },
});

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
}

/** The Object as it is observed, with a spec that its provider has read. */
function observed({
  owner,
  policies,
  written = "uid-secret",
  finalizers = [],
  isDeleting = false,
  provider = "",
}: Shape): JsonObject {
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
  objectOf("v1", "Secret", {
    name: "orders-db",
    namespace: "team-a",
    uid: "uid-secret",
    annotations: { [`${DOMAIN}/owner`]: owner, [`${DOMAIN}/shared-from`]: "databases/orders-conn" },
    ...(owners.length > 0 && { ownerReferences: owners.map(ownedBy) }),
  });

/** What decides who deletes the Secret: undefined where no Object is composed. */
function composed(object: JsonObject | undefined, found: JsonObject | undefined, parts: CallParts = {}) {
  const desired = objectIn(
    draftOfCopy(
      {},
      {
        xr: namespaced,
        ...parts,
        answers: { [`${KEY}/target`]: found === undefined ? [] : [found], ...parts.answers },
        ...(object && { observed: { [KEY]: object } }),
      },
    ),
  );
  if (desired === undefined) return undefined;
  const { metadata, spec } = desired as { metadata: JsonObject; spec: JsonObject };
  const { ownerReferences } = secretIn(desired).manifest["metadata"] as JsonObject;
  const owners = (ownerReferences as readonly JsonObject[] | undefined)?.map(({ uid }) => uid);
  return { policies: spec["managementPolicies"], owners, finalizers: metadata["finalizers"] };
}

type Outcome = object | undefined;

const RESTORED: Shape = { owner: FORMER, written: "" };

describe("a copy that is written", () => {
  test.each<[reason: string, object: Shape | undefined, found: JsonObject | undefined, outcome: Outcome]>([
    ["is its provider's to delete before it exists", undefined, undefined, {}],
    ["is still, before it is written", { written: "" }, undefined, {}],
    ["is still, while the Secret is not owned yet", {}, secret(), { owners: [UID] }],
    [
      "is Kubernetes' once the Object owns it",
      { owner: UID },
      secret([UID]),
      { owners: [UID], policies: WITHOUT_DELETE },
    ],
    [
      "is its provider's where somebody added an owner, with whom the Secret would stay",
      { owner: UID },
      secret([UID, "x"]),
      { owners: [UID] },
    ],
    [
      "is its provider's where the owner was removed",
      { owner: UID, policies: WITHOUT_DELETE },
      secret(),
      { owners: [UID] },
    ],
    [
      "stays Kubernetes' where the Secret is gone, as it is before its namespace",
      { owner: UID, policies: WITHOUT_DELETE, provider: "default" },
      undefined,
      { owners: [UID], policies: WITHOUT_DELETE },
    ],
    [
      "is its provider's where that is another one now, which may write into another cluster",
      { owner: UID, policies: WITHOUT_DELETE, provider: "another" },
      undefined,
      {},
    ],
    [
      "is its provider's where it writes another Secret, in another cluster",
      { written: "uid-there" },
      secret([UID]),
      {},
    ],
    ["is owned by the Object's new UID after a restore, before it is looked at", RESTORED, secret(), { owners: [UID] }],
    ["and while Kubernetes deletes it", { owner: FORMER }, undefined, { owners: [UID] }],
    [
      "and where its former UID still owns it",
      RESTORED,
      secret([FORMER, UID]),
      { owners: [UID], policies: WITHOUT_DELETE },
    ],
  ])("%s", (_reason, object, found, outcome) => {
    expect(composed(object && observed(object), found)).toEqual({ ...NONE, ...outcome });
  });

  const NONE = { policies: undefined, owners: undefined, finalizers: undefined };

  test("in another namespace cannot be owned", () => {
    const key = "shared/db/team-b/orders-db";
    const answers = { db: [grantedTo("*")], [`${key}/target`]: [secret()] };
    const draft = draftOfCopy(
      { namespaces: "team-b" },
      { xr: namespaced, spaces: ["team-b"], answers, observed: { [key]: observed({}) } },
    );
    expect(secretIn(objectIn(draft, key)).manifest["metadata"]).not.toHaveProperty("ownerReferences");
  });

  test("for a claim is its provider's", () => {
    expect(composed(observed({}), secret([], "Shop.apps.example.org/team-a/shop"), { xr: xr() })).toEqual(NONE);
  });
});

describe("a Secret that another XR has is given up", () => {
  const theirs = (...owners: readonly string[]) => secret(owners, "XShop.apps.example.org/team-a/another");
  const orphan = { finalizers: ["orphan"] };
  const stays = { policies: OBSERVE, owners: [UID], finalizers: ["orphan"] };
  const seen = { owner: UID, policies: OBSERVE };
  test.each<[reason: string, object: Shape, found: JsonObject, outcome: Outcome]>([
    ["first its Object only observes", { owner: UID, policies: WITHOUT_DELETE }, theirs(UID), stays],
    [
      "its Object stays while it is the only owner, and Kubernetes would delete the Secret",
      { ...seen, ...orphan },
      theirs(UID),
      stays,
    ],
    ["and goes when the other one owns it, too", { ...seen, ...orphan }, theirs(UID, "x"), undefined],
    ["or the Secret has no owner", { ...seen, ...orphan }, theirs(), undefined],
    ["an Object that owns none goes without all that", { policies: OBSERVE }, theirs(), undefined],
    [
      "an Object that is being deleted takes no other finalizer",
      { ...seen, isDeleting: true },
      theirs(UID),
      { ...stays, finalizers: undefined },
    ],
  ])("%s", (_reason, object, found, outcome) => {
    expect(composed(observed(object), found)).toEqual(outcome);
  });

  test("wanted again, it keeps the finalizer as long as it observes, and loses it when it writes", () => {
    const [unread, read] = [{ status: {} }, {}].map((more) =>
      composed({ ...observed({ owner: UID, policies: OBSERVE, ...orphan }), ...more }, secret([UID])),
    );
    expect(unread).toMatchObject({ policies: OBSERVE, finalizers: ["orphan"] });
    expect(read).toEqual({ policies: WITHOUT_DELETE, owners: [UID], finalizers: undefined });
  });
});

describe("a copy that is kept as it is, since its source is gone,", () => {
  const gone = { answers: { db: [] } };
  test.each<[reason: string, object: Shape, outcome: Outcome]>([
    ["stays Kubernetes'", { owner: UID, policies: WITHOUT_DELETE }, { owners: [UID], policies: WITHOUT_DELETE }],
    [
      "stays given up",
      { owner: UID, policies: OBSERVE, finalizers: ["orphan"] },
      { owners: [UID], policies: OBSERVE, finalizers: ["orphan"] },
    ],
    [
      "is owned by the Object's new UID after a restore",
      { owner: FORMER, policies: WITHOUT_DELETE },
      { policies: WITHOUT_DELETE, owners: [UID] },
    ],
    ["observes after a restore as before", { owner: FORMER, policies: OBSERVE }, { policies: OBSERVE, owners: [UID] }],
  ])("%s", (_reason, object, outcome) => {
    expect(composed(observed(object), secret([UID]), gone)).toEqual({
      policies: undefined,
      owners: undefined,
      finalizers: undefined,
      ...outcome,
    });
  });
});

describe("a Secret that another share of the XR takes over", () => {
  const former = "shared/before/team-a/orders-db";
  const handOver = (object: Shape, owners: readonly string[]) => {
    const draft = draftOfCopy(
      {},
      { xr: namespaced, answers: { [`${KEY}/target`]: [secret(owners)] }, observed: { [former]: observed(object) } },
    );
    const [before, after] = [objectIn(draft, former), objectIn(draft)];
    const owned = before && secretIn(before).manifest["metadata"];
    return {
      policies: (before?.["spec"] as JsonObject | undefined)?.["managementPolicies"],
      owned,
      isBegun: after !== undefined,
    };
  };
  const metadata = { name: "orders-db", namespace: "team-a" };

  test.each<[reason: string, object: Shape, owners: readonly string[], outcome: object]>([
    [
      "loses its owner first, while the Object still writes it",
      { owner: UID, policies: WITHOUT_DELETE },
      [UID],
      { policies: ["Observe", "Update"], owned: { ...metadata, ownerReferences: [] }, isBegun: false },
    ],
    [
      "is observed then",
      { policies: ["Observe", "Update"] },
      [],
      { policies: OBSERVE, owned: metadata, isBegun: false },
    ],
    ["then has another Object", { policies: OBSERVE }, [], { policies: undefined, owned: undefined, isBegun: true }],
  ])("%s", (_reason, object, owners, outcome) => {
    expect(handOver(object, owners)).toEqual(outcome);
  });
});
