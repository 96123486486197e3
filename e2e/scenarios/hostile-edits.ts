import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { JsonObject } from "../../src/model/json.ts";
import { RECORD_NAME } from "../../src/records/record.ts";
import { at, conditionOf, encode, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { composedNameOf, composedOf } from "./restored.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { grant, holdsPassword, namespaceOf, putPassword, sourceOf } from "./source.ts";

/** Proves that a team gains nothing by editing what Crossplane and this function write for it: records, and its XR's references. */

export const hostileEdits: Suite = onNewestOnly({
  name: "a tenant that edits references and records",
  scenarios: [
    { name: "what it adds to its record is not exported", run: recordIsExported },
    { name: "a copy that its XR no longer refers to goes with the grant", run: copiesAreForgotten },
  ],
});

const chest: Kind = { kind: "XChest", scope: "Legacy", input: {} };
const main = sourceOf(chest, "main-chest", "chests");
const TENANT = "chest-tenant";
const PASSWORDS = { first: "chest-s3cret-1", next: "chest-s3cret-2" };

const chestShare = {
  name: "chest",
  apiVersion: VERSION,
  kind: chest.kind,
  select: { name: main.name },
  connection: { copies: [{ secretName: { fromCompositeFieldPath: "spec.parameters.secret" } }] },
};
/** One restores from backups, the other does not: both look for copies that were forgotten. */
const kinds: readonly Kind[] = [
  { kind: "ChestApp", scope: "Namespaced", input: { sharedResources: [chestShare] } },
  { kind: "ChestBox", scope: "Namespaced", input: { sharedResources: [chestShare], adoption: {} } },
];

const targetOf = (kind: string, name: string): string => `${pluralOf(kind)}.${GROUP}/${name}`;

const use = ({ kubectl }: Rig, kind: string, name: string): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind,
    metadata: { namespace: TENANT, name },
    spec: { parameters: { secret: `${kind.toLowerCase()}-${name}` } },
  });

const recordsOf = async (rig: Rig, xr: string): Promise<readonly JsonObject[]> =>
  (await composedOf(rig, xr, "configmaps")).filter((record) => composedNameOf(record) === RECORD_NAME);

/** Text that a YAML 1.1 reader, such as Go's, reads as a ConfigMap of its own where LS ends a line. */
const BREAK = String.fromCodePoint(0x2028);
const FORGED = [
  ...["a", "kind:", "  ConfigMap", "metadata:", "  name:", "    aws-auth", "  namespace:", "    kube-system"],
  ...["data:", "  mapUsers: mallory", "--- b"],
].join(BREAK);

async function recordIsExported(rig: Rig): Promise<string> {
  const { kubectl, kubeconfig, directory } = rig;
  await kubectl.apply(...[main.secret.namespace, TENANT].map(namespaceOf));
  await install(kubectl, [chest, ...kinds]);
  await putPassword(kubectl, main, PASSWORDS.first);
  await grant(kubectl, main, TENANT);
  await use(rig, "ChestApp", "chest-app");
  await until("its XR has a record", async () => (await recordsOf(rig, "chest-app")).length === 1, PATIENCE);
  const [record] = await recordsOf(rig, "chest-app");
  const name = record === undefined ? "" : nameOf(record);
  const binding = { apiVersion: VERSION, kind: chest.kind, name: FORGED, access: "Granted" };
  const data = { forged: FORGED, share: JSON.stringify([binding]) };
  await kubectl.patch(`configmap/${name}`, { data }, { namespace: TENANT });

  const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const args = [program, "record", "export", `--kubeconfig=${kubeconfig}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  if (!stdout.includes(name)) throw new Error(`the export lacks record ${name}`);
  const file = join(directory, "hostile-records.yaml");
  // The records of other suites come and go meanwhile.
  writeFileSync(
    file,
    stdout
      .split(/^(?=---)/m)
      .filter((text) => text.includes(TENANT) || text.includes("aws-auth"))
      .join(""),
  );
  const applied = await kubectl.run("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", file);
  if (applied.includes("aws-auth")) throw new Error(`an operator would apply ${applied}`);
  const now = await kubectl.get(`configmap/${name}`, TENANT);
  if (at(now, "data.forged") !== FORGED) throw new Error("what the team added is gone before the export");
  return `its ConfigMap holds it still; kubectl applies ${applied.trim().split("\n").length} records, and no aws-auth`;
}

/** The password of the chest in any Secret of the team's. */
async function secretsWith({ kubectl }: Rig, password: string): Promise<readonly string[]> {
  const secrets = await kubectl.list("secrets", TENANT);
  return secrets.filter((secret) => at(secret, "data.password") === encode(password)).map(nameOf);
}

async function copiesAreForgotten(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const edit = (kind: string, name: string, patch: object) =>
    kubectl.patch(targetOf(kind, name), patch, { namespace: TENANT });
  const forget = { crossplane: { resourceRefs: [] } };
  for (const { kind } of kinds) {
    for (const name of ["moving", "pausing"]) {
      await use(rig, kind, name);
      const isThere = () => holdsPassword(kubectl, `${kind.toLowerCase()}-${name}`, TENANT, PASSWORDS.first);
      await until(`${name} of ${kind} has its copy`, isThere, PATIENCE);
    }
    const secret = `${kind.toLowerCase()}-moved`;
    await edit(kind, "moving", { spec: { ...forget, parameters: { secret } } });
    const hasMoved = () => holdsPassword(kubectl, secret, TENANT, PASSWORDS.first);
    await until(`${secret} is there`, hasMoved, PATIENCE);
    await edit(kind, "pausing", { metadata: { annotations: { "crossplane.io/paused": "true" } } });
  }
  await grant(kubectl, main, "nobody");
  for (const { kind } of kinds) {
    await edit(kind, "pausing", { spec: forget });
    await edit(kind, "pausing", { metadata: { annotations: { "crossplane.io/paused": null } } });
  }
  const areGone = async () => (await secretsWith(rig, PASSWORDS.first)).length === 0;
  await until("all copies are gone", areGone, PATIENCE).catch(async (cause: unknown) => {
    throw new Error(`${(await secretsWith(rig, PASSWORDS.first)).join(", ")} stayed`, { cause });
  });
  await putPassword(kubectl, main, PASSWORDS.next);
  await sleep(5000);
  const following = await secretsWith(rig, PASSWORDS.next);
  if (following.length > 0) throw new Error(`the next password is in ${following.join(", ")}`);
  const objects = () => kubectl.list("objects.kubernetes.m.crossplane.io", TENANT);
  await until("all Objects are gone", async () => (await objects()).length === 0, PATIENCE).catch(
    async (cause: unknown) => {
      throw new Error(`left are ${(await objects()).map(describe).join("; ")}`, { cause });
    },
  );
  return "another target and no references in one edit; paused, revoked, no references, resumed: no copy, no Object, and no next password";
}

const describe = (object: JsonObject): string =>
  [
    nameOf(object),
    at(object, "metadata.deletionTimestamp"),
    at(object, "spec.managementPolicies"),
    at(object, "metadata.finalizers"),
    conditionOf(object, "Synced")?.message,
  ]
    .map((part) => JSON.stringify(part ?? "-"))
    .join(" ");
