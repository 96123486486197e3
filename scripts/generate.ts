import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { benchPictures, benchTables } from "../bench/page.ts";
import { matrix, readResults, testedVersions } from "../e2e/seen.ts";
import { suites } from "../e2e/suites.ts";
import { crd } from "./generate/crd.ts";
import { demoTable } from "./generate/demo.ts";
import { editorSchema } from "./generate/editor-schema.ts";
import { flagsReference } from "./generate/flags.ts";
import { argocdPatch, fluxChecks } from "./generate/health.ts";
import { mappingJsonSchema } from "./generate/mapping-schema.ts";
import { providerFacts } from "./generate/provider-facts.ts";
import { explanations } from "./generate/reasons.ts";
import { inputReference } from "./generate/reference.ts";
import { requireTool } from "./tools/build.ts";

/** Writes the generated files and sections (`npm run generate`), or with `--check` fails if one is out of date. */

const root = new URL("..", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

const buf = await requireTool("buf");

const build = (protos: string): Buffer =>
  execFileSync(buf, ["build", protos, "--exclude-source-info", "--output", "-"], { cwd: root });

/** Replaces the text between `<!-- begin: NAME -->` and `<!-- end: NAME -->`. */
function withSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`cannot find ${begin} before ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${section}\n\n${text.slice(to)}`;
}

const proto = read("proto/v1/run_function.proto");
const fenced = (text: string): string => `\`\`\`yaml\n${text.trim()}\n\`\`\``;
const manifests = (...files: readonly string[]): string => fenced(files.map(read).join("---\n"));

/** The steps of a file's last Composition, without the manifest around them. */
function stepsOf(file: string): string {
  const [, steps] = read(file).split(/\n {2}pipeline:\n(?![\s\S]*\n {2}pipeline:\n)/);
  if (steps === undefined) throw new Error(`cannot find spec.pipeline in ${file}`);
  return fenced(steps.replaceAll(/^ {2}/gm, ""));
}

/** The end of a file, from a field on. */
function endOf(file: string, field: string): string {
  const [, indent = "", end] = new RegExp(`\\n( *)(${field}:\\n[^]*)$`).exec(read(file)) ?? [];
  if (end === undefined) throw new Error(`cannot find ${field} in ${file}`);
  return fenced(end.replaceAll(`\n${indent}`, "\n"));
}

const sections: Readonly<Record<string, string>> = {
  demo: demoTable(),
  step: stepsOf("examples/share-database/composition.yaml"),
  "network share": endOf("examples/share-network/composition.yaml", "sharedResources"),
  "quick start step": stepsOf("deploy/quick-start/03-kinds.yaml"),
  input: inputReference(),
  flags: flagsReference(),
  bench: benchTables(),
  seen: matrix(readResults(), suites),
  versions: testedVersions(),
  "provider facts": providerFacts(),
};

/** Each page has the sections that its markers name. */
const markdown = readdirSync(new URL("docs", root)).filter((file) => file.endsWith(".md"));
const pages = ["README.md", "README.zh-CN.md", ...markdown.map((file) => `docs/${file}`)].map((file) => {
  const names = [...read(file).matchAll(/<!-- begin: (.*) -->/g)].map(([, name = ""]) => name);
  const sectionOf = (name: string): string =>
    sections[name] ?? (isManifest(name) ? manifests(name) : missing(file, name));
  const page = names.reduce((text, name) => withSection(text, name, sectionOf(name)), read(file));
  return [file, page] as const;
});

/** A section that is called like a manifest is that manifest. */
function isManifest(name: string): boolean {
  return name.startsWith("deploy/") && name.endsWith(".yaml");
}

function missing(file: string, name: string): never {
  throw new Error(`cannot make section "${name}" of ${file}: nothing makes it`);
}

const generated: readonly (readonly [file: string, content: string | Buffer])[] = [
  ["package/input/inputs.yaml", `# Made by npm run generate from src/input.\n${stringify(crd(), { lineWidth: 120 })}`],
  ["proto/v1beta1/run_function.proto", proto.replace("proto.v1;", "proto.v1beta1;")],
  // Descriptors of the protocol and of the health service, for gRPC reflection.
  ["proto/descriptors.binpb", Buffer.concat([build("proto"), build("node_modules/grpc-health-check/proto")])],
  ["deploy/mapping.schema.json", mappingJsonSchema()],
  ["package/input/composition.schema.json", `${JSON.stringify(editorSchema(), null, 2)}\n`],
  ["deploy/argocd/argocd-cm.yaml", argocdPatch()],
  ["deploy/flux/kustomization.yaml", fluxChecks()],
  ["cli/explain/reasons.json", explanations()],
  ...benchPictures(),
  ...pages,
];

const isAsGenerated = (file: URL, content: string | Buffer): boolean =>
  existsSync(file) && readFileSync(file).equals(Buffer.from(content));
const stale = generated.filter(([file, content]) => !isAsGenerated(new URL(file, root), content));
if (process.argv.includes("--check")) {
  for (const [file] of stale) process.stderr.write(`${file} is out of date: npm run generate\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [file, content] of stale) writeFileSync(new URL(file, root), content);
}
