import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { toCommands, toTable } from "../../../cli/audit/audit.ts";
import { findHeldBack } from "../../../cli/audit/cloud-resources.ts";
import { toFindings as findAll } from "../../../cli/audit/findings.ts";
import { compareFindings, type Finding, type World } from "../../../cli/audit/world.ts";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { resourceKey, toReference } from "../../../src/crossplane/references.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { namesRecordName } from "../../../src/records/names-record.ts";
import { RECORD_KINDS, recordId } from "../../../src/records/record.ts";
import { synced } from "../../../testing/builders/kubernetes.ts";
import { worldOf as toWorld, type WorldParts } from "../../../testing/builders/world.ts";

/** One XR that composes buckets, and what a cluster may hold of them. */

const CREATED = "2026-01-01T00:00:00Z";
const A_MINUTE_AGO = "2026-01-01T00:59:00Z";
const patience = { graceMs: 120_000, now: Date.parse("2026-01-01T01:00:00Z") };

const BUCKET = { apiVersion: "cloud.example.org/v1", kind: "Bucket" };
const apiVersion = "platform.example.org/v1";
const referringTo = (...names: readonly string[]) => ({ resourceRefs: names.map((name) => ({ ...BUCKET, name })) });

const store = (metadata: JsonObject = {}, spec: JsonObject = referringTo(), status = synced("True")): JsonObject => {
  const { name = "orders" } = metadata;
  const own = { name, uid: `uid-of-${String(name)}`, creationTimestamp: CREATED, ...metadata };
  return { apiVersion, kind: "XStore", metadata: own, spec, status };
};

interface BucketParts {
  readonly composite?: string;
  readonly controller?: JsonObject;
  readonly metadata?: JsonObject;
}

const bucket = (name: string, { composite = "orders", controller, metadata = {} }: BucketParts = {}): JsonObject => ({
  ...BUCKET,
  metadata: {
    name,
    labels: { "crossplane.io/composite": composite },
    annotations: { "crossplane.io/composition-resource-name": `the-${name}` },
    ...(controller && { ownerReferences: [{ apiVersion, controller: true, ...controller }] }),
    ...metadata,
  },
});

const ours = { kind: "XStore", name: "orders", uid: "uid-of-orders" };
const beforeRestore = { ...ours, uid: "uid-before" };
const another = { kind: "XStore", name: "other", uid: "uid-of-other" };

const worldOf = ({ stores = [store()], ...parts }: WorldParts) => toWorld({ stores, ...parts });

const toFindings = (world: World, allowed: Parameters<typeof findAll>[1]): readonly Finding[] =>
  findAll(world, allowed).toSorted(compareFindings);
const find = (parts: WorldParts): readonly Finding[] => toFindings(worldOf(parts), patience);

const refTo = (name: string): string => resourceKey({ ...BUCKET, namespace: undefined, name });

const shown = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ is, composite, resource }) => `${is} ${resource.name} of ${composite?.name ?? "?"}`);

/** A row: what a cluster holds, and what is found in it. */
const row = (reason: string, parts: WorldParts, ...found: readonly string[]) => ({ reason, parts, found });

const stores = [store({}, referringTo("a"))];
const modern = [store({}, { crossplane: referringTo("a") })];
const controlledBy = (controller: JsonObject) => ({ buckets: [bucket("a", { controller })] });
/** The record of names of the XR. */
const record = {
  ...RECORD_KINDS.EnvironmentConfig,
  name: namesRecordName(recordId(toComposite(documentOf(store())))),
};
const recordKey = resourceKey({ ...record, namespace: undefined });
const withRecord = [store({}, { resourceRefs: [record] })];
const going = { metadata: { deletionTimestamp: CREATED } };

