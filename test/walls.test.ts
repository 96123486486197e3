import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Everything that a file could import: a file of src/, as seen from there, or a library. */
const everything = {
  errors: "errors.ts",
  log: "log.ts",
  model: "model/draft.ts",
  wire: "wire/request.ts",
  crossplane: "crossplane/metadata.ts",
  input: "input/schema.ts",
  ownership: "ownership/verdict.ts",
  features: "features/events.ts",
  sharing: "features/sharing/sharing.ts",
  tags: "features/tags/tags.ts",
  operations: "operations/operation.ts",
  pipeline: "pipeline.ts",
  "run-function": "run-function.ts",
  server: "server/server.ts",
  address: "server/address.ts",
  credentials: "server/tls/credentials.ts",
  cluster: "../cli/cluster/cluster.ts",
  lookup: "../cli/lookup/check.ts",
  cli: "../cli/text.ts",
  commander: "commander",
  yaml: "yaml",
  "client-node": "@kubernetes/client-node",
  zod: "zod",
  winston: "winston",
  "grpc-js": "@grpc/grpc-js",
  "prom-client": "prom-client",
  crypto: "node:crypto",
  fs: "node:fs",
} as const;

type Importable = keyof typeof everything;

/** Lints files of these paths, each of which imports these specifiers, and returns the specifiers that are refused. */
function findRefused(imports: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const folder = temporaryFolder();
  const { vcs: _, ...configuration } = JSON.parse(readFileSync(`${root}/biome.json`, "utf8")) as Record<
    string,
    unknown
  >;
  writeFileSync(`${folder}/biome.json`, JSON.stringify(configuration));
  for (const [file, specifiers] of imports) {
    mkdirSync(dirname(`${folder}/${file}`), { recursive: true });
    writeFileSync(`${folder}/${file}`, specifiers.map((name) => `import ${JSON.stringify(name)};\n`).join(""));
  }
  const args = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  const { stdout } = spawnSync(`${root}/node_modules/.bin/biome`, args, { cwd: folder, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Diagnostic[] };
  const refused = diagnostics.filter(({ category }) => category === "lint/style/noRestrictedImports");
  return new Map(
    [...imports].map(([file, specifiers]) => {
      const lines = refused.filter(({ location }) => location.path === file).map(({ location }) => location.start.line);
      return [file, specifiers.filter((_, index) => lines.includes(index + 1))];
    }),
  );
}

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

/** What every command of the operators' program may import. */
const command: readonly Importable[] = [
  "errors",
  "model",
  "crossplane",
  "ownership",
  "cluster",
  "lookup",
  "cli",
  "commander",
  "yaml",
  "zod",
  "crypto",
  "fs",
];

/** The imports that each file, or each file of a folder, may have. */
const walls: Readonly<Record<string, readonly Importable[]>> = {
  "errors.ts": [],
  "package.ts": ["fs"],
  "log.ts": ["winston"],
  "model/x.ts": ["errors", "model", "crypto"],
  "wire/x.ts": ["errors", "model", "wire"],
  "crossplane/x.ts": ["errors", "model", "crossplane", "crypto"],
  "crossplane/providers/x.ts": ["errors", "model", "crossplane", "crypto"],
  "input/x.ts": ["errors", "model", "input", "zod"],
  "ownership/x.ts": ["errors", "model", "crossplane", "ownership", "crypto"],
  "features/x.ts": ["errors", "model", "crossplane", "input", "ownership", "features", "crypto"],
  "features/tags/x.ts": ["errors", "model", "crossplane", "input", "ownership", "features", "tags", "crypto"],
  "operations/x.ts": ["errors", "model", "crossplane", "input", "operations", "crypto"],
  "pipeline.ts": ["model", "features", "sharing", "tags"],
  "server/x.ts": [
    "errors",
    "log",
    "run-function",
    "server",
    "address",
    "credentials",
    "grpc-js",
    "prom-client",
    "crypto",
    "fs",
  ],
  "server/tls/x.ts": [
    "errors",
    "log",
    "run-function",
    "server",
    "address",
    "credentials",
    "grpc-js",
    "prom-client",
    "crypto",
    "fs",
  ],
  "../cli/x.ts": ["errors", "model", "address", "cluster", "lookup", "cli", "commander", "yaml", "crypto", "fs"],
  "../cli/cluster/x.ts": ["errors", "model", "cluster", "yaml", "client-node", "crypto", "fs"],
  "../cli/lookup/x.ts": ["errors", "model", "crossplane", "input", "ownership", "cluster", "lookup", "zod"],
  "../cli/audit/x.ts": command,
  "../cli/registry/x.ts": command,
  "../cli/preflight/x.ts": command,
  "../cli/migrate/x.ts": [...command, "input"],
  "../cli/admission/x.ts": [...command, "log", "address", "credentials", "prom-client"],
  "../cli/render/x.ts": [...command, "run-function", "grpc-js"],
  "run-function.ts": ["errors", "model", "crossplane", "input", "operations", "wire", "pipeline"],
};

/** The specifier by which a file would import it. */
function toSpecifier(path: string, file: string): string {
  if (!path.endsWith(".ts")) return path;
  const specifier = relative(dirname(join("src", file)), join("src", path));
  return specifier.startsWith(".") ? specifier : `./${specifier}`;
}

test("every folder may import what its wall lists, and nothing else", () => {
  const specifiersFor = (file: string, isWanted: (name: Importable) => boolean): readonly string[] =>
    (Object.keys(everything) as Importable[]).filter(isWanted).map((name) => toSpecifier(everything[name], file));
  const files = Object.entries(walls).map(([file, may]) => ({
    path: join("src", file),
    all: specifiersFor(file, () => true),
    refused: specifiersFor(file, (name) => !may.includes(name)),
  }));
  const refused = findRefused(new Map(files.map(({ path, all }) => [path, all])));
  expect(refused).toEqual(new Map(files.map(({ path, refused: expected }) => [path, expected])));
});
