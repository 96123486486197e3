import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { toCommands, toTable } from "../../../cli/audit/audit.ts";
import { findHeldBack } from "../../../cli/audit/cloud-resources.ts";
import { toFindings } from "../../../cli/audit/findings.ts";
import { compareFindings, type Finding } from "../../../cli/audit/world.ts";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { resourceKey, toReference } from "../../../src/crossplane/references.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { namesRecordName } from "../../../src/ownership/names.ts";
import { RECORD_KINDS, recordOf } from "../../../src/ownership/record.ts";
import { worldOf as toWorld, type WorldParts } from "../../../testing/builders/world.ts";

/** One XR that composes buckets, and what a cluster may hold of them. */

const CREATED = "2026-01-01T00:00:00Z";
const patience = { graceMs: 120_000, now: Date.parse("2026-01-01T01:00:00Z") };

interface StoreParts {
  readonly name?: string;
  readonly refs?: readonly string[];
  readonly labels?: JsonObject;
  readonly status?: JsonObject;
  readonly created?: string;
  readonly isModern?: boolean;
}

const synced = { conditions: [{ type: "Synced", status: "True" }] };

const store = ({ name = "orders", refs = [], labels = {}, status = synced, ...parts }: StoreParts = {}): JsonObject => {
  const { created = CREATED, isModern = false } = parts;
  const resourceRefs = refs.map((ref) => ({ apiVersion: "cloud.example.org/v1", kind: "Bucket", name: ref }));
  return {
    apiVersion: "platform.example.org/v1",
    kind: "XStore",
    metadata: { name, uid: `uid-of-${name}`, creationTimestamp: created, labels },
    spec: isModern ? { crossplane: { resourceRefs } } : { resourceRefs },
    status,
  };
};

const beingDeleted = ({ metadata, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  metadata: { ...(metadata as JsonObject), deletionTimestamp: CREATED },
});

interface BucketParts {
  readonly composite?: string;
  readonly controller?: JsonObject;
  readonly metadata?: JsonObject;
}

const bucket = (name: string, { composite = "orders", controller, metadata = {} }: BucketParts = {}): JsonObject => ({
  apiVersion: "cloud.example.org/v1",
  kind: "Bucket",
  metadata: {
    name,
    labels: { "crossplane.io/composite": composite },
    annotations: { "crossplane.io/composition-resource-name": `the-${name}` },
    ...(controller && {
      ownerReferences: [{ apiVersion: "platform.example.org/v1", controller: true, ...controller }],
    }),
    ...metadata,
  },
});

const ours = { kind: "XStore", name: "orders", uid: "uid-of-orders" };

const worldOf = ({ stores = [store()], ...parts }: WorldParts) => toWorld({ stores, ...parts });

const refTo = (name: string): string =>
  resourceKey({ apiVersion: "cloud.example.org/v1", kind: "Bucket", namespace: undefined, name });

const shown = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ is, composite, resource }) => `${is} ${resource.name} of ${composite?.name ?? "?"}`);

/** An XR that refers to its record of names, and nothing else. */
function withOwnRecord(xr: JsonObject) {
  const reference = {
    ...RECORD_KINDS.EnvironmentConfig,
    namespace: undefined,
    name: namesRecordName(recordOf(toComposite(documentOf(xr)))),
  };
  const { namespace: _, ...listed } = reference;
  return { reference, store: { ...xr, spec: { resourceRefs: [listed] } } };
}

/** A row: what a cluster holds, and what is found in it. */
const row = (reason: string, parts: WorldParts, ...found: readonly string[]) => ({ reason, parts, found });

const stores = [store({ refs: ["a"] })];
const ownRecord = withOwnRecord(store());
const going = { metadata: { deletionTimestamp: CREATED } };