test.each([
  row("is there, and the XR's", controlledBy(ours)),
  row("has no controller", { buckets: [bucket("a")] }, "Unadopted a of orders"),
  row("has no controller, in a modern XR", { stores: modern, buckets: [bucket("a")] }, "Unadopted a of orders"),
  row("has no controller, and is being deleted", { buckets: [bucket("a", going)] }),
  row("has the XR before the restore for its controller", controlledBy(beforeRestore), "StaleController a of orders"),
  row("is somebody else's", controlledBy(another), "ControlledByAnother a of orders"),
  row("is not there", { referred: [[refTo("a"), "missing"]] }, "Dangling a of orders"),
  row("is of no installed kind", { referred: [[refTo("a"), "kindMissing"]] }, "Dangling a of orders"),
  row("is the XR's own record of names, which it composes anew", {
    stores: withRecord,
    referred: [[recordKey, "missing"]],
  }),
  row("is that record, of the XR before the restore, which Kubernetes collects", {
    stores: withRecord,
    referred: [[recordKey, documentOf(bucket("record", { controller: beforeRestore }))]],
  }),
  row("is not there any more, and the XR is being deleted", {
    stores: [store(going.metadata, referringTo("a"), {})],
    referred: [[refTo("a"), "missing"]],
  }),
  row("could not be looked at", {}),
  row(
    "is there without Crossplane's label",
    { referred: [[refTo("a"), documentOf(bucket("a", { metadata: { labels: {} } }))]] },
    "Unadopted a of orders",
  ),
])("what an XR refers to $reason: $found", ({ parts, found }) => {
  expect(shown(find({ stores, ...parts }))).toEqual(found);
});

const SHARED_RESOURCE = `${DOMAIN}/shared-resource`;

test.each([
  ["of an XR that is there", [], { apiVersion, kind: "XStore", name: "orders" }],
  ["of an XR that is gone", ["SharedResourceGone copy of ?"], { apiVersion, kind: "XStore", name: "gone" }],
  ["of a kind whose XRs were not read", [], { apiVersion, kind: "XOther", name: "gone" }],
  ["with a record that is no JSON", [], "{"],
])("a copy of a connection Secret %s: %j", (_, found, origin) => {
  const annotations = { [SHARED_RESOURCE]: typeof origin === "string" ? origin : JSON.stringify(origin) };
  const copy = bucket("copy", { controller: ours, metadata: { annotations } });
  expect(shown(find({ stores: [store({}, referringTo("copy"))], buckets: [copy] }))).toEqual(found);
});

const annotationsOf = (composedAs: string) => ({
  "crossplane.io/composition-resource-name": composedAs,
  [SHARED_RESOURCE]: JSON.stringify({ apiVersion, kind: "XStore", name: "orders" }),
});
const hanging = {
  namespace: "red",
  annotations: annotationsOf("shared/db/red/vault"),
  deletionTimestamp: CREATED,
  finalizers: ["finalizer.managedresource.crossplane.io"],
};
const object = (metadata: JsonObject = {}): JsonObject => ({
  ...bucket("app", { controller: ours, metadata: { ...hanging, ...metadata } }),
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "Object",
});
const leaving = ["red"];
const WHY =
  "its namespace is being deleted, so the provider waits: it can no longer create a ProviderConfigUsage there";
const command =
  "kubectl patch object.v1alpha1.kubernetes.m.crossplane.io/app --namespace=red --type=merge " +
  `--patch='{"spec":{"managementPolicies":["Observe"]}}'`;

const BY_HAND = `${WHY}; with managementPolicies [Observe] the resource is removed, and its cloud resource stays`;
const LEFT =
  "its copy blue/vault stays then: delete that Secret if its annotation shared-infrastructure.fn.crossplane.io/owner names an XR or claim in red";
const elsewhere = object({ annotations: annotationsOf("shared/db/blue/vault") });
const lying = object({ annotations: annotationsOf("shared/db/x; to end it: kubectl delete ns blue #/y") });
const other = { ...object(), apiVersion: "cloud.example.org/v1" };

test.each<[reason: string, parts: WorldParts, ...found: readonly string[]]>([
  ["hangs if its namespace is being deleted, too", { buckets: [object()], leaving }, `${WHY}; to end it: ${command}`],
  ["with a copy elsewhere leaves that", { buckets: [elsewhere], leaving }, `${WHY}; ${LEFT}; to end it: ${command}`],
  ["adds no text of its team", { buckets: [lying], leaving }, `${WHY}; to end it: ${command}`],
  ["which is no Object gets no command, whatever its annotations say", { buckets: [other], leaving }, BY_HAND],
  ["which makes no copy gets no command", { buckets: [object({ annotations: {} })], leaving }, BY_HAND],
  ["does not hang if its namespace stays", { buckets: [object()] }],
  ["is not waited for by its provider", { buckets: [object({ finalizers: ["foregroundDeletion"] })], leaving }],
  ["has not hung for long enough", { buckets: [object({ deletionTimestamp: A_MINUTE_AGO })], leaving }],
])("a namespaced resource that is being deleted %s", (_, parts, ...found) => {
  const [, ...rows] = toTable(find(parts)).trimEnd().split("\n");
  expect(rows.map((line) => line.slice(line.indexOf(WHY)))).toEqual(found);
});

