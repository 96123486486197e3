import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { crane, run } from "../../scripts/package/run.ts";
import { type Part, startPart } from "./process.ts";

/** An image as a container runtime has it: its root file system, unpacked, and what its config says. */
export interface Unpacked {
  readonly root: string;
  readonly config: ImageConfig;
}

interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Env: readonly string[];
  readonly WorkingDir: string;
}

/** Where Crossplane mounts a function's certificates, and the variable that says so. */
const CERTS = "/tls/server";

export async function unpackImage(reference: string, directory: string): Promise<Unpacked> {
  const root = join(directory, "rootfs");
  const archive = join(directory, "rootfs.tar");
  rmSync(root, { recursive: true, force: true });
  for (const mountPoint of ["proc", "dev", CERTS]) mkdirSync(join(root, mountPoint), { recursive: true });
  await crane("export", reference, archive);
  await run("tar", ["--extract", "--file", archive, "-C", root]);
  rmSync(archive);
  const { config } = JSON.parse(await crane("config", reference)) as { config: ImageConfig };
  return { root, config };
}

export interface ContainerOptions {
  readonly name: string;
  readonly image: Unpacked;
  /** UID:GID in place of the image's. */
  readonly user?: string;
  readonly args: readonly string[];
  readonly certsDir: string;
  readonly directory: string;
  readonly isReady: () => Promise<boolean>;
}

/**
 * Starts an image's process as kubelet's runtime would with `readOnlyRootFilesystem`, `runAsUser` and no capabilities, but
 * without namespaces other than that of mounts, without cgroups and without seccomp.
 */
export function startContainer(options: ContainerOptions): Promise<Part> {
  const { name, image, args, certsDir, directory, isReady } = options;
  const { root, config } = image;
  const user = options.user ?? config.User;
  const script = [
    "set -e",
    'mount --bind "$0" "$0"',
    'mount -t proc proc "$0/proc"',
    'mount --bind /dev "$0/dev"',
    `mount --bind "$1" "$0${CERTS}"`,
    `mount -o remount,ro,bind "$0${CERTS}"`,
    'mount -o remount,ro,bind "$0"',
    "shift",
    'exec env -i "$@"',
  ].join("\n");
  const environment = [...config.Env, `TLS_SERVER_CERTS_DIR=${CERTS}`];
  const chroot = ["/usr/sbin/chroot", `--userspec=${user}`, "--groups=", root, ...config.Entrypoint, ...args];
  const command = ["unshare", "--mount", "sh", "-c", script, root, certsDir, ...environment, ...chroot];
  const [program = "", ...rest] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  return startPart({ name, command: program, args: rest, directory, isReady });
}
