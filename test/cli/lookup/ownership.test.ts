import { expect, test } from "vitest";
import { toHolding } from "../../../cli/lookup/holding.ts";
import { type Declarer, toAvailability, toCloudResources } from "../../../cli/lookup/ownership.ts";
import { PLATFORM, type Registered, registered } from "../../../testing/builders/registered.ts";
import { kindOf } from "../../../testing/servers/api-server.ts";

const BUCKET = kindOf("s3.aws.upbound.io", "Bucket");
const A = `${PLATFORM}/team-a/data`;
const B = `${PLATFORM}/team-b/data`;
const C = `${PLATFORM}/team-c/data`;

const resourcesOf = (buckets: readonly Omit<Registered, "bucket">[]) =>
  toCloudResources(buckets.map((bucket) => toHolding(registered({ bucket: "orders", ...bucket }), BUCKET)));

const observer = (owner: string, ownedBy?: string, since?: string): Omit<Registered, "bucket"> => ({
  owner,
  role: "Observer",
  ...(ownedBy && { ownedBy }),
  ...(since && { since }),
});

interface Row {
  readonly reason: string;
  readonly buckets: readonly Omit<Registered, "bucket">[];
  readonly declarer: Declarer;
  readonly availability: object;
}

test.each<Row>([
  { reason: "nobody holds it", buckets: [], declarer: { owner: A }, availability: { is: "free" } },
  { reason: "it owns it", buckets: [{ owner: A }], declarer: { owner: A }, availability: { is: "ours" } },
  {
    reason: "somebody else owns it",
    buckets: [{ owner: A }],
    declarer: { owner: B },
    availability: { is: "theirs", ownership: { is: "Owned" }, holder: { contender: { owner: A } }, isKnown: false },
  },
  {
    reason: "somebody else owns it, and it observes",
    buckets: [{ owner: A }, observer(B, A)],
    declarer: { owner: B },
    availability: { is: "theirs", isKnown: true },
  },
  {
    reason: "the owner is being deleted, and the next one has not taken over",
    buckets: [{ owner: A, isDeleting: true }, observer(B, A)],
    declarer: { owner: C },
    availability: { is: "theirs", ownership: { is: "Releasing" }, holder: { contender: { owner: A } } },
  },
  {
    reason: "nobody was promoted, and somebody else came first",
    buckets: [observer(B, undefined, "2026-01-02T00:00:00Z"), observer(A, undefined, "2026-01-01T00:00:00Z")],
    declarer: { owner: B },
    availability: { is: "theirs", ownership: { is: "Unsettled" }, holder: { contender: { owner: A } }, isKnown: true },
  },
  {
    reason: "nobody was promoted, and it came first",
    buckets: [observer(B, undefined, "2026-01-02T00:00:00Z"), observer(A, undefined, "2026-01-01T00:00:00Z")],
    declarer: { owner: A },
    availability: { is: "ours" },
  },
  {
    reason: "restored: its own managed resource is not back, but the others know it as the owner",
    buckets: [observer(B, A), observer(C, A)],
    declarer: { owner: A },
    availability: { is: "ours" },
  },
  {
    reason: "the same name in two places, one of which is its own",
    buckets: [{ owner: B, region: "us-east-1" }, { owner: A }],
    declarer: { owner: A },
    availability: { is: "ours" },
  },
  {
    reason: "two are marked: the older one owns, as the function decides",
    buckets: [
      { owner: B, since: "2026-01-02T00:00:00Z" },
      { owner: A, since: "2026-01-01T00:00:00Z" },
    ],
    declarer: { owner: B },
    availability: { is: "theirs", ownership: { is: "Contested" }, holder: { contender: { owner: A } } },
  },
  {
    reason: "a manifest of the very managed resource that owns it",
    buckets: [{ owner: A }],
    declarer: { owner: "whoever", self: "Bucket.s3.aws.upbound.io/orders-team-a-data" },
    availability: { is: "ours" },
  },
])("a cloud resource is $availability.is to its declarer: $reason", ({ buckets, declarer, availability }) => {
  expect(toAvailability(declarer, resourcesOf(buckets))).toMatchObject(availability);
});
