import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { inRepository } from "../scripts/package/layout.ts";
import type { JsonObject } from "../src/model/json.ts";
import { NAMESPACE } from "./rig/crossplane.ts";
import { pathOf } from "./rig/kubectl.ts";
import { at } from "./rig/objects.ts";
import type { Rig } from "./rig/rig.ts";

/** The commands of a page, as a reader pastes them; and the quick start's objects. */

/** A block of commands, and what the page says that they print in the end. */
export interface Block {
  readonly commands: string;
  readonly output: string;
}

/** Sections of the page by their headings, each with its blocks in order. */
export function readPage(page = "docs/quick-start.md"): ReadonlyMap<string, readonly Block[]> {
  const [, ...sections] = readFileSync(inRepository(page), "utf8").split(/^## /m);
  return new Map(
    sections.map((section) => {
      const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```(?:\n+```text\n([\s\S]*?)^```)?/gm)];
      const heading = section.slice(0, section.indexOf("\n"));
      return [heading, blocks.map(([, commands = "", output = ""]) => ({ commands, output }))] as const;
    }),
  );
}

/** True for the page's steps up to the grant. Its first step, the installation, is what the rig does in its own way. */
export const isStep = (heading: string): boolean => /^[2-9]\. /.test(heading);

/** Runs a block in the checkout, where `kubectl` is the rig's. @returns what it prints. @throws {Error} with what a command says that fails. */
export async function runBlock({ commands }: Block, { kubeconfig }: Pick<Rig, "kubeconfig">): Promise<string> {
  const PATH = [dirname(pathOf("kubectl")), process.env["PATH"]].join(delimiter);
  const env = { ...process.env, PATH, KUBECONFIG: kubeconfig };
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], {
    cwd: inRepository("."),
    env,
  });
  return stdout;
}

/** The objects of the page's first step. */
const installed: readonly JsonObject[] = parseAllDocuments(
  readFileSync(inRepository("deploy/quick-start/01-packages.yaml"), "utf8"),
).map((document) => document.toJS() as JsonObject);

/** Only a cluster with nodes and a registry can install packages: a rig runs these programs itself. */
const isPackage = (object: JsonObject): boolean => ["Provider", "Function"].includes(String(at(object, "kind")));

/** The packages of the page's first step, such as `Provider provider-kubernetes`. */
export const packages: readonly string[] = installed
  .filter(isPackage)
  .map((object) => `${at(object, "kind")} ${at(object, "metadata.name")}`);

/** Does the rest of the page's first step. */
export const applyWithoutPackages = ({ kubectl }: Rig): Promise<void> =>
  kubectl.apply(...installed.filter((object) => !isPackage(object)));

/** Where nobody may have a mount namespace, provider-kubernetes works with the rig's own rights instead of the page's. */
export async function standInForIdentity({ kubectl, providerHasIdentity }: Rig): Promise<void> {
  const target = "clusterproviderconfig.kubernetes.m.crossplane.io/shop";
  if (providerHasIdentity || (await kubectl.get(target)) === undefined) return;
  await kubectl.patch(target, {
    spec: {
      credentials: {
        source: "Secret",
        secretRef: { namespace: NAMESPACE, name: "provider-kubernetes", key: "kubeconfig" },
      },
    },
  });
}
