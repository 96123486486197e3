import { expect, test } from "vitest";
import { toCommands } from "../../cli/audit/audit.ts";
import { toFindings } from "../../cli/audit/findings.ts";
import type { Cluster } from "../../cli/cluster/cluster.ts";
import { toHolding } from "../../cli/lookup/holding.ts";
import { lookUp, toCloudResources } from "../../cli/lookup/ownership.ts";
import { findConflicts, readDeclared } from "../../cli/preflight/preflight.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { objectOf } from "../../testing/builders/kubernetes.ts";
import { PLATFORM, registered } from "../../testing/builders/registered.ts";
import { worldOf } from "../../testing/builders/world.ts";
import { kindOf } from "../../testing/servers/api-server.ts";

/** Teams may make many objects: what others wait for grows with their number, and not with its square. */

const BUCKET = kindOf("s3.aws.upbound.io", "Bucket");
const OWNER = `${PLATFORM}/team-a/orders`;
const many = <T>(number: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: number }, (_, index) => make(index));

/** Answers the first list with all of them. */
function clusterOf(names: readonly string[]): Cluster {
  const items = names.map((bucket) => registered({ bucket, owner: OWNER })).values();
  const get = async () => ({ items: [...items], metadata: {} });
  return { server: "", namespace: "", kinds: [BUCKET], get };
}

const names = many(2000, (index) => `bucket-${index}`);
const queries = names.map((name) => ({ group: BUCKET.group, kind: "Bucket", names: [name], scope: new Map() }));

const store = (index: number): JsonObject => ({
  apiVersion: "platform.example.org/v1",
  kind: "XStore",
  metadata: { name: `store-${index}`, uid: `uid-${index}` },
  status: { conditions: [{ type: "Synced", status: "True" }] },
});

const orphan = (index: number): JsonObject =>
  objectOf("v1", "ConfigMap", {
    name: `orphan-${index}`,
    labels: { "crossplane.io/composite": `store-${index}` },
    annotations: { "crossplane.io/composition-resource-name": "settings" },
  });

const world = worldOf({ stores: many(4000, store), buckets: many(4000, orphan) });
const orphaned = toFindings(world, { graceMs: 1, now: 0 });

const holding = toHolding(documentOf(registered({ bucket: "orders", owner: OWNER })), BUCKET);
const manifest = (index: number) => ({
  file: "-",
  template: undefined,
  findLine: () => 1,
  object: registered({ bucket: "orders", owner: `${OWNER}-${index}` }),
});
const declared = readDeclared(many(20_000, manifest), [], []);

test.each([
  { what: "names are looked up", work: () => lookUp(clusterOf(names), queries) },
  { what: "managed resources stand for one cloud resource", work: () => toCloudResources(Array(30_000).fill(holding)) },
  { what: "manifests declare one cloud resource", work: () => findConflicts(clusterOf([]), declared, false) },
  { what: "XRs have lost what they composed", work: () => toFindings(world, { graceMs: 1, now: 0 }) },
  { what: "XRs get commands for their orphans", work: () => toCommands(orphaned, world) },
])("the time grows with the number, and not with its square, where many $what", async ({ work }) => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(3000);
});
