import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { JsonObject } from "../../../src/model/json.ts";
import { namesRecordName } from "../../../src/records/names-record.ts";
import { RECORD_LABEL, recordId } from "../../../src/records/record.ts";
import { externallyNamed, withMetadata } from "../../../testing/builders/composed.ts";
import { objectOf } from "../../../testing/builders/kubernetes.ts";
import { kindOf, runOn } from "../../../testing/servers/api-server.ts";
import { temporaryFile } from "../../../testing/tools/temporary-folder.ts";

const XR = { apiVersion: "platform.example.org/v1", kind: "XSite", namespace: "team", name: "site" };
const CLUSTER = "db.m.example.org";
const kinds = [
  kindOf("", "ConfigMap", { isNamespaced: true, version: "v1" }),
  kindOf("apiextensions.crossplane.io", "EnvironmentConfig"),
  kindOf("platform.example.org", "XSite", { isNamespaced: true }),
  kindOf(CLUSTER, "Cluster"),
];
const label = recordId({ ...XR, claim: undefined });
const name = namesRecordName(label);
const controlledBy = (uid: string, owner = "site") => ({
  ownerReferences: [{ apiVersion: XR.apiVersion, kind: XR.kind, name: owner, uid, controller: true }],
});
/** The record of these composed resources, with the external name of each. */
const dataOf = (externalNames: Readonly<Record<string, string>>, apiVersion = `${CLUSTER}/v1`) =>
  Object.fromEntries(
    Object.entries(externalNames).map(([resource, externalName]) => {
      const entry = { resource, kind: "Cluster.db.example.org", apiVersion, name: `site-${resource}`, externalName };
      return [resource, JSON.stringify(entry)];
    }),
  );
const resourceRefs = [name, "bindings"].map((each) => ({ apiVersion: "v1", kind: "ConfigMap", name: each }));
const spec = { crossplane: { resourceRefs } };
const xr = objectOf(XR.apiVersion, XR.kind, { namespace: "team", name: "site", uid: "1" }, { spec });
const managed = (resource: string, uid: string) => ({
  apiVersion: `${CLUSTER}/v1`,
  kind: "Cluster",
  ...withMetadata(externallyNamed(`cloud-${resource}`), {
    namespace: "team",
    name: `site-${resource}`,
    annotations: { "crossplane.io/composition-resource-name": resource },
    ...controlledBy(uid),
  }),
});
const configMap = (metadata: JsonObject, data: JsonObject) => {
  const own = { namespace: "team", name, uid: "2", labels: { [RECORD_LABEL]: label, team: "x" }, ...metadata };
  return objectOf("v1", "ConfigMap", own, { data });
};
const environmentConfig = (own: string, data: JsonObject, uid = "3") => {
  const labels = { [RECORD_LABEL]: own.split("-").at(-1) ?? "" };
  const metadata = { name: own, uid, resourceVersion: "7", labels };
  return objectOf("apiextensions.crossplane.io/v1beta1", "EnvironmentConfig", metadata, { data });
};

async function run(...objects: readonly JsonObject[]) {
  const all = [xr, managed("a", "1"), managed("b", "theirs"), ...objects];
  const ran = await runOn({ kinds, objects: all }, "record", ["export"]);
  return { ...ran, manifests: parseAllDocuments(ran.stdout).map((one) => one.toJS() as JsonObject) };
}

const forged = dataOf({ a: "forged", b: "cloud-b", c: "cloud-c" }, "evil/v1");

test("external names of a namespaced XR are what it controls has, in an object that teams may not write", async () => {
  const { exitCode, manifests } = await run(configMap(controlledBy("1"), forged));
  const metadata = { name, labels: { [RECORD_LABEL]: label } };
  const data = dataOf({ a: "cloud-a" });
  const exported = objectOf("apiextensions.crossplane.io/v1beta1", "EnvironmentConfig", metadata, { data });
  expect([exitCode, manifests]).toEqual([0, [exported]]);
});

