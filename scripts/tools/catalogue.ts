import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A program that tests run against, built from the Go module in `tools/NAME`. */
interface Tool {
  /** The Go variable that `--version` prints. */
  readonly versionVariable: string;
  /** The environment variable that names a binary to use instead. */
  readonly override?: string;
}

const runtimeV2 = "github.com/crossplane/crossplane-runtime/v2/pkg/version.version";

const tools = {
  grpcurl: { versionVariable: "main.version" },
  "grpc-health-probe": { versionVariable: "main.versionTag" },
  "crossplane-v2.2": {
    versionVariable: "github.com/crossplane/crossplane/v2/internal/version.version",
    override: "CROSSPLANE_V2_2",
  },
  "crossplane-v1.20": {
    versionVariable: "github.com/crossplane/crossplane/internal/version.version",
    override: "CROSSPLANE_V1_20",
  },
  // The engine of `crossplane composition render` v2.5: Crossplane itself.
  "crossplane-core-v2.3": { versionVariable: runtimeV2, override: "CROSSPLANE_CORE_V2_3" },
  "crossplane-v2.5": { versionVariable: runtimeV2, override: "CROSSPLANE_V2_5" },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export const toolNames = Object.keys(tools) as ToolName[];

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

export const moduleOf = (name: ToolName): string => pathOf(`tools/${name}`);
export const binaryOf = (name: ToolName): string => pathOf(`.cache/tools/${name}`);
export const stampOf = (name: ToolName): string => `${binaryOf(name)}.stamp`;
export const overrideOf = (name: ToolName): string | undefined => (tools[name] as Tool).override;

/**
 * Where the tool is: what its environment variable says, or the binary that was built from its module as it is now.
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

/** What the binary depends on: another one is built when it changes. */
export function fingerprintOf(name: ToolName): string {
  const hash = createHash("sha256").update(tools[name].versionVariable);
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(`${moduleOf(name)}/${file}`));
  return hash.digest("hex");
}

/** What `go build` is told: which package, at which version. Both are read from go.mod. */
export function buildOf(name: ToolName): {
  readonly package: string;
  readonly version: string;
  readonly ldflags: string;
} {
  const goMod = readFileSync(`${moduleOf(name)}/go.mod`, "utf8");
  const main = /^tool (\S+)$/m.exec(goMod)?.[1] ?? "";
  const required = [...goMod.matchAll(/^\t?(?:require )?(\S+) (v\S+)/gm)]
    .map(([, module = "", version = ""]) => ({ module, version }))
    .filter(({ module }) => main === module || main.startsWith(`${module}/`))
    .sort((a, b) => b.module.length - a.module.length);
  const version = required[0]?.version;
  if (version === undefined) throw new Error(`cannot find the version of ${main || "a tool"} in tools/${name}/go.mod`);
  return { package: main, version, ldflags: `-s -w -X ${tools[name].versionVariable}=${version}` };
}
