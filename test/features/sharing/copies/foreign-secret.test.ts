import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/model/json.ts";
import { DOMAIN } from "../../../../src/model/names.ts";
import { draftOfCopy } from "../../../../testing/builders/calls.ts";
import { copyMarks, KEY, objectIn, recorded, secretIn, targetSecret } from "../../../../testing/builders/copies.ts";
import { requirementsIn, says } from "../../../../testing/builders/read-draft.ts";
import { grantedTo } from "../../../../testing/builders/shared-database.ts";
import { connectionSecret, xr } from "../../../../testing/builders/sharing.ts";

/** Two XRs of one claim, after it was replaced by force (crossplane#4803): which of them keeps the copy. */

const CLAIM = { apiVersion: "apps.example.org/v1", kind: "Shop", namespace: "team-a", name: "shop" };
const [OURS, OTHER] = ["shop-x7k2p", "shop-b2b2b"];

const xrNamed = (name: string, created: string, claim = "shop"): JsonObject =>
  xr({
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: created,
      labels: { "crossplane.io/claim-namespace": "team-a", "crossplane.io/claim-name": claim },
    },
    spec: { claimRef: { ...CLAIM, name: claim }, parameters: { database: "orders" } },
  });
const [MORNING, NOON] = ["2026-11-01T08:00:00Z", "2026-11-01T12:00:00Z"];
const own = xrNamed(OURS, NOON);

const claimFor = (xrName: string): JsonObject => ({
  ...CLAIM,
  metadata: { namespace: "team-a", name: "shop" },
  spec: { resourceRef: { ...CLAIM, kind: "XShop", name: xrName } },
});

/** The Secret as an XR has left it. */
const madeBy = (composite: string | undefined, more: JsonObject = {}): JsonObject =>
  targetSecret({ ...copyMarks(), ...(composite !== undefined && { [`${DOMAIN}/composite`]: composite }) }, more);

/** The Object of this XR, which has written the Secret. */
const object: JsonObject = {
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: { name: "shop-x7k2p-1", annotations: recorded() },
  spec: { forProvider: { manifest: { kind: "Secret", metadata: { namespace: "team-a", name: "orders-db" } } } },
  status: { conditions: ["Ready", "Synced"].map((type) => ({ type, status: "True" })) },
};

const TAKEN = `TargetTaken: db: Secret team-a/orders-db is kept by XR ${OTHER} of the same claim: delete the XR that the claim does not name in spec.resourceRef`;
const AVAILABLE = "Available: undefined";
const LOOKING_UP = "WaitingForRequiredResources: db: waiting for Crossplane to look up Secret";

test("a copy for a claim says which XR writes it, and one of an XR without a claim does not", () => {
  const marks = [own, xr({ metadata: { name: "shop" }, spec: { parameters: { database: "orders" } } })].map((each) => {
    const namespaces = { namespaces: "team-a" };
    const { manifest } = secretIn(objectIn(draftOfCopy(namespaces, { xr: each, answers: { db: [grantedTo("*")] } })));
    return (manifest["metadata"] as { annotations: JsonObject }).annotations[`${DOMAIN}/composite`];
  });
  expect(marks).toEqual([OURS, undefined]);
});

