import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { withMetadata } from "../../../testing/builders/composed.ts";
import { objectOf, synced } from "../../../testing/builders/kubernetes.ts";
import { type ApiServerOptions, kindOf, runOn } from "../../../testing/servers/api-server.ts";

/** The program's answers, exit codes and what it says where it may not look. e2e/scenarios/audit.ts runs it on a real cluster. */

const xrd = kindOf("apiextensions.crossplane.io", "CompositeResourceDefinition", { categories: [] });
const store = kindOf("platform.example.org", "XStore", { categories: ["composite"] });
const bucket = kindOf("cloud.example.org", "Bucket");
const secret = kindOf("", "Secret", { version: "v1", isNamespaced: true, categories: [] });
const event = kindOf("", "Event", { version: "v1", isNamespaced: true, categories: [] });
const job = kindOf("batch", "Job", { isNamespaced: true, categories: [] });
const kinds = [xrd, store, bucket, secret, event, job];

const toBucket = { apiVersion: "cloud.example.org/v1beta1", kind: "Bucket" };
const resourceRefs = [
  { ...toBucket, name: "there" },
  { ...toBucket, name: "lost" },
  { ...toBucket, kind: "Queue", name: "of-no-kind" },
  { apiVersion: "v1", kind: "Secret", namespace: "team-a", name: "unlabelled" },
];

const COMPOSED_AS = "crossplane.io/composition-resource-name";
const composed = (name: string): JsonObject => {
  const labels = { "crossplane.io/composite": "orders" };
  return { ...toBucket, metadata: { name, labels, annotations: { [COMPOSED_AS]: "bucket" } } };
};

const xr = (metadata: JsonObject, more: JsonObject) =>
  objectOf("platform.example.org/v1beta1", "XStore", metadata, more);
const createdXr = { name: "orders", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const definition = { name: "xstores.platform.example.org" };
const healthy = [objectOf("apiextensions.crossplane.io/v1beta1", "CompositeResourceDefinition", definition)];
const objects = [
  ...healthy,
  xr(createdXr, { spec: { resourceRefs }, status: {} }),
  composed("there"),
  composed("forgotten"),
  objectOf("v1", "Secret", { name: "unlabelled", namespace: "team-a" }),
];

const run = (cluster: Partial<ApiServerOptions>, ...args: readonly string[]) =>
  runOn({ kinds, objects, ...cluster }, "audit", args);

describe("after a restore", () => {
  test("it finds all kinds of faults, and ends with 1", async () => {
    const { exitCode, stdout, stderr } = await run({});
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3).join(" "));
    const xr = "XStore.platform.example.org/orders";
    expect(rows).toEqual([
      "FINDING XR RESOURCE",
      `Unadopted ${xr} Bucket.cloud.example.org/there`,
      `Unadopted ${xr} Secret/team-a/unlabelled`,
      `Orphaned ${xr} Bucket.cloud.example.org/forgotten`,
      `Dangling ${xr} Bucket.cloud.example.org/lost`,
      `Dangling ${xr} Queue.cloud.example.org/of-no-kind`,
      `NeverReconciled ${xr} ${xr}`,
      "",
    ]);
    expect([exitCode, stderr]).toEqual([1, "6 findings: looked at 1 XR and 3 resources of 5 kinds\n"]);
  });

  test("as JSON it says the same, with what could not be looked at", async () => {
    const { exitCode, stdout } = await run({ forbidden: ["jobs"] }, "--output=json");
    const { findings, looked, notLookedAt } = JSON.parse(stdout);
    expect({ exitCode, looked, found: findings.map(({ is }: JsonObject) => is) }).toEqual({
      exitCode: 1,
      looked: { kinds: 5, composites: 1, resources: 3 },
      found: ["Unadopted", "Unadopted", "Orphaned", "Dangling", "Dangling", "NeverReconciled"],
    });
    expect(notLookedAt).toEqual([{ message: expect.stringContaining('lacks the verb "list"'), isComposed: false }]);
  });

  test("--adopt prints commands for the orphans alone", async () => {
    const { exitCode, stdout } = await run({}, "--adopt");
    const commands = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const command = "kubectl patch xstore.v1beta1.platform.example.org/orders --type=json --patch=";
    expect([exitCode, commands]).toEqual([1, [expect.stringContaining(command)]]);
  });

  test("--composite leaves out what concerns other XRs", async () => {
    const healthyXr = xr({ name: "healthy", uid: "2" }, { status: synced("True") });
    const ran = await run({ objects: [...objects, healthyXr] }, "--composite=healthy");
    expect(ran).toMatchObject({ exitCode: 0, stdout: "" });
  });
});

test("it finds who else has the external name of a registered managed resource, without an XR", async () => {
  const annotations = { "crossplane.io/external-name": "orders-data" };
  const named = (name: string, metadata: JsonObject = {}) =>
    withMetadata({ ...toBucket, metadata: { name } }, { annotations, ...metadata });
  const registered = named("registered", {
    labels: { "crossplane.io/composite": "gone", [`${DOMAIN}/identity`]: "1" },
  });
  const { stdout } = await run({ objects: [...healthy, registered, named("foreign")] });
  expect(stdout).toContain("Unregistered  -   Bucket.cloud.example.org/foreign");
});