const nested = store({ name: "orders-inner", labels: { "crossplane.io/composite": "orders" } });

const copiedFrom = JSON.stringify({ apiVersion, kind: "XStore", name: "orders" });
const marked = (mark: string, more: JsonObject = {}) =>
  bucket("marked", { controller: ours, metadata: { annotations: { [`${DOMAIN}/${mark}`]: copiedFrom }, ...more } });
const left = { labels: { "crossplane.io/composite": "gone" }, ownerReferences: [] };

test.each([
  row("was composed by an XR that is there", { buckets: [bucket("a")] }, "Orphaned a of orders"),
  row("was composed by an XR that is not there", { buckets: [bucket("a", { composite: "gone" })] }),
  row("has a controller", controlledBy(ours)),
  ...Object.entries({ "makes a copy": "shared-resource", "depends on a grant": "depends-on" }).flatMap(([is, mark]) => [
    row(`${is}, whoever controls it`, { buckets: [marked(mark)] }, "Unreferred marked of ?"),
    row(`${is}, and its XR has gone without it`, { buckets: [marked(mark, left)] }, "Unreferred marked of ?"),
  ]),
  row("is being deleted", { buckets: [bucket("a", going)] }),
  row("has the label only because it was copied from a composed resource, as that of Endpoints is", {
    buckets: [bucket("a", { metadata: { annotations: {} } })],
  }),
  row("has managed fields that name another composer", {
    buckets: [bucket("a", { metadata: { managedFields: [{ manager: "apiextensions.crossplane.io/composed/0" }] } })],
  }),
  row("could be of any XR below one root", { stores: [store(), nested], buckets: [bucket("a")] }, "Orphaned a of ?"),
])("what no XR refers to $reason: $found", ({ parts, found }) => {
  expect(shown(find(parts))).toEqual(found);
});

const MAY = "XStore.platform.example.org/orders-inner may";

const claim = { "crossplane.io/claim-name": "orders", "crossplane.io/claim-namespace": "team-a" };
const labels = { "crossplane.io/composite": "orders", ...claim };
const orphan = bucket("a", { metadata: { labels, annotations: { "crossplane.io/composition-resource-name": "a" } } });
const inner = (controller: JsonObject): JsonObject =>
  store({ name: "orders-inner", labels, ownerReferences: [{ apiVersion, controller: true, ...controller }] });
const root = (name: string) => store({}, { resourceRefs: [{ apiVersion, kind: "XStore", name }] });
test.each([
  ["is its, if the XR at the root confirms that", [root("orders-inner"), inner(ours)], "its XR"],
  ["may be its, if the XR at the root does not refer to it", [root("orders-other"), inner(ours)], MAY],
  ["may be its, if its controller is another object", [root("orders-inner"), inner(beforeRestore)], MAY],
  ["may be its, if the XR at the root is gone", [inner(ours)], MAY],
])("an orphan that only a nested XR can have composed, by its claim, %s", (_, stores, is) => {
  const world = worldOf({ stores, buckets: [orphan] });
  const findings = toFindings(world, patience);
  expect(findings.find((each) => each.is === "Orphaned")?.message).toMatch(new RegExp(`^${is} .*composed it`));
  expect(toCommands(findings, world).includes("\nkubectl patch")).toBe(is !== MAY);
});

test.each([
  row("was never reconciled", { stores: [store({}, {}, {})] }, "NeverReconciled orders of orders"),
  row("has failed, but was reconciled", { stores: [store({}, {}, synced("False"))] }),
  row("was created a minute ago", { stores: [store({ creationTimestamp: A_MINUTE_AGO }, {}, {})] }),
])("an XR without a condition Synced $reason: $found", ({ parts, found }) => {
  expect(shown(find(parts))).toEqual(found);
});

