import { describe, expect, test } from "vitest";
import {
  type Departed,
  decideDeparture,
  leavesBehind,
  rememberKinds,
  toDeparture,
} from "../../../cli/admission/departures.ts";
import { toClient } from "../../../cli/cluster/cluster.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { toContender } from "../../../src/ownership/contender.ts";
import { PLATFORM, registered } from "../../../testing/builders/registered.ts";
import { connectTo, kindOf, startApiServer } from "../../../testing/servers/api-server.ts";

/** A bucket that an owner leaves to an observer, which its provider created. */

const OWNER = `${PLATFORM}/team-a/orders`;
const CREATED = { [`${DOMAIN}/origin`]: "Created" };
const EXTERNAL = { "crossplane.io/external-create-succeeded": "2026-03-01T10:00:01Z" };
const withoutDelete = ["Observe", "Create", "Update", "LateInitialize"];

function managed(parts: Parameters<typeof registered>[0], more: JsonObject, managementPolicies: readonly string[]) {
  const object = registered(parts);
  const { annotations, ...metadata } = object["metadata"] as Record<string, JsonObject>;
  const spec = { ...(object["spec"] as JsonObject), managementPolicies };
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, ...more } }, spec } as JsonObject;
}

const leaves = { ...CREATED, [`${DOMAIN}/contenders`]: "orders-team-b-orders" };
const owned = (marks: JsonObject, policies: readonly string[] = withoutDelete, isDeleting = false): JsonObject =>
  managed({ bucket: "orders", owner: OWNER, isDeleting }, marks, policies);
const other = { bucket: "orders", owner: `${PLATFORM}/team-b/orders`, role: "Observer", ownedBy: OWNER } as const;
const observing = (marks: JsonObject, isDeleting = false): JsonObject =>
  managed({ ...other, isDeleting }, marks, ["Observe"]);
const owner = owned(leaves);
const observer = observing(CREATED);
const leaving = observing(CREATED, true);
const twin = managed({ ...other, group: "s3.aws.m.upbound.io" }, CREATED, ["Observe"]);

const request = (oldObject: JsonObject, dryRun = false) => ({
  ...{
    uid: "u1",
    userInfo: { username: "a" },
    operation: "DELETE",
    subResource: undefined,
    namespace: undefined,
    name: undefined,
  },
  ...{ object: undefined, oldObject, dryRun },
});

const BOTH =
  "cannot delete Bucket orders-team-b-orders: it is the last managed resource of a cloud resource that was created for it or for " +
  "an earlier owner, and it has no policy Delete, so the cloud resource would stay without an owner. To delete both: " +
  "kubectl patch bucket.s3.aws.upbound.io orders-team-b-orders --type=merge " +
  `-p '{"spec":{"managementPolicies":["*"]}}', and delete it again. To leave the cloud resource behind: ` +
  `kubectl annotate bucket.s3.aws.upbound.io orders-team-b-orders ${DOMAIN}/leave-behind=true`;

