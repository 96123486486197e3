import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { JsonObject } from "../../src/model/json.ts";
import { type ServedCloud, serveCloud } from "../rig/cloud.ts";
import { isV2, type Version } from "../rig/crossplane.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { PATCH_AND_TRANSFORM } from "../rig/other-function.ts";
import { until } from "../rig/process.ts";
import { type Rig, startRig } from "../rig/rig.ts";
import { UPJET_GROUP, UPJET_NAMESPACED_GROUP } from "../rig/upjet-provider.ts";
import { compose, compositionOf, definitionOf, ours, VERSION } from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";

/**
 * A cluster is lost with its etcd. Another one is built from Git and from an exported record, on the same cloud, which has made up the
 * identifiers of its resources. On control planes of its own.
 */
export const rebuilding: Suite = onNewestOnly({
  name: "a rebuilt cluster",
  scenarios: [{ name: "finds what the cloud has named, creates nothing, and says what it cannot find", run: rebuilt }],
});

const TEAM = "rebuilt-team";

/**
 * A Cluster, whose region is the XR's name: a nested XR that gets another name would show in the cloud. And a Bucket, which its provider
 * calls like the managed resource.
 */
const cell = (group: string) => ({
  cluster: managed(group, "Cluster", { forProvider: { region: "$(metadata.name)" }, managementPolicies }),
  bucket: managed(group, "Bucket", { forProvider: { region: "eu" } }),
});
const managementPolicies = ["Observe", "Create", "Update", "Delete"];
const managed = (group: string, kind: string, spec: object) => ({ apiVersion: `${group}/v1alpha1`, kind, spec });
const nested = { apiVersion: VERSION, kind: "XCell", spec: {} };

const kinds = {
  XCell: { definition: definitionOf({ kind: "XCell" }), composes: cell(UPJET_GROUP) },
  XGrid: { definition: definitionOf({ kind: "XGrid", claim: "Grid" }), composes: { left: nested, right: nested } },
  XSite: {
    definition: definitionOf({ kind: "XSite", scope: "Namespaced" }),
    composes: cell(UPJET_NAMESPACED_GROUP),
  },
};

const kindsOf = (version: Version) => Object.entries(kinds).filter(([kind]) => isV2(version) || kind !== "XSite");

const xrsOf = (version: Version): readonly JsonObject[] => [
  { apiVersion: VERSION, kind: "XCell", metadata: { name: "alone" }, spec: {} },
  { apiVersion: VERSION, kind: "XCell", metadata: { name: "forgotten" }, spec: {} },
  { apiVersion: VERSION, kind: "Grid", metadata: { name: "grid", namespace: TEAM }, spec: {} },
  ...(isV2(version)
    ? [{ apiVersion: VERSION, kind: "XSite", metadata: { name: "site", namespace: TEAM }, spec: {} }]
    : []),
];

/** What Git has, but for the XRs and claims. */
async function install({ kubectl, version }: Rig, requireRecord: boolean): Promise<void> {
  const rescue = [{ apiGroup: UPJET_GROUP, kind: "Cluster" }];
  const names = ours("names", { adoption: {}, externalNames: { rescue, requireRecord } });
  await kubectl.apply(namespaceOf(TEAM));
  for (const [kind, { definition, composes }] of kindsOf(version)) {
    await kubectl.apply(definition);
    await kubectl.waitFor(
      "claimNames" in definition.spec ? "Offered" : "Established",
      `xrd/${definition.metadata.name}`,
    );
    await kubectl.apply(compositionOf(kind, [compose(composes), names]));
  }
}

async function rebuilt({ version }: Rig): Promise<string> {
  const cloud = await serveCloud();
  const xrs = xrsOf(version);
  const all = 2 * (xrs.length + 1);
  try {
    const records = await inCluster(version, cloud, async (rig) => {
      await install(rig, false);
      await rig.kubectl.apply(...xrs);
      await until("all is created", async () => (await pinned(rig)).length === all, PATIENCE);
      return exported(rig);
    });
    const before = listed(cloud);
    const from = cloud.cloud.writes.length;
    return await inCluster(version, cloud, async (rig) => {
      await install(rig, true);
      await applyRecords(
        rig,
        records.filter((record) => !record.includes('"forgotten-')),
      );
      await rig.kubectl.apply(...xrs);
      await until("all but two are found", async () => (await pinned(rig)).length === all - 2, PATIENCE);
      const held = async () => conditionOf(await rig.kubectl.get("xcell/forgotten"), "ExternalNamesPinned");
      await until("the forgotten XR says so", async () => (await held())?.reason === "WaitingForRecord", PATIENCE);
      const { message = "" } = (await held()) ?? {};
      await applyRecords(rig, records);
      await until(
        "they are found by a record that comes later",
        async () => (await pinned(rig)).length === all,
        PATIENCE,
      );
      const writes = cloud.cloud.writes.slice(from).filter((write) => !/^PUT (?:clusters|buckets)/.test(write));
      if (writes.length > 0 || listed(cloud) !== before) throw new Error(`the cloud has ${listed(cloud)}: ${writes}`);
      await rig.kubectl.run("delete", "grid/grid", "-n", TEAM, "--timeout=180s");
      await until("the claim's are deleted with it", async () => cloud.cloud.resources.size === all - 4, PATIENCE);
      return `0 creates of ${all} cloud resources; without a record: ${message}`;
    });
  } finally {
    cloud.stop();
  }
}

/** Works in a cluster of its own, which is thrown away. */
async function inCluster<T>(version: Version, cloud: ServedCloud, work: (rig: Rig) => Promise<T>): Promise<T> {
  const rig = await startRig({ version, providers: ["upjet-provider"], functions: [PATCH_AND_TRANSFORM], cloud });
  try {
    return await Promise.race([
      work(rig),
      rig.crashed.then((words): never => {
        throw new Error(words);
      }),
    ]);
  } finally {
    await rig.stop();
  }
}

async function applyRecords({ kubectl, directory }: Rig, records: readonly string[]): Promise<void> {
  const file = join(directory, "records.yaml");
  writeFileSync(file, records.join(""));
  await kubectl.applyFile(file);
}

/** The manifests of all records, one by one. */
async function exported({ kubeconfig }: Rig): Promise<readonly string[]> {
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const args = [main, "record", "export", `--kubeconfig=${kubeconfig}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.split(/^(?=---)/m);
}

/** Managed resources with a name that their provider has reported. */
async function pinned({ kubectl, version }: Rig): Promise<readonly string[]> {
  const groups = isV2(version) ? [UPJET_GROUP, UPJET_NAMESPACED_GROUP] : [UPJET_GROUP];
  const kinds = groups.flatMap((group) => [`clusters.${group}`, `buckets.${group}`]);
  const all = await Promise.all(kinds.map((kind) => kubectl.list(kind)));
  return all.flat().flatMap((one) => {
    const name = at(one, "metadata.annotations[crossplane.io/external-name]");
    return name !== undefined && name === at(one, "status.atProvider.id") ? [nameOf(one)] : [];
  });
}

const listed = ({ cloud }: ServedCloud): string =>
  [...cloud.resources]
    .map(([path, { region }]) => `${path} in ${String(region)}`)
    .sort()
    .join();