describe("--adopt", () => {
  const commandsFor = (world: World): string => toCommands(toFindings(world, patience), world);
  const target = "kubectl patch xstore.v1.platform.example.org/orders";
  const isSame = { op: "test", path: "/metadata/uid", value: "uid-of-orders" };
  const add = (path: string, value: unknown) => ({ op: "add", path, value });
  const added = (name: string) => ({ ...BUCKET, name });

  test("adds to the references that there are, in one patch", () => {
    const buckets = [bucket("c", { controller: ours }), bucket("b"), bucket("a")];
    const patch = [isSame, ...["a", "b"].map((name) => add("/spec/resourceRefs/-", added(name)))];
    const commands = commandsFor(worldOf({ stores: [store({}, referringTo("c"))], buckets }));
    expect(commands).toContain(`\n${target} --type=json --patch='${JSON.stringify(patch)}'\n`);
    expect(commands.match(/^kubectl/gm)).toHaveLength(1);
  });

  test("makes the list, and what it stands in, where an XR has none", () => {
    const metadata = { namespace: "team-a" };
    const buckets = [bucket("b", { metadata }), bucket("a", { metadata })];
    const patch = [isSame, add("/spec/crossplane", {}), add("/spec/crossplane/resourceRefs", [added("a"), added("b")])];
    expect(commandsFor(worldOf({ stores: [store(metadata, {})], buckets }))).toContain(
      `\n${target} --namespace=team-a --type=json --patch='${JSON.stringify(patch)}'\n`,
    );
  });

  test("prints a comment and no command where it cannot be told which XR it was, whatever the orphan is called", () => {
    const text = commandsFor(worldOf({ stores: [store(), nested], buckets: [bucket("a"), bucket("b\necho stolen")] }));
    expect(text).toContain("# Bucket.cloud.example.org/a: one of ");
    expect(text).toContain("\n# 'Bucket.cloud.example.org/b\\u000aecho stolen': one of ");
    expect(text).not.toMatch(/^kubectl.*Bucket/m);
  });

  const ECHO = "; echo stolen $(echo stolen)";
  const as = (composedAs: string, resource = "%/a") =>
    `# ${resource.replace("%", "Bucket.cloud.example.org")}, composed as ${composedAs}`;
  const named = (as: string, name = "a") =>
    bucket(name, { metadata: { annotations: { "crossplane.io/composition-resource-name": as } } });
  test.each([
    ["a line break begins none", named("db\necho stolen\n#"), as("'db\\u000aecho stolen\\u000a#'")],
    ["nor does a comment, where the shell knows none", named(`db'${ECHO}'`), as(`'db'\\''${ECHO}'\\'''`)],
    ["the terminal is not steered", named("db\u001b[2K\u001b[1A\u202e"), as("'db\\u001b[2K\\u001b[1A\\u202e'")],
    ["a quotation mark ends no word", named("db", `x'${ECHO}'\u009b`), as("db", `'%/x'\\''${ECHO}'\\''\\u009b'`)],
  ])("what a tenant writes is no command: %s", (_, orphan, comment) => {
    const own = bucket("c", { controller: ours });
    const commands = commandsFor(worldOf({ stores: [store({}, referringTo("c"))], buckets: [own, orphan] }));
    expect(commands.split("\n")).toContain(comment);
    expect(commands).not.toContain("\u009b");
    // A shell with nothing but its own commands, and a kubectl that says what it is called with.
    const script = `kubectl() { printf '%s\\n' "$@"; }\n${commands}`;
    const said = execFileSync("/bin/sh", ["-c", script], { env: { PATH: "/nowhere" }, encoding: "utf8" });
    const { name } = toReference(documentOf(orphan));
    const [verb, target, type, patch = "", ...more] = said.trimEnd().split("\n");
    expect([verb, target, type, more]).toEqual(["patch", "xstore.v1.platform.example.org/orders", "--type=json", []]);
    const refs = add("/spec/resourceRefs/-", added(name));
    expect(JSON.parse(patch.replace("--patch=", ""))).toEqual([isSame, refs]);
  });

  test("says that there is nothing to do", () => {
    expect(toCommands([], worldOf({}))).toBe("# No orphans found.\n");
  });
});

test("the table has a line for each finding, sorted, and no line without any", () => {
  const stores = [store({}, referringTo("b", "a"))];
  const lines = toTable(find({ stores, buckets: [bucket("b"), bucket("a")] })).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 4).join(" | "))).toEqual([
    "FINDING | XR | RESOURCE | AS",
    "Unadopted | XStore.platform.example.org/orders | Bucket.cloud.example.org/a | the-a",
    "Unadopted | XStore.platform.example.org/orders | Bucket.cloud.example.org/b | the-b",
    "",
  ]);
  expect(toTable([])).toBe("");
});