describe("of two XRs of a claim, the one that the claim names has the Secret", () => {
  const writes = expect.not.objectContaining({ managementPolicies: expect.anything() });
  const observes = expect.objectContaining({ managementPolicies: ["Observe"] });
  type Answer = readonly JsonObject[] | "pending";
  test.each<[reason: string, there: JsonObject, claim: Answer, spec: unknown, condition: string, asked?: boolean]>([
    ["its own Secret: nothing is asked", madeBy(OURS), "pending", writes, AVAILABLE, false],
    ["a Secret from before this mark: the same", madeBy(undefined), "pending", writes, AVAILABLE, false],
    ["a mark that names no XR: the same", madeBy("Not/a/name"), "pending", writes, AVAILABLE, false],
    ["the other's: it stays as it is while the claim is looked up", madeBy(OTHER), "pending", writes, LOOKING_UP],
    ["the other's, and the claim names this XR: it is written", madeBy(OTHER), [claimFor(OURS)], writes, AVAILABLE],
    ["the other's, and the claim names that: it is given up", madeBy(OTHER), [claimFor(OTHER)], observes, TAKEN],
    ["the other's, and no claim yet, as after a restore: it is written", madeBy(OTHER), [], writes, AVAILABLE],
  ])("%s", (_reason, there, claim, spec, condition, isAsked = true) => {
    const answers = { [`${KEY}/target`]: [there], claim };
    const draft = draftOfCopy({}, { xr: own, answers, observed: { [KEY]: object } });
    expect(objectIn(draft)?.["spec"]).toEqual(spec);
    expect(says(draft)).toBe(condition);
    const asked = { ...CLAIM, name: undefined, match: { name: "shop" } };
    expect(requirementsIn(draft).get("claim")).toEqual(isAsked ? asked : undefined);
  });

  test("a copy that moves to another shared resource asks for the claim afterwards", () => {
    const moving = { ...object, metadata: { name: "shop-x7k2p-1", annotations: recorded("bills") } };
    const answers = { [`${KEY}/target`]: [madeBy(OTHER)], claim: [claimFor(OTHER)] };
    const draft = draftOfCopy({}, { xr: own, answers, observed: { [KEY]: moving } });
    expect([...requirementsIn(draft).keys()]).not.toContain("claim");
  });

  test("an XR that has no Object yet begins as an observer over the other's Secret", () => {
    const answers = { [`${KEY}/target`]: [madeBy(OTHER)], claim: [claimFor(OURS)] };
    expect(objectIn(draftOfCopy({}, { xr: own, answers }))?.["spec"]).toEqual(observes);
  });

  test("a Secret that Crossplane itself writes stays with the XR that controls it", () => {
    const kind = { apiVersion: "apps.example.org/v1", kind: "XShop" };
    const controlledBy = (name: string) => ({
      ownerReferences: [{ ...kind, name, uid: `uid-${name}`, controller: true }],
    });
    const drafts = [OTHER, OURS].map((name) => {
      const target = madeBy(OTHER, controlledBy(name));
      const found = { [`${KEY}/secret/target`]: [target], claim: [claimFor(OURS)] };
      const answers = { "db/secret": [connectionSecret()], ...found };
      return draftOfCopy({ via: "Secret" }, { xr: own, answers });
    });
    expect(drafts.map(({ resources }) => resources.size)).toEqual([0, 1]);
    expect(drafts.map(says)[0]).toBe(TAKEN);
  });
});

test.each<[reason: string, rivals: readonly JsonObject[], isOurs: boolean]>([
  ["the other XR is gone", [], true],
  ["the other XR is older", [xrNamed(OTHER, MORNING)], true],
  ["the other XR is younger", [xrNamed(OTHER, "2026-11-01T12:00:01Z")], false],
  ["both are of one second: the names decide", [xrNamed(OTHER, NOON)], true],
  ["the other XR has another claim", [xrNamed(OTHER, "2026-11-02T12:00:00Z", "another")], true],
])("on v1, which cannot look up a claim, the younger XR has it: %s", (_reason, rival, isOurs) => {
  const parts = { xr: own, capabilities: [], observed: { [KEY]: object } };
  const draft = draftOfCopy({}, { ...parts, answers: { [`${KEY}/target`]: [madeBy(OTHER)], rival } });
  expect(says(draft)).toBe(isOurs ? AVAILABLE : TAKEN);
  const asked = { kind: "XShop", namespace: undefined, name: undefined, match: { name: OTHER } };
  expect(requirementsIn(draft).get("rival")).toEqual({ ...CLAIM, ...asked });
});