test.each([
  row("is there, and the XR's", { buckets: [bucket("a", { controller: ours })] }),
  row("has no controller", { buckets: [bucket("a")] }, "Unadopted a of orders"),
  row(
    "has no controller, in a modern XR",
    { stores: [store({ refs: ["a"], isModern: true })], buckets: [bucket("a")] },
    "Unadopted a of orders",
  ),
  row("has no controller, and is being deleted", { buckets: [bucket("a", going)] }),
  row(
    "has the XR before the restore for its controller",
    { buckets: [bucket("a", { controller: { ...ours, uid: "uid-before" } })] },
    "StaleController a of orders",
  ),
  row(
    "is somebody else's",
    { buckets: [bucket("a", { controller: { kind: "XStore", name: "other", uid: "uid-of-other" } })] },
    "ControlledByAnother a of orders",
  ),
  row("is not there", { referred: [[refTo("a"), "missing"]] }, "Dangling a of orders"),
  row("is of no installed kind", { referred: [[refTo("a"), "kindMissing"]] }, "Dangling a of orders"),
  row("is the XR's own record of names, which it composes anew", {
    stores: [ownRecord.store],
    referred: [[resourceKey(ownRecord.reference), "missing"]],
  }),
  row("is that record, of the XR before the restore, which Kubernetes collects", {
    stores: [ownRecord.store],
    referred: [
      [resourceKey(ownRecord.reference), documentOf(bucket("record", { controller: { ...ours, uid: "uid-before" } }))],
    ],
  }),
  row("is not there any more, and the XR is being deleted", {
    stores: [beingDeleted(store({ refs: ["a"], status: {} }))],
    referred: [[refTo("a"), "missing"]],
  }),
  row("could not be looked at", {}),
  row(
    "is there without Crossplane's label",
    { referred: [[refTo("a"), documentOf(bucket("a", { metadata: { labels: {} } }))]] },
    "Unadopted a of orders",
  ),
])("what an XR refers to $reason: $found", ({ parts, found }) => {
  expect(shown(toFindings(worldOf({ stores, ...parts }), patience))).toEqual(found);
});

const SHARED_RESOURCE = "shared-infrastructure.fn.crossplane.io/shared-resource";
const apiVersion = "platform.example.org/v1";

test.each([
  { reason: "of an XR that is there", origin: { apiVersion, kind: "XStore", name: "orders" }, found: [] },
  {
    reason: "of an XR that is gone",
    origin: { apiVersion, kind: "XStore", name: "gone" },
    found: ["SharedResourceGone copy of ?"],
  },
  { reason: "of a kind whose XRs were not read", origin: { apiVersion, kind: "XOther", name: "gone" }, found: [] },
  { reason: "with a record that is no JSON", origin: "{", found: [] },
])("a copy of a connection Secret $reason: $found", ({ origin, found }) => {
  const annotations = { [SHARED_RESOURCE]: typeof origin === "string" ? origin : JSON.stringify(origin) };
  const copy = bucket("copy", { controller: ours, metadata: { annotations } });
  const world = worldOf({ stores: [store({ refs: ["copy"] })], buckets: [copy] });
  expect(shown(toFindings(world, patience))).toEqual(found);
});

describe("a namespaced resource that is being deleted", () => {
  const deletionTimestamp = CREATED;
  const finalizers = ["finalizer.managedresource.crossplane.io"];
  const annotations = {
    "crossplane.io/composition-resource-name": "shared/db/red/vault",
    [SHARED_RESOURCE]: JSON.stringify({ apiVersion, kind: "XStore", name: "orders" }),
  };
  const object = (metadata: JsonObject = {}): JsonObject => ({
    ...bucket("app", {
      controller: ours,
      metadata: { namespace: "red", annotations, deletionTimestamp, finalizers, ...metadata },
    }),
    apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
    kind: "Object",
  });
  const leaving = ["red"];
  const WHY =
    "its namespace is being deleted, so its provider cannot record its use of a ProviderConfig there, and waits";
  const command =
    "kubectl patch object.v1alpha1.kubernetes.m.crossplane.io/app --namespace=red --type=merge " +
    `--patch='{"spec":{"managementPolicies":["Observe"]}}'`;

  test.each<{ reason: string; parts: WorldParts; found: readonly Pick<Finding, "message" | "command">[] }>([
    {
      reason: "hangs if its namespace is being deleted, too",
      parts: { buckets: [object()], leaving },
      found: [{ message: `${WHY}; to end it`, command }],
    },
    {
      reason: "whose copy lies elsewhere leaves that",
      parts: {
        buckets: [
          object({
            annotations: { ...annotations, "crossplane.io/composition-resource-name": "shared/db/blue/vault" },
          }),
        ],
        leaving,
      },
      found: [{ message: `${WHY}; its copy blue/vault stays then, for you to delete; to end it`, command }],
    },
    {
      reason: "which is no Object gets no command, whatever its annotations say",
      parts: { buckets: [{ ...object(), apiVersion: "cloud.example.org/v1" }], leaving },
      found: [{ message: `${WHY}; with managementPolicies [Observe] it goes, and what it represents stays` }],
    },
    {
      reason: "which makes no copy gets no command",
      parts: { buckets: [object({ annotations: {} })], leaving },
      found: [{ message: `${WHY}; with managementPolicies [Observe] it goes, and what it represents stays` }],
    },
    { reason: "does not hang if its namespace stays", parts: { buckets: [object()] }, found: [] },
    {
      reason: "is not waited for by its provider",
      parts: { buckets: [object({ finalizers: ["foregroundDeletion"] })], leaving },
      found: [],
    },
    {
      reason: "has not hung for long enough",
      parts: { buckets: [object({ deletionTimestamp: "2026-01-01T00:59:00Z" })], leaving },
      found: [],
    },
  ])("$reason", ({ parts, found }) => {
    const findings = toFindings(worldOf(parts), patience);
    expect(findings.map(({ message, command: ending }) => ({ message, ...(ending && { command: ending }) }))).toEqual(
      found,
    );
  });

  test("the table has the command behind the message", () => {
    expect(toTable(toFindings(worldOf({ buckets: [object()], leaving }), patience))).toContain(
      `; to end it: ${command}`,
    );
  });
});

