import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ControlPlane } from "./control-plane.ts";

/**
 * A program's start as a pod of a ServiceAccount: client-go looks for the token at a fixed path, which kubelet mounts. Here a mount
 * namespace has it, so that a ProviderConfig with `source: InjectedIdentity` works, with the account's rights and no others.
 */

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Ways to a mount namespace, for root and for others. */
const WAYS = [
  ["unshare", "--mount"],
  ["unshare", "--map-root-user", "--mount"],
  ["sudo", "-n", "--preserve-env", "unshare", "--mount"],
] as const;

const IN_POD = "secrets/kubernetes.io/serviceaccount";

/** @returns undefined where this machine gives nobody a mount namespace, or none without a password. */
export async function startInPod(
  { command, args, env }: Start,
  account: { readonly namespace: string; readonly name: string },
  { kubectl, authority, port }: ControlPlane,
  directory: string,
): Promise<Start | undefined> {
  const way = await findWay();
  if (way === undefined) return undefined;
  const { namespace, name } = account;
  await kubectl.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  const token = await kubectl.run("create", "token", name, `--namespace=${namespace}`, "--duration=24h");
  const run = join(directory, `${name}-run`);
  mkdirSync(join(run, IN_POD), { recursive: true });
  for (const [file, text] of Object.entries({ token: token.trim(), "ca.crt": authority.certificate, namespace }))
    writeFileSync(join(run, IN_POD, file), text);
  const [program, ...rest] = way;
  const script = 'mount --bind "$0" "$(readlink -f /var/run)" && exec "$@"';
  return {
    command: program,
    args: [...rest, "sh", "-c", script, run, command, ...args],
    env: { ...env, KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: port.toString() },
  };
}

async function findWay(): Promise<(typeof WAYS)[number] | undefined> {
  for (const way of WAYS) {
    const [program, ...args] = way;
    const works = await promisify(execFile)(program, [...args, "mount", "--bind", "/tmp", "/tmp"]).then(
      () => true,
      () => false,
    );
    if (works) return way;
  }
  return undefined;
}