const XR = { apiVersion: "platform.example.org/v1beta1", kind: "XStore", name: "orders", uid: "1", controller: true };
const [regionEu, regionUs] = [{ region: "eu" }, { region: "us" }];
const absent = "observe failed: external resource does not exist";
const marks = (name: string) => ({ [COMPOSED_AS]: name, [`${DOMAIN}/restored`]: "held=*" });
/** A managed resource that only observes since a restore, and what its provider has reported. */
const restored = (name: string, synced: JsonObject = {}, atProvider: JsonObject = {}, owners = [XR]): JsonObject => {
  const restoredAt = { ownerReferences: owners, creationTimestamp: "2026-01-01T00:00:00Z" };
  const lastTransitionTime = "2026-01-02T00:00:00Z";
  return {
    ...withMetadata(composed(name), { annotations: marks(name), ...restoredAt }),
    spec: { managementPolicies: ["Observe"], forProvider: regionEu },
    status: { atProvider, conditions: [{ type: "Synced", status: "True", lastTransitionTime, ...synced }] },
  };
};

test("--restore says of each what its provider found, and how to release it; what is as desired needs nobody", async () => {
  const differs = "it differs in spec.forProvider.region";
  const release = (name: string) =>
    `to release it: kubectl annotate xstore.platform.example.org orders --overwrite ${DOMAIN}/release-restored=1/${name}`;
  const before = { lastTransitionTime: "2025-12-31T00:00:00Z" };
  const all = [
    ...objects,
    restored("as-desired", {}, regionEu),
    restored("changed", {}, regionUs),
    restored("deleted", { status: "False", message: absent }),
    restored("not-looked-for", before, regionEu),
    restored("alone", {}, regionUs, []),
    withMetadata(restored("no-longer-desired", {}, regionEu), {
      annotations: { ...marks("no-longer-desired"), [`${DOMAIN}/adoption`]: "looked" },
    }),
  ];
  const { exitCode, stdout } = await run({ objects: all }, "--restore");
  const xr = "XStore.platform.example.org/orders";
  expect([exitCode, stdout.split("\n").map((line) => line.split(/ {2,}/).join(" | "))]).toEqual([
    1,
    [
      "FINDING | XR | RESOURCE | AS | WHAT IT MEANS",
      `Waiting | ${xr} | Bucket.cloud.example.org/not-looked-for | not-looked-for | ${release("not-looked-for")}`,
      `Missing | ${xr} | Bucket.cloud.example.org/deleted | deleted | ${release("deleted")}`,
      `Different | - | Bucket.cloud.example.org/alone | alone | ${differs}; no XR controls it yet`,
      `Different | ${xr} | Bucket.cloud.example.org/changed | changed | ${differs}; ${release("changed")}`,
      `Found | ${xr} | Bucket.cloud.example.org/as-desired | as-desired | it is released with the others of its XR`,
      `Found | ${xr} | Bucket.cloud.example.org/no-longer-desired | no-longer-desired | no step desires it any more: once released, it is deleted; ${release("no-longer-desired")}`,
      "",
    ],
  ]);
});

describe("where nothing is wrong", () => {
  test.each([
    ["it ends with 0", [], 0, "no findings: "],
    ["kinds that nobody composes may be kept from it", ["jobs", "secrets"], 0, "2 kinds that no XR refers to"],
    ["managed resources may not: that is no answer", ["buckets"], 2, 'resources: ["buckets"], verbs: ["list"]'],
    ["XRs may not", ["xstores"], 2, 'resources: ["xstores"], verbs: ["list"]'],
  ])("without faults, %s", async (_, forbidden, exitCode, says) => {
    const ended = await run({ objects: healthy, forbidden });
    expect(ended).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(says) });
  });

  test("events are never asked for, and Secrets only for their metadata", async () => {
    const { server } = await run({ objects: healthy });
    expect(server.requests.filter((path) => path.includes("/events"))).toEqual([]);
    expect(server.requests.filter((path) => path.includes("/secrets"))).toHaveLength(1);
  });
});

test("what it may not look at, of what an XR refers to, is not said to be missing", async () => {
  const { stdout, stderr } = await run({ forbidden: ["secrets"] });
  expect(stdout).not.toContain("unlabelled");
  expect(stderr).toContain("not looked at: cannot list secrets");
});

const names = ["--composite=order", "--composite=orders"];
test.each<[reason: string, cluster: Partial<ApiServerOptions>, says: string, ...args: readonly string[]]>([
  ["a name that no XR has", {}, 'cannot find an XR named "order"; did you mean orders?\n', ...names],
  ["Crossplane not there", { kinds: [bucket], objects: [] }, "cannot find Crossplane at https://"],
])("it ends with 2 with %s", async (_, cluster, says, ...args) => {
  const stderr = expect.stringContaining(says);
  expect(await run(cluster, ...args)).toMatchObject({ exitCode: 2, stdout: "", stderr });
});
