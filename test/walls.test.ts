import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Everything that a file of src/ could import, as seen from src/. */
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
  cluster: "cluster/cluster.ts",
  registry: "registry/check.ts",
  cli: "cli/cli.ts",
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

const commands: readonly Importable[] = [
  "errors",
  "log",
  "model",
  "crossplane",
  "input",
  "ownership",
  "run-function",
  "server",
  "cluster",
  "registry",
  "cli",
  "zod",
  "grpc-js",
  "prom-client",
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
  "cluster/x.ts": ["errors", "model", "cluster", "crypto", "fs"],
  "registry/x.ts": ["errors", "model", "crossplane", "input", "ownership", "cluster", "registry", "zod"],
  "server/x.ts": ["errors", "log", "run-function", "server", "grpc-js", "prom-client", "crypto", "fs"],
  "server/tls/x.ts": ["errors", "log", "run-function", "server", "grpc-js", "prom-client", "crypto", "fs"],
  "cli/x.ts": commands,
  "cli/audit/x.ts": commands,
  "main.ts": ["cli"],
  "run-function.ts": ["errors", "model", "crossplane", "input", "operations", "wire", "pipeline"],
};

/** The specifier by which a file of src/ would import it. */
function toSpecifier(path: string, file: string): string {
  if (!path.endsWith(".ts")) return path;
  const specifier = relative(dirname(file), path);
  return specifier.startsWith(".") ? specifier : `./${specifier}`;
}

test("every folder may import what its wall lists, and nothing else", () => {
  const specifiersFor = (file: string, isWanted: (name: Importable) => boolean): readonly string[] =>
    (Object.keys(everything) as Importable[]).filter(isWanted).map((name) => toSpecifier(everything[name], file));
  const files = Object.entries(walls).map(([file, may]) => ({
    path: `src/${file}`,
    all: specifiersFor(file, () => true),
    refused: specifiersFor(file, (name) => !may.includes(name)),
  }));
  const refused = findRefused(new Map(files.map(({ path, all }) => [path, all])));
  expect(refused).toEqual(new Map(files.map(({ path, refused: expected }) => [path, expected])));
});