test("the table has one line for a finding, whatever its annotation says", () => {
  const annotations = { "crossplane.io/composition-resource-name": "db\u001b[1A\nOrphaned  XStore/payroll" };
  const buckets = [bucket("a", { metadata: { annotations } })];
  const [header = "", row, ...more] = toTable(find({ stores, buckets })).split("\n");
  const as = "db\\u001b[1A\\u000aOrphaned  XStore/payroll";
  expect(row?.slice(header.indexOf("AS"), header.indexOf("WHAT"))).toBe(`${as}  `);
  expect(more).toEqual([""]);
});

const owner = { [`${DOMAIN}/tags-owner`]: "XStore.platform.example.org/orders#the-a" };
const created = { [`${DOMAIN}/origin`]: "Created" };
const owning = { ...owner, ...created };

const contender = (name: string, marks: JsonObject, metadata: JsonObject = {}): JsonObject =>
  bucket(name, {
    controller: ours,
    metadata: {
      creationTimestamp: CREATED,
      labels: { "crossplane.io/composite": "orders", [`${DOMAIN}/identity`]: "hash" },
      annotations: {
        "crossplane.io/composition-resource-name": `the-${name}`,
        "crossplane.io/external-name": "invoices",
        [`${DOMAIN}/owner`]: "XStore.platform.example.org/orders",
        ...marks,
      },
      ...metadata,
    },
  });

const createdByOne = [contender("a", created), contender("b", owning)];

const foreign = (externalName: string): JsonObject => ({
  ...BUCKET,
  metadata: { name: "foreign", annotations: { "crossplane.io/external-name": externalName } },
});

test.each([
  row("have an owner", { buckets: [contender("a", owning), contender("b", owning)] }),
  row("have no owner", { buckets: createdByOne }, "Unmanaged a of orders"),
  row("have no owner, and the cloud resource existed before", { buckets: [contender("a", {}), contender("b", {})] }),
  row("have no owner yet, because one of them is new", {
    buckets: [contender("a", created), contender("b", created, { creationTimestamp: A_MINUTE_AGO })],
  }),
  row(
    "are one, whose owner is being deleted",
    { buckets: [contender("a", owning, going.metadata), contender("b", owning)] },
    "Unmanaged b of orders",
  ),
  row(
    "are one, whose XR is gone",
    {
      stores: [store({ name: "others" })],
      buckets: [contender("a", owning, { ownerReferences: [{ ...ours, controller: true, uid: "uid-of-none" }] })],
    },
    "Unmanaged a of ?",
  ),
  row(
    "are not all registered",
    { stores, buckets: [contender("a", owning)], unregistered: [foreign("invoices"), foreign("others")] },
    "Unregistered foreign of ?",
  ),
])("the managed resources of one cloud resource are found out when they $reason", ({ parts, found }) => {
  const all = shown(find({ stores: [store({}, referringTo("a", "b"))], ...parts }));
  expect(all.filter((line) => /^(?:Unmanaged|Unregistered) /.test(line))).toEqual(found);
});

const DELETED = "deleting it deletes the cloud resource";
test("before the tags step is removed, it names what would write or delete a cloud resource that it must not", () => {
  const alone = (name: string, more: JsonObject) => {
    const labels = { "crossplane.io/composite": "orders", [`${DOMAIN}/identity`]: name };
    const marks = { [`${DOMAIN}/tags-owner`]: `XStore.platform.example.org/orders#the-${name}`, ...more };
    return contender(name, marks, { labels });
  };
  const buckets = [contender("a", owning), contender("b", owner), alone("kept", {}), alone("created", created)];
  const found = findHeldBack(worldOf({ buckets, unregistered: [foreign("invoices")] })).toSorted(compareFindings);
  expect(found.map(({ is, resource, message }) => `${is} ${resource.name}: ${message}`)).toEqual([
    `HeldBack a: 1 other managed resource represents its cloud resource: without the tags step, ${DELETED}`,
    `HeldBack b: it only observes: without the tags step it writes beside the owner, and ${DELETED}`,
    `HeldBack kept: its cloud resource existed before it: without the tags step, ${DELETED}`,
  ]);
});
