import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Everything that a file could import, as seen from the repository's root. */
const everything = {
  errors: "src/errors.ts",
  log: "src/log.ts",
  model: "src/model/draft.ts",
  wire: "src/wire/request.ts",
  crossplane: "src/crossplane/metadata.ts",
  input: "src/input/schema.ts",
  ownership: "src/ownership/ownership-verdict.ts",
  records: "src/records/record.ts",
  features: "src/features/feature.ts",
  sharing: "src/features/sharing/sharing.ts",
  tags: "src/features/tags/tags.ts",
  operations: "src/operations/operations.ts",
  pipeline: "src/pipeline.ts",
  "run-function": "src/run-function.ts",
  server: "src/server/server.ts",
  config: "src/server/config.ts",
  certificates: "src/server/certificates.ts",
  flags: "src/flags.ts",
  package: "src/package.ts",
  didYouMean: "src/model/did-you-mean.ts",
  cluster: "cli/cluster/cluster.ts",
  lookup: "cli/lookup/ownership.ts",
  cli: "cli/text.ts",
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
  const { vcs: _, ...configuration } = JSON.parse(readFileSync(`${root}/biome.json`, "utf8"));
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

const listening: readonly Importable[] = ["errors", "log", "package", "server", "config", "certificates"];
const server: readonly Importable[] = [...listening, "run-function", "grpc-js", "prom-client", "crypto", "fs"];

const model: readonly Importable[] = ["errors", "model", "didYouMean"];

/** What the operators' program may import, and each of its commands. */
const basics: readonly Importable[] = [...model, "cluster", "lookup", "cli", "commander", "yaml", "crypto", "fs"];
const command: readonly Importable[] = [...basics, "crossplane", "ownership", "records", "zod"];

/** The imports that each file, or each file of a folder, may have. Nothing in src/ may import from cli/. */
const walls: Readonly<Record<string, readonly Importable[]>> = {
  "src/errors.ts": [],
  "src/package.ts": ["fs"],
  "src/log.ts": ["winston"],
  "src/model/x.ts": [...model, "crypto"],
  "src/wire/x.ts": [...model, "wire"],
  "src/crossplane/x.ts": [...model, "crossplane", "crypto"],
  "src/crossplane/providers/x.ts": [...model, "crossplane", "crypto"],
  "src/input/x.ts": [...model, "input", "zod"],
  "src/ownership/x.ts": [...model, "crossplane", "ownership", "crypto"],
  "src/records/x.ts": [...model, "crossplane", "ownership", "records", "crypto"],
  "src/features/x.ts": [...model, "crossplane", "input", "ownership", "records", "features", "crypto"],
  "src/features/tags/x.ts": [...model, "crossplane", "input", "ownership", "records", "features", "tags", "crypto"],
  "src/operations/x.ts": [...model, "crossplane", "input", "operations", "crypto"],
  "src/pipeline.ts": ["model", "didYouMean", "features", "sharing", "tags"],
  "src/server/x.ts": server,
  "src/flags.ts": ["errors", "didYouMean", "config", "commander"],
  "src/main.ts": ["errors", "flags", "log", "package", "run-function", "server"],
  "src/run-function.ts": [...model, "crossplane", "input", "operations", "wire", "pipeline"],
  "cli/x.ts": [...basics, "package", "config"],
  "cli/cluster/x.ts": [...model, "cluster", "yaml", "client-node", "crypto", "fs"],
  "cli/lookup/x.ts": [...model, "crossplane", "input", "ownership", "records", "cluster", "lookup", "zod"],
  "cli/audit/x.ts": command,
  "cli/registry/x.ts": command,
  "cli/preflight/x.ts": command,
  "cli/admission/x.ts": [...command, "log", "config", "certificates", "prom-client"],
  "cli/render/x.ts": [...command, "run-function", "package", "grpc-js"],
};

/** The specifier by which a file would import it. */
function toSpecifier(path: string, file: string): string {
  if (!path.endsWith(".ts")) return path;
  const specifier = relative(dirname(file), path);
  return specifier.startsWith(".") ? specifier : `./${specifier}`;
}

test("what the walls name is there", () => {
  const paths = Object.values(everything).filter((path) => path.endsWith(".ts"));
  expect(paths.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
  const folders = Object.keys(walls).map((path) => path.replace(/\/x\.ts$/, ""));
  expect(folders.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});

test("every folder may import what its wall lists, and nothing else", () => {
  const specifiersFor = (file: string, isWanted: (name: Importable) => boolean): readonly string[] =>
    (Object.keys(everything) as Importable[]).filter(isWanted).map((name) => toSpecifier(everything[name], file));
  const files = Object.entries(walls).map(([file, may]) => ({
    path: file,
    all: specifiersFor(file, () => true),
    refused: specifiersFor(file, (name) => !may.includes(name)),
  }));
  const refused = findRefused(new Map(files.map(({ path, all }) => [path, all])));
  expect(refused).toEqual(new Map(files.map(({ path, refused: expected }) => [path, expected])));
});