test("what is not back yet is printed as it was applied", async () => {
  const applied = environmentConfig(name, dataOf({ c: "cloud-3" }));
  const { manifests } = await run(configMap(controlledBy("1"), forged), applied);
  expect(manifests.map(({ data }) => data)).toEqual([dataOf({ a: "cloud-a", c: "cloud-3" })]);
});

const BINDINGS = JSON.stringify([{ apiVersion: "a/v1", kind: "A", name: "a", access: "Granted" }]);

const BREAKS = ["\n", "\r", "\u0085", "\u2028", "\u2029"];

test.each(BREAKS)("nothing that a team has written on its record is applied by an operator: %j", async (br) => {
  const lines = "a,kind:,  ConfigMap,metadata:,  name:,    aws-auth,  namespace:,    kube-system,--- b".split(",");
  const text = lines.join(br);
  const labels = { [RECORD_LABEL]: label, "crossplane.io/evil": "x", "crossplane.io/composite": text };
  const annotations = { "crossplane.io/evil": text, "shared-infrastructure.fn.crossplane.io/owner": text };
  const data = { a: BINDINGS, evil: text, [text]: text };
  const record = configMap({ name: "bindings", labels, annotations, ...controlledBy("1") }, data);
  const { manifests, stdout } = await run(record);
  const metadata = { namespace: "team", name: "bindings", labels: { [RECORD_LABEL]: label }, annotations: {} };
  expect(manifests).toEqual([objectOf("v1", "ConfigMap", metadata, { data: { a: BINDINGS } })]);
  expect(stdout.split(/[\n\r\u0085\u2028\u2029]/)).not.toContain("kind:");
});

test.each([
  ["it has no controller", {}],
  ["its controller has another uid than the XR", controlledBy("theirs")],
  ["the XR does not refer to it", { ...controlledBy("1"), name: "more" }],
])("a ConfigMap is no XR's record, and is left out, where %s", async (_, metadata) => {
  const { exitCode, manifests, stderr } = await run(configMap(metadata, forged));
  expect([exitCode, manifests]).toEqual([0, []]);
  expect(stderr).toContain("left out ConfigMap/team/");
});

test("entries beyond the first thousand are left out, and it says how many", async () => {
  const many = Object.fromEntries(Array.from({ length: 1002 }, (_, index) => [`n${index}`, `cloud-${index}`]));
  const { exitCode, stderr } = await run(configMap(controlledBy("1"), dataOf(many)));
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("left out 2 entries of ConfigMap/team/")]);
});

test("the other records are printed in a fixed order, without what belongs to this cluster", async () => {
  const records = [
    environmentConfig("z", { a: BINDINGS, more: "kind: ConfigMap" }),
    environmentConfig("a", {}, "4"),
    configMap({ name: "bindings", ...controlledBy("1") }, { db: "[]" }),
  ];
  const [there, back] = [await run(...records), await run(...records.toReversed())];
  expect(there.stdout).toBe(back.stdout);
  expect(there.manifests).toMatchObject([
    { kind: "EnvironmentConfig", metadata: { name: "a" } },
    { kind: "EnvironmentConfig", metadata: { name: "z" }, data: { a: BINDINGS } },
    { kind: "ConfigMap", metadata: { namespace: "team", name: "bindings", labels: { [RECORD_LABEL]: label } } },
  ]);
  expect(there.stdout).not.toMatch(/uid|resourceVersion|team: x/);
});

test("--file has what is printed without it, and one that cannot be written is an error that names it", async () => {
  const objects = [xr, environmentConfig(name, dataOf({ c: "cloud-3" }))];
  const exportWith = (...args: readonly string[]) => runOn({ kinds, objects }, "record", ["export", ...args]);
  const file = temporaryFile("records.yaml", "");
  expect(await exportWith(`--file=${file}`)).toMatchObject({ exitCode: 0, stdout: "" });
  expect(readFileSync(file, "utf8")).toBe((await exportWith()).stdout);
  const nowhere = join(dirname(file), "no-folder", "records.yaml");
  const stderr = expect.stringContaining(`error: cannot write ${nowhere}: ENOENT`);
  expect(await exportWith(`--file=${nowhere}`)).toMatchObject({ exitCode: 2, stderr });
});