describe("the deletion of a managed resource", () => {
  const startWith = async (...objects: readonly JsonObject[]) => {
    const kinds = [
      kindOf("s3.aws.upbound.io", "Bucket"),
      kindOf("s3.aws.m.upbound.io", "Bucket", { isNamespaced: true }),
    ];
    const api = await startApiServer({ kinds, objects });
    const client = toClient(connectTo(api), { retry: { forMs: 1000, firstMs: 100, maxMs: 100 } });
    const [departed, read]: [Departed, ReturnType<typeof rememberKinds>] = [new Map(), rememberKinds(client)];
    return (asked: ReturnType<typeof request>) => decideDeparture(asked, departed, read);
  };

  test.each([
    { reason: "the owner leaves it to an observer", deleted: owner, others: [observer], is: "allowed" },
    {
      reason: "the owner leaves it to an observer of the namespaced kind",
      deleted: owner,
      others: [twin],
      is: "allowed",
    },
    { reason: "an observer goes, and the owner stays", deleted: observer, others: [owner], is: "allowed" },
    { reason: "the observer is being deleted as well", deleted: owner, others: [leaving], is: "denied" },
    { reason: "no other is there, and it never became the owner", deleted: observer, others: [], is: "denied" },
    { reason: "it deletes the cloud resource itself", deleted: owned(CREATED, ["*"]), others: [], is: "allowed" },
    {
      reason: "it has no successors, so its policies are what its Composition asks for",
      deleted: owned(CREATED),
      others: [],
      is: "allowed",
    },
    {
      reason: "its provider has just created the cloud resource, and its XR was not reconciled since",
      deleted: owned(EXTERNAL),
      others: [],
      is: "denied",
    },
    {
      reason: "only the owner that goes as well knows that it was created",
      deleted: observing({}),
      others: [owned(leaves, withoutDelete, true)],
      is: "denied",
    },
    {
      reason: "it found the cloud resource, and the observer whose provider created it goes as well",
      deleted: owned({}),
      others: [observing(EXTERNAL, true)],
      is: "denied",
    },
    { reason: "the cloud resource existed before", deleted: observing({}), others: [], is: "allowed" },
    { reason: "the cloud resource existed before, and it owns it", deleted: owned({}), others: [], is: "allowed" },
    {
      reason: "an operator wants the cloud resource to stay",
      deleted: observing({ ...CREATED, [`${DOMAIN}/leave-behind`]: "true" }),
      others: [],
      is: "allowed",
    },
  ])("is $is when $reason", async ({ deleted, others, is }) => {
    const decide = await startWith(deleted, ...others);
    expect((await decide(request(deleted))).is).toBe(is);
  });

  test("is denied with the commands that go on", async () => {
    const decide = await startWith(observer);
    expect(await decide(request(observer))).toEqual({ is: "denied", message: BOTH, warnings: [] });
  });

  test("is admitted for one of two that go at the same moment, whatever the lists show yet", async () => {
    const decide = await startWith(owner, observer);
    const decideOn = async (each: JsonObject): Promise<string> => (await decide(request(each))).is;
    const [ofOwner, ofObserver] = await Promise.all([decideOn(owner), decideOn(observer)]);
    // Kubernetes tries again to delete what was denied.
    const last = [
      ofOwner === "allowed" ? ofOwner : await decideOn(owner),
      ofObserver === "allowed" ? ofObserver : await decideOn(observer),
    ];
    expect(last.sort()).toEqual(["allowed", "denied"]);
  });

  test("is not remembered after a dry run", async () => {
    const decide = await startWith(owner, observer);
    await decide(request(owner, true));
    expect((await decide(request(observer))).is).toBe("allowed");
  });
});

test.each([
  { of: "BucketPolicy", says: "", successor: "id-1", isLeft: false },
  { of: "BucketPolicy", says: "", successor: "id-0", isLeft: true },
  { of: "BucketPolicy", says: "", successor: undefined, isLeft: true },
  { of: "BucketPolicy", says: "external resource does not exist", successor: "id-0", isLeft: false },
  { of: "BucketPolicy", says: "external resource does not exist", successor: undefined, isLeft: true },
  { of: "Bucket", says: "", successor: undefined, isLeft: false },
])("a $of with the name id-1 ($says) is left behind where its successor has the name $successor: $isLeft", (row) => {
  const named = (uid: string, name = ""): JsonObject => {
    const { metadata, ...rest } = managed(other, { ...CREATED, "crossplane.io/external-name": name }, ["Observe"]);
    const status = { conditions: [{ type: "Synced", status: "False", message: row.says }] };
    return { ...rest, status, kind: row.of, metadata: { ...(metadata as JsonObject), uid } };
  };
  const departure = toDeparture(named("a", "id-1"));
  if (departure === undefined) throw new Error("it is no departure");
  const successor = toContender(documentOf(named("b", row.successor)));
  expect(leavesBehind(departure, [successor], [])).toBe(row.isLeft);
});
