import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/model/json.ts";
import { NAMESPACE } from "./crossplane.ts";
import type { Rig } from "./rig.ts";

/** Writes a kubeconfig with which one is that ServiceAccount. @returns its path. */
export async function kubeconfigOf(account: string, { kubectl, kubeconfig, directory }: Rig): Promise<string> {
  const token = (await kubectl.run("create", "token", account, `--namespace=${NAMESPACE}`)).trim();
  const config = JSON.parse(readFileSync(kubeconfig, "utf8")) as JsonObject;
  const file = join(directory, `${account}.kubeconfig`);
  writeFileSync(file, JSON.stringify({ ...config, users: [{ name: "admin", user: { token } }] }));
  return file;
}
