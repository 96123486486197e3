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

/** The commands of docs/quick-start.md, as a reader pastes them. */

/** A block of commands, and what the page says that they print in the end. */
export interface Block {
  readonly commands: string;
  readonly output: string;
}

/** Sections of the page by their headings, each with its blocks in order. */
export function readPage(): ReadonlyMap<string, readonly Block[]> {
  const [, ...sections] = readFileSync(inRepository("docs/quick-start.md"), "utf8").split(/^## /m);
  return new Map(
    sections.map((section) => {
      const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```(?:\n+```text\n([\s\S]*?)^```)?/gm)];
      const heading = section.slice(0, section.indexOf("\n"));
      return [heading, blocks.map(([, commands = "", output = ""]) => ({ commands, output }))] as const;
    }),
  );
}

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

/** Kinds that only a cluster with nodes and a registry can install: the rig runs these programs itself. */
const PACKAGES = ["Provider", "Function"];

/** Does what is left of the page's first section in a rig. @returns the objects that the rig stands in for. */
export async function standInForPackages({ kubectl }: Rig): Promise<readonly string[]> {
  const file = readFileSync(inRepository("deploy/quick-start/01-packages.yaml"), "utf8");
  const objects = parseAllDocuments(file).map((document) => document.toJS() as JsonObject);
  const isPackage = (object: JsonObject): boolean => PACKAGES.includes(String(at(object, "kind")));
  await kubectl.apply(...objects.filter((object) => !isPackage(object)));
  return objects.filter(isPackage).map((object) => `${at(object, "kind")} ${at(object, "metadata.name")}`);
}

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
