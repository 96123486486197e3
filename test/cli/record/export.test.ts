import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { JsonObject } from "../../../src/model/json.ts";
import { namesRecordName } from "../../../src/ownership/names.ts";
import { RECORD_LABEL, recordOf } from "../../../src/ownership/record.ts";
import { kindOf, startApiServer } from "../../../testing/servers/api-server.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";

const XR = { apiVersion: "platform.example.org/v1", kind: "XSite", namespace: "team", name: "site" };
const CLUSTER = "db.m.example.org";
const kinds = [
  kindOf("", "ConfigMap", { isNamespaced: true }),
  kindOf("apiextensions.crossplane.io", "EnvironmentConfig"),
  kindOf("platform.example.org", "XSite", { isNamespaced: true }),
  kindOf(CLUSTER, "Cluster"),
];
const label = recordOf({ ...XR, claim: undefined });
const name = namesRecordName(label);
const controlledBy = (uid: string, owner = "site") => ({
  ownerReferences: [{ apiVersion: XR.apiVersion, kind: XR.kind, name: owner, uid, controller: true }],
});
const dataOf = (entries: Readonly<Record<string, JsonObject>>) =>
  Object.fromEntries(
    Object.entries(entries).map(([resource, entry]) => [
      resource,
      JSON.stringify({ resource, kind: "Cluster.db.example.org", ...entry }),
    ]),
  );
const xr = {
  apiVersion: XR.apiVersion,
  kind: XR.kind,
  metadata: { namespace: "team", name: "site", uid: "1" },
  spec: {
    crossplane: {
      resourceRefs: [name, "bindings"].map((each) => ({ apiVersion: "v1", kind: "ConfigMap", name: each })),
    },
  },
};
const managed = (resource: string, uid: string) => ({
  apiVersion: `${CLUSTER}/v1`,
  kind: "Cluster",
  metadata: {
    namespace: "team",
    name: `site-${resource}`,
    annotations: {
      "crossplane.io/composition-resource-name": resource,
      "crossplane.io/external-name": `cloud-${resource}`,
    },
    ...controlledBy(uid),
  },
});
const configMap = (metadata: JsonObject, data: JsonObject) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "team", name, uid: "2", labels: { [RECORD_LABEL]: label, team: "x" }, ...metadata },
  data,
});
const environmentConfig = (own: string, data: JsonObject, uid = "3") => ({
  apiVersion: "apiextensions.crossplane.io/v1beta1",
  kind: "EnvironmentConfig",
  metadata: { name: own, uid, resourceVersion: "7", labels: { [RECORD_LABEL]: own.split("-").at(-1) ?? "" } },
  data,
});

async function run(...objects: readonly JsonObject[]) {
  const server = await startApiServer({ kinds, objects: [xr, managed("a", "1"), managed("b", "theirs"), ...objects] });
  const { stdout, ...rest } = await runCommand("record", [
    "export",
    "--kubeconfig",
    server.kubeconfig,
    "--retry-for=2s",
  ]);
  return { ...rest, stdout, manifests: parseAllDocuments(stdout).map((one) => one.toJS() as JsonObject) };
}

const forged = dataOf({
  a: { name: "site-a", externalName: "forged" },
  b: { name: "site-b", externalName: "cloud-b" },
  c: { name: "site-c", externalName: "cloud-c" },
});

test("external names of a namespaced XR are what it controls has, in an object that teams may not write", async () => {
  const { exitCode, manifests } = await run(configMap(controlledBy("1"), forged));
  expect(exitCode).toBe(0);
  expect(manifests).toEqual([
    {
      apiVersion: "apiextensions.crossplane.io/v1beta1",
      kind: "EnvironmentConfig",
      metadata: { name, labels: { [RECORD_LABEL]: label } },
      data: dataOf({ a: { name: "site-a", externalName: "cloud-a" } }),
    },
  ]);
});

test("what is not back yet is printed as it was applied", async () => {
  const applied = environmentConfig(name, dataOf({ c: { name: "site-c", externalName: "cloud-3" } }));
  const { manifests } = await run(configMap(controlledBy("1"), forged), applied);
  expect(manifests.map(({ data }) => data)).toEqual([
    dataOf({
      a: { name: "site-a", externalName: "cloud-a" },
      c: { name: "site-c", externalName: "cloud-3" },
    }),
  ]);
});

test.each([
  { reason: "it has no controller", metadata: {} },
  { reason: "its controller has another uid than the XR", metadata: controlledBy("theirs") },
  {
    reason: "the XR does not refer to it",
    metadata: { ...controlledBy("1"), name: "more" },
  },
])("a ConfigMap is no XR's record, and is left out, where $reason", async ({ metadata }) => {
  const { exitCode, manifests, stderr } = await run(configMap(metadata, forged));
  expect([exitCode, manifests]).toEqual([0, []]);
  expect(stderr).toContain("left out ConfigMap/team/");
});

test("the other records are printed in a fixed order, without what belongs to this cluster", async () => {
  const records = [
    environmentConfig("z", { a: "1" }),
    environmentConfig("a", {}, "4"),
    configMap({ name: "bindings", ...controlledBy("1") }, { db: "[]" }),
  ];
  const [there, back] = [await run(...records), await run(...records.toReversed())];
  expect(there.stdout).toBe(back.stdout);
  expect(there.manifests).toMatchObject([
    { kind: "EnvironmentConfig", metadata: { name: "a" } },
    { kind: "EnvironmentConfig", metadata: { name: "z" }, data: { a: "1" } },
    { kind: "ConfigMap", metadata: { namespace: "team", name: "bindings", labels: { [RECORD_LABEL]: label } } },
  ]);
  expect(there.stdout).not.toMatch(/uid|resourceVersion|team: x/);
});
