import { expect, test } from "vitest";
import type { Declaration } from "../../../cli/lookup/declarations.ts";
import { toHolding } from "../../../cli/lookup/holding.ts";
import { findConflict, toCloudResources } from "../../../cli/lookup/ownership.ts";
import { documentOf } from "../../../src/model/document.ts";
import { PLATFORM, type Registered, registered } from "../../../testing/builders/registered.ts";
import { kindOf } from "../../../testing/servers/api-server.ts";

const BUCKET = kindOf("s3.aws.upbound.io", "Bucket");
const A = `${PLATFORM}/team-a/data`;
const B = `${PLATFORM}/team-b/data`;
const C = `${PLATFORM}/team-c/data`;
const MANAGED = "Bucket.s3.aws.upbound.io/orders-team-a-data";
const query = { group: BUCKET.group, kind: "Bucket", names: ["orders"], scope: new Map() };

/** A managed resource of the bucket orders. */
type Holder = Omit<Registered, "bucket">;
const resourcesOf = (holders: readonly Holder[]) =>
  toCloudResources(holders.map((one) => toHolding(documentOf(registered({ bucket: "orders", ...one })), BUCKET)));

const [EARLY, LATE] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const observer = (owner: string, more: Partial<Holder>): Holder => ({ owner, role: "Observer", ...more });
const [observerB, observerC] = [observer(B, { ownedBy: A }), observer(C, { ownedBy: A })];
const unsettled = [observer(B, { since: LATE }), observer(A, { since: EARLY })];
const inTwoPlaces = [{ owner: B, region: "us-east-1" }, { owner: A }];
const bothOwn = [
  { owner: B, since: LATE },
  { owner: A, since: EARLY },
];
const leaving = { owner: A, isDeleting: true };

test.each<[reason: string, holders: readonly Holder[], declarer: Pick<Declaration, "owner" | "self">]>([
  ["if it has no holder", [], { owner: A }],
  ["for its owner", [{ owner: A }], { owner: A }],
  ["if no one was promoted, and the declarer came first", unsettled, { owner: A }],
  ["after a restore, if all others know the declarer as the owner", [observerB, observerC], { owner: A }],
  ["if its name is in two places, one of which is the declarer's own", inTwoPlaces, { owner: A }],
  ["for a manifest of the very managed resource that owns it", [{ owner: A }], { owner: "another", self: MANAGED }],
])("a cloud resource is free %s", (_, holders, declarer) => {
  expect(findConflict({ ...declarer, query, path: ["kind"] }, resourcesOf(holders))).toBeUndefined();
});

test.each<[reason: string, holders: readonly Holder[], owner: string, isKnown: boolean, says: string]>([
  ["if another one owns it", [{ owner: A }], B, false, `is owned by ${A} (buckets.`],
  ["if another one owns it, and the declarer observes", [{ owner: A }, observerB], B, true, `is owned by ${A} (`],
  [
    "while its owner is being deleted, and the next one has not taken over",
    [leaving, observerB],
    C,
    false,
    `is owned, until its managed resource is deleted, by ${A} (`,
  ],
  ["if another one came first", unsettled, B, true, `has no owner yet, and the next one is ${A} (`],
  [
    "if another one of two that are marked is older",
    bothOwn,
    B,
    true,
    `has several owners, the first of which is ${A} (`,
  ],
])("a cloud resource is not free %s", (_, holders, owner, isKnown, says) => {
  const message = expect.stringContaining(`Bucket.s3.aws.upbound.io "orders" ${says}`);
  const found = findConflict({ owner, query, path: ["kind"] }, resourcesOf(holders));
  expect(found).toEqual({ owner: A, message, isKnown });
});
