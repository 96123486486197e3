import { describe, expect, test } from "vitest";
import { cacheKinds, decideDeparture, leavesBehind, toDeparture } from "../../../cli/admission/departures.ts";
import { toClient } from "../../../cli/cluster/cluster.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { toContender } from "../../../src/ownership/contender.ts";
import { withMetadata, withPolicies } from "../../../testing/builders/composed.ts";
import { synced } from "../../../testing/builders/kubernetes.ts";
import { PLATFORM, registered } from "../../../testing/builders/registered.ts";
import { connectTo, kindOf, startApiServer } from "../../../testing/servers/api-server.ts";

/** A bucket that an owner leaves to an observer, which its provider created. */

const OWNER = `${PLATFORM}/team-a/orders`;
const CREATED = { [`${DOMAIN}/origin`]: "Created" };
const EXTERNAL = { "crossplane.io/external-create-succeeded": "2026-03-01T10:00:01Z" };
const withoutDelete = ["Observe", "Create", "Update", "LateInitialize"];

function managed(parts: Parameters<typeof registered>[0], more: JsonObject, managementPolicies: readonly string[]) {
  return withPolicies(withMetadata(registered(parts), { annotations: more }), ...managementPolicies);
}

const ALLOWED = { [`${DOMAIN}/allow-delete`]: "true" };
const leaves = { ...CREATED, [`${DOMAIN}/contenders`]: "orders-team-b-orders" };
const owned = (marks: JsonObject, policies: readonly string[] = withoutDelete, isDeleting = false): JsonObject =>
  managed({ bucket: "orders", owner: OWNER, isDeleting }, marks, policies);
const other = { bucket: "orders", owner: `${PLATFORM}/team-b/orders`, role: "Observer", ownedBy: OWNER } as const;
const observing = (marks: JsonObject, isDeleting = false): JsonObject =>
  managed({ ...other, isDeleting }, marks, ["Observe"]);
const owner = owned(leaves);
const observer = observing(CREATED);
const twin = managed({ ...other, group: "s3.aws.m.upbound.io" }, CREATED, ["Observe"]);

const request = (oldObject: JsonObject, dryRun = false) => ({
  ...{ uid: "u1", userInfo: { username: "a" }, operation: "DELETE" },
  ...{ object: undefined, oldObject, dryRun },
});

const BOTH =
  "cannot delete Bucket orders-team-b-orders: it is the last managed resource of a cloud resource that was created for it or for " +
  "an earlier owner, and its policies do not allow Delete, so the cloud resource would be orphaned. To delete both: " +
  "kubectl patch bucket.s3.aws.upbound.io orders-team-b-orders --type=merge " +
  `-p '{"spec":{"managementPolicies":["*"]}}', and delete it again. To orphan the cloud resource: ` +
  `kubectl annotate bucket.s3.aws.upbound.io orders-team-b-orders ${DOMAIN}/leave-behind=true, and delete it again`;

describe("the deletion of a managed resource", () => {
  const startWith = async (...objects: readonly JsonObject[]) => {
    const kinds = ["s3.aws.upbound.io", "s3.aws.m.upbound.io"].flatMap((group) =>
      ["Bucket", "BucketPolicy"].map((kind) => kindOf(group, kind)),
    );
    const api = await startApiServer({ kinds, objects });
    const client = toClient(connectTo(api), { retry: { forMs: 1000, firstMs: 100, maxMs: 100 } });
    const [departed, read] = [new Map(), cacheKinds(client)] as const;
    return (asked: ReturnType<typeof request>) => decideDeparture(asked, departed, read);
  };

  const policy = (bucket: JsonObject, name: string, isFound: boolean): JsonObject => ({
    ...withMetadata(bucket, { annotations: { "crossplane.io/external-name": name } }),
    kind: "BucketPolicy",
    status: synced(isFound ? "True" : "False"),
  });
  const [unseen, unnamed] = [policy(owner, "id-1", false), policy(owner, "", false)];
  const found = policy(observer, "id-2", true);
  const ownerGoing = owned(leaves, withoutDelete, true);
  const creatorGoing = observing(EXTERNAL, true);
  const left = observing({ ...CREATED, [`${DOMAIN}/leave-behind`]: "true" });
  test.each<[is: string, reason: string, deleted: JsonObject, ...others: readonly JsonObject[]]>([
    ["allowed", "the owner leaves it to an observer", owner, observer],
    ["allowed", "the owner leaves it to an observer of the namespaced kind", owner, twin],
    ["allowed", "an observer goes, and the owner stays", observer, owner],
    ["denied", "the observer is being deleted as well", owner, observing(CREATED, true)],
    ["denied", "no other is there, and it never became the owner", observer],
    ["allowed", "it deletes the cloud resource itself", owned(CREATED, ["*"])],
    ["allowed", "it has no successors, so its policies are what its Composition asks for", owned(CREATED)],
    ["denied", "its provider has just created it, and its XR was not reconciled since", owned(EXTERNAL)],
    ["denied", "only the owner that goes as well knows that it was created", observing({}), ownerGoing],
    ["denied", "it found it, and the observer whose provider created it goes as well", owned({}), creatorGoing],
    ["allowed", "it has an association's name that was not looked for, and another's is found", unseen, found],
    ["denied", "its association's name is found, and another has none", found, unnamed],
    [
      "denied",
      "an operator allows its deletion, and its observer has just gone",
      owned({ [`${DOMAIN}/contenders`]: "orders-team-b-orders", ...ALLOWED }),
    ],
    ["allowed", "an operator allows its deletion, and its Composition does not ask for that", owned(ALLOWED)],
    ["allowed", "the cloud resource existed before", observing({})],
    ["allowed", "the cloud resource existed before, and it owns it", owned({})],
    ["allowed", "an operator wants the cloud resource to stay", left],
  ])("is %s when %s", async (is, _, deleted, ...others) => {
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
    const first = await Promise.all([decideOn(owner), decideOn(observer)]);
    // Kubernetes tries again to delete what was denied.
    const again = [owner, observer].map((each, index) => (first[index] === "allowed" ? "allowed" : decideOn(each)));
    expect((await Promise.all(again)).sort()).toEqual(["allowed", "denied"]);
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
    const object = managed(other, { ...CREATED, "crossplane.io/external-name": name }, ["Observe"]);
    return { ...withMetadata(object, { uid }), status: synced("False", { message: row.says }), kind: row.of };
  };
  const departure = toDeparture(named("a", "id-1"));
  if (departure === undefined) throw new Error("it is no departure");
  const successor = toContender(documentOf(named("b", row.successor)));
  expect(leavesBehind(departure, [successor], [])).toBe(row.isLeft);
});