const nested = store({ name: "orders-inner", labels: { "crossplane.io/composite": "orders" } });

test.each([
  row("was composed by an XR that is there", { buckets: [bucket("a")] }, "Orphaned a of orders"),
  row("was composed by an XR that is not there", { buckets: [bucket("a", { composite: "gone" })] }),
  row("has a controller", { buckets: [bucket("a", { controller: ours })] }),
  row("is being deleted", { buckets: [bucket("a", going)] }),
  row("has the label only because it was copied from a composed resource, as that of Endpoints is", {
    buckets: [bucket("a", { metadata: { annotations: {} } })],
  }),
  row("has managed fields that name another composer", {
    buckets: [bucket("a", { metadata: { managedFields: [{ manager: "apiextensions.crossplane.io/composed/0" }] } })],
  }),
  row(
    "could be of any XR below one root, and nothing tells which",
    { stores: [store(), nested], buckets: [bucket("a")] },
    "Orphaned a of ?",
  ),
])("what no XR refers to $reason: $found", ({ parts, found }) => {
  expect(shown(toFindings(worldOf(parts), patience))).toEqual(found);
});

describe("an orphan that only a nested XR can have composed, by its claim,", () => {
  const claim = { "crossplane.io/claim-name": "orders", "crossplane.io/claim-namespace": "team-a" };
  const labels = { "crossplane.io/composite": "orders", ...claim };
  const orphan = bucket("a", { metadata: { labels, annotations: { "crossplane.io/composition-resource-name": "a" } } });
  const inner = (controller: JsonObject): JsonObject => {
    const { metadata, ...rest } = store({ name: "orders-inner", labels });
    const owner = { apiVersion: "platform.example.org/v1", controller: true, ...controller };
    return { ...rest, metadata: { ...(metadata as JsonObject), ownerReferences: [owner] } };
  };
  const referring = (name: string): JsonObject => ({
    ...store(),
    spec: { resourceRefs: [{ apiVersion: "platform.example.org/v1", kind: "XStore", name }] },
  });
  test.each([
    {
      reason: "is its, if the XR at the root confirms that",
      stores: [referring("orders-inner"), inner(ours)],
      is: "its XR",
    },
    {
      reason: "is not surely its, if the XR at the root does not refer to it",
      stores: [referring("orders-other"), inner(ours)],
      is: "XStore.platform.example.org/orders-inner may",
    },
    {
      reason: "is not surely its, if its controller is another object than it says",
      stores: [referring("orders-inner"), inner({ ...ours, uid: "uid-before" })],
      is: "XStore.platform.example.org/orders-inner may",
    },
    {
      reason: "is not surely its, if the XR at the root is gone",
      stores: [inner(ours)],
      is: "XStore.platform.example.org/orders-inner may",
    },
  ])("$reason", ({ stores, is }) => {
    const world = worldOf({ stores, buckets: [orphan] });
    const found = toFindings(world, patience).find((each) => each.is === "Orphaned");
    expect(found?.message).toMatch(new RegExp(`^${is} .*composed it`));
    expect(toCommands(toFindings(world, patience).toSorted(compareFindings), world).includes("\nkubectl patch")).toBe(
      is === "its XR",
    );
  });
});

