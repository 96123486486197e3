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

const resourcesOf = (buckets: readonly Omit<Registered, "bucket">[]) =>
  toCloudResources(buckets.map((bucket) => toHolding(documentOf(registered({ bucket: "orders", ...bucket })), BUCKET)));

const observer = (owner: string, ownedBy?: string, since?: string): Omit<Registered, "bucket"> => ({
  owner,
  role: "Observer",
  ...(ownedBy && { ownedBy }),
  ...(since && { since }),
});

interface Row {
  readonly reason: string;
  readonly buckets: readonly Omit<Registered, "bucket">[];
  readonly declarer: Pick<Declaration, "owner" | "self">;
  /** How the message begins after the bucket's name, and whether the declarer's managed resource is known. */
  readonly conflict?: readonly [message: string, isKnown: boolean];
}

const [EARLY, LATE] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const unsettled = [observer(B, undefined, LATE), observer(A, undefined, EARLY)];

test.each<Row>([
  { reason: "is free if it has no holder", buckets: [], declarer: { owner: A } },
  { reason: "is free for its owner", buckets: [{ owner: A }], declarer: { owner: A } },
  {
    reason: "is not free if another one owns it",
    buckets: [{ owner: A }],
    declarer: { owner: B },
    conflict: [`is owned by ${A} (buckets.`, false],
  },
  {
    reason: "is not free if another one owns it, and the declarer observes",
    buckets: [{ owner: A }, observer(B, A)],
    declarer: { owner: B },
    conflict: [`is owned by ${A} (`, true],
  },
  {
    reason: "is not free while its owner is being deleted, and the next one has not taken over",
    buckets: [{ owner: A, isDeleting: true }, observer(B, A)],
    declarer: { owner: C },
    conflict: [`is still held by, while it is being deleted, ${A} (`, false],
  },
  {
    reason: "is not free if no one was promoted, and another one came first",
    buckets: unsettled,
    declarer: { owner: B },
    conflict: [`is declared, and not settled yet, by ${A} (`, true],
  },
  { reason: "is free if no one was promoted, and the declarer came first", buckets: unsettled, declarer: { owner: A } },
  {
    reason: "is free after a restore, if all others know the declarer as the owner",
    buckets: [observer(B, A), observer(C, A)],
    declarer: { owner: A },
  },
  {
    reason: "is free if its name is in two places, one of which is the declarer's own",
    buckets: [{ owner: B, region: "us-east-1" }, { owner: A }],
    declarer: { owner: A },
  },
  {
    reason: "is the older one's of two that are marked, as the function decides",
    buckets: [
      { owner: B, since: LATE },
      { owner: A, since: EARLY },
    ],
    declarer: { owner: B },
    conflict: [`is owned by more than one, first ${A} (`, true],
  },
  {
    reason: "is free for a manifest of the very managed resource that owns it",
    buckets: [{ owner: A }],
    declarer: { owner: "another", self: "Bucket.s3.aws.upbound.io/orders-team-a-data" },
  },
])("a cloud resource $reason", ({ buckets, declarer, conflict }) => {
  const query = { group: BUCKET.group, kind: "Bucket", names: ["orders"], scope: new Map() };
  const found = findConflict({ ...declarer, query, path: ["kind"] }, resourcesOf(buckets));
  const [says = "", isKnown] = conflict ?? [];
  const message = expect.stringContaining(`Bucket.s3.aws.upbound.io "orders" ${says}`);
  expect(found).toEqual(conflict && { owner: A, message, isKnown });
});
