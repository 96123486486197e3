import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { freePort } from "../../testing/servers/free-port.ts";
import { pathOf } from "./kubectl.ts";
import { at } from "./objects.ts";
import { type Part, startPart, until } from "./process.ts";
import type { Rig } from "./rig.ts";

const NAMESPACE = "velero";

/** The real Velero, with its backups in a folder. */
export interface Velero {
  /** @param flags such as `--selector=a=b` */
  backUp(name: string, ...flags: readonly string[]): Promise<void>;
  /** Restores a backup, and waits for the end. */
  restore(backup: string, name: string, ...flags: readonly string[]): Promise<void>;
  /** Starts its server anew with other flags. */
  restart(...flags: readonly string[]): Promise<void>;
}

/** Starts Velero's server. A rig has one at most: the namespace is fixed. */
export async function startVelero(rig: Rig): Promise<Velero> {
  const { kubectl, kubeconfig } = rig;
  const directory = join(rig.directory, "velero");
  mkdirSync(join(directory, "plugins"), { recursive: true });
  mkdirSync(join(directory, "store"));
  symlinkSync(pathOf("velero"), join(directory, "plugins", "velero-plugin"));
  const run = (...args: readonly string[]) =>
    promisify(execFile)(pathOf("velero"), ["--kubeconfig", kubeconfig, "-n", NAMESPACE, ...args]);

  const { stdout: crds } = await run("install", "--crds-only", "--dry-run", "-o", "yaml");
  await kubectl.apply(parse(crds) as object);
  await kubectl.established("crd/backupstoragelocations.velero.io", "crd/restores.velero.io");
  await kubectl.apply(...surroundings(directory));
  let part = await startServer(rig, directory);
  return {
    backUp: async (name, ...flags) => {
      const whole = ["--include-cluster-resources=true", "--snapshot-volumes=false", "--wait"]; // later flags win
      await run("backup", "create", name, ...whole, ...flags);
      await assertCompleted(rig, `backup.velero.io/${name}`);
    },
    restore: async (backup, name, ...flags) => {
      await run("restore", "create", name, `--from-backup=${backup}`, "--wait", ...flags);
      await assertCompleted(rig, `restore.velero.io/${name}`);
    },
    restart: async (...flags) => {
      await part.stop();
      part = await startServer(rig, directory, flags);
    },
  };
}

const LOCATION = "backupstoragelocation.velero.io/default";

async function startServer(
  { kubectl, kubeconfig }: Rig,
  directory: string,
  flags: readonly string[] = [],
): Promise<Part> {
  const [metrics, profiler] = [await freePort(), await freePort()];
  const lastValidation = async () => at(await kubectl.get(LOCATION, NAMESPACE), "status.lastValidationTime");
  const before = await lastValidation();
  return startPart({
    name: "velero",
    command: pathOf("velero"),
    args: [
      ...["server", "--namespace", NAMESPACE, "--plugin-dir", join(directory, "plugins")],
      ...["--store-validation-frequency=5s", "--item-operation-sync-frequency=1s"],
      ...[`--metrics-address=127.0.0.1:${metrics}`, `--profiler-address=127.0.0.1:${profiler}`],
      ...flags,
    ],
    env: { KUBECONFIG: kubeconfig },
    directory,
    isReady: async () => (await lastValidation()) !== before,
  });
}

/** Waits for the end. @throws {Error} where it did not succeed: its logs are in the store. */
async function assertCompleted({ kubectl, directory }: Rig, target: string): Promise<void> {
  const statusOf = async (field: string) => at(await kubectl.get(target, NAMESPACE), `status.${field}`);
  await until(`${target} is over`, async () => (await statusOf("completionTimestamp")) !== undefined, {
    timeoutMs: 60_000,
  });
  const phase = await statusOf("phase");
  if (phase !== "Completed") throw new Error(`${target} is ${phase}; its logs are in ${directory}/velero/store`);
}

/** Its namespace, the location of the backups, and its Deployment, without which restores are PartiallyFailed. Nothing runs that. */
function surroundings(root: string): readonly object[] {
  const labels = { app: "velero" };
  const containers = [{ name: "velero", image: "velero" }];
  const config = { root };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "velero", namespace: NAMESPACE },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    },
    {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: "default", namespace: NAMESPACE },
      spec: { provider: "example.org/files", default: true, objectStorage: { bucket: "store" }, config },
    },
  ];
}