test.each([
  row("was never reconciled", { stores: [store({ status: {} })] }, "NeverReconciled orders of orders"),
  row("has failed, but was reconciled", {
    stores: [store({ status: { conditions: [{ type: "Synced", status: "False" }] } })],
  }),
  row("was created a minute ago", { stores: [store({ status: {}, created: "2026-01-01T00:59:00Z" })] }),
])("an XR without a condition Synced $reason: $found", ({ parts, found }) => {
  expect(shown(toFindings(worldOf(parts), patience))).toEqual(found);
});

describe("--adopt", () => {
  const commandsOf = (parts: WorldParts): string => {
    const world = worldOf(parts);
    const text = toCommands(toFindings(world, patience).toSorted(compareFindings), world);
    return text
      .split("\n")
      .filter((line) => line.startsWith("kubectl"))
      .join("\n");
  };
  const target = "kubectl patch xstore.v1.platform.example.org/orders --type=json";
  const isSame = { op: "test", path: "/metadata/uid", value: "uid-of-orders" };
  const added = (name: string) => ({ apiVersion: "cloud.example.org/v1", kind: "Bucket", name });

  test.each([
    {
      reason: "adds to the references that there are, in one patch",
      stores: [store({ refs: ["c"] })],
      patch: [
        isSame,
        { op: "add", path: "/spec/resourceRefs/-", value: added("a") },
        { op: "add", path: "/spec/resourceRefs/-", value: added("b") },
      ],
    },
    {
      reason: "makes the list, and what it stands in, where an XR has none",
      stores: [{ ...store(), metadata: { name: "orders", namespace: "team-a", uid: "uid-of-orders" }, spec: {} }],
      patch: [
        isSame,
        { op: "add", path: "/spec/crossplane", value: {} },
        { op: "add", path: "/spec/crossplane/resourceRefs", value: [added("a"), added("b")] },
      ],
    },
  ])("the patch of --adopt $reason", ({ stores, patch }) => {
    const isNamespaced = JSON.stringify(stores).includes("team-a");
    const metadata = isNamespaced ? { namespace: "team-a" } : {};
    const buckets = [bucket("c", { controller: ours }), bucket("b", { metadata }), bucket("a", { metadata })];
    const within = isNamespaced ? " --namespace=team-a" : "";
    expect(commandsOf({ stores, buckets })).toBe(
      `${target.replace(" --type", `${within} --type`)} --patch='${JSON.stringify(patch)}'`,
    );
  });

  test("prints a comment and no command where it cannot be told which XR it was, whatever the orphan is called", () => {
    const world = worldOf({ stores: [store(), nested], buckets: [bucket("a"), bucket("b\necho stolen")] });
    const text = toCommands(toFindings(world, patience).toSorted(compareFindings), world);
    expect(text).toContain("# Bucket.cloud.example.org/a: one of ");
    expect(text).toContain("\n# 'Bucket.cloud.example.org/b\\u000aecho stolen': one of ");
    expect(text).not.toMatch(/^kubectl.*Bucket/m);
  });

  const named = (as: string, name = "a") =>
    bucket(name, { metadata: { annotations: { "crossplane.io/composition-resource-name": as } } });
  test.each([
    {
      reason: "a line break in an annotation begins no command",
      orphan: named("db\necho stolen\n#"),
      comment: "# Bucket.cloud.example.org/a, composed as 'db\\u000aecho stolen\\u000a#'",
    },
    {
      reason: "nor does a comment's text where the shell knows no comments",
      orphan: named("db; echo 'stolen' $(echo stolen)"),
      comment: "# Bucket.cloud.example.org/a, composed as 'db; echo '\\''stolen'\\'' $(echo stolen)'",
    },
    {
      reason: "an annotation does not steer the terminal on which the commands are read",
      orphan: named("db\u001b[2K\u001b[1A\u202e"),
      comment: "# Bucket.cloud.example.org/a, composed as 'db\\u001b[2K\\u001b[1A\\u202e'",
    },
    {
      reason: "a name with a quotation mark stays within the patch",
      orphan: named("db", "x'; echo stolen; $(echo stolen) '\u009b"),
      comment: "# 'Bucket.cloud.example.org/x'\\''; echo stolen; $(echo stolen) '\\''\\u009b', composed as db",
    },
  ])("what a tenant writes is no command: $reason", ({ orphan, comment }) => {
    const world = worldOf({ stores: [store({ refs: ["c"] })], buckets: [bucket("c", { controller: ours }), orphan] });
    const commands = toCommands(toFindings(world, patience).toSorted(compareFindings), world);
    expect(commands.split("\n")).toContain(comment);
    // A shell with nothing but its own commands, and a kubectl that says what it is called with.
    const script = `kubectl() { printf '%s\\n' "$@"; }\n${commands}`;
    const said = execFileSync("/bin/sh", ["-c", script], { env: { PATH: "/nowhere" }, encoding: "utf8" });
    const { name } = toReference(documentOf(orphan));
    const [verb, target, type, patch = "", ...more] = said.trimEnd().split("\n");
    expect([verb, target, type, more]).toEqual(["patch", "xstore.v1.platform.example.org/orders", "--type=json", []]);
    expect(JSON.parse(patch.replace("--patch=", ""))).toEqual([
      isSame,
      { op: "add", path: "/spec/resourceRefs/-", value: added(name) },
    ]);
  });

  test("says that there is nothing to do", () => {
    expect(toCommands([], worldOf({}))).toBe("# There are no orphans.\n");
  });
});

test("the table has a line for each finding, sorted, and no line without any", () => {
  const world = worldOf({ stores: [store({ refs: ["b", "a"] })], buckets: [bucket("b"), bucket("a")] });
  const lines = toTable(toFindings(world, patience).toSorted(compareFindings)).split("\n");
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
  const world = worldOf({ stores: [store({ refs: ["a"] })], buckets: [bucket("a", { metadata: { annotations } })] });
  const [header = "", row, ...more] = toTable(toFindings(world, patience).toSorted(compareFindings)).split("\n");
  const as = "db\\u001b[1A\\u000aOrphaned  XStore/payroll";
  expect(row?.slice(header.indexOf("AS"), header.indexOf("WHAT"))).toBe(`${as}  `);
  expect(more).toEqual([""]);
});

const DOMAIN = "shared-infrastructure.fn.crossplane.io";
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

const foreign = (externalName: string): JsonObject => ({
  apiVersion: "cloud.example.org/v1",
  kind: "Bucket",
  metadata: { name: "foreign", annotations: { "crossplane.io/external-name": externalName } },
});

test.each([
  row("have an owner", { buckets: [contender("a", owning), contender("b", owning)] }),
  row(
    "have no owner, and one of them created it",
    { buckets: [contender("a", created), contender("b", owning)] },
    "Unmanaged a of orders",
  ),
  row("have no owner, and the cloud resource existed before", { buckets: [contender("a", {}), contender("b", {})] }),
  row("have no owner yet, because one of them is new", {
    buckets: [contender("a", created), contender("b", created, { creationTimestamp: "2026-01-01T00:59:00Z" })],
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
  const all = shown(toFindings(worldOf({ stores: [store({ refs: ["a", "b"] })], ...parts }), patience));
  expect(all.filter((line) => /^(?:Unmanaged|Unregistered) /.test(line))).toEqual(found);
});

test("before the tags step is removed, it names what would write or delete a cloud resource that it must not", () => {
  const alone = (name: string, more: JsonObject) =>
    contender(
      name,
      { [`${DOMAIN}/tags-owner`]: `XStore.platform.example.org/orders#the-${name}`, ...more },
      {
        labels: { "crossplane.io/composite": "orders", [`${DOMAIN}/identity`]: name },
      },
    );
  const buckets = [contender("a", owning), contender("b", owner), alone("kept", {}), alone("created", created)];
  const found = findHeldBack(worldOf({ buckets, unregistered: [foreign("invoices")] })).toSorted(compareFindings);
  expect(found.map(({ is, resource, message }) => [is, resource.name, message])).toEqual([
    ["HeldBack", "a", "it owns for 1 other: without the tags step the cloud resource is deleted with it"],
    [
      "HeldBack",
      "b",
      "it observes: without the tags step it writes beside the owner, and the cloud resource is deleted with it",
    ],
    [
      "HeldBack",
      "kept",
      "its cloud resource existed before: without the tags step the cloud resource is deleted with it",
    ],
  ]);
});
