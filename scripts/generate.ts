import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { compatibility, matrix } from "../e2e/seen.ts";
import { flagsReference } from "../src/config/flags.ts";
import { builtInKinds } from "../src/features/external-names/rescue.ts";
import { crd } from "./generate/crd.ts";
import { editorSchema } from "./generate/editor-schema.ts";
import { mappingJsonSchema } from "./generate/mapping-schema.ts";
import { inputReference } from "./generate/reference.ts";

/** Writes what is made from code (`npm run generate`), or with `--check` fails where it is out of date. */

const root = new URL("..", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

const build = (protos: string): Buffer =>
  execFileSync("buf", ["build", protos, "--exclude-source-info", "--output", "-"], { cwd: root });

/** The text with what stands between `<!-- begin: NAME -->` and `<!-- end: NAME -->` made anew. */
function withSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`cannot find ${begin} before ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${section}\n\n${text.slice(to)}`;
}

const proto = read("proto/v1/run_function.proto");
/** Manifests as a page shows them, without the line for editors, whose path is the file's. */
const yaml = (...files: readonly string[]): string => {
  const manifests = files
    .map(read)
    .join("---\n")
    .replaceAll(/^# yaml-language-server:.*\n/gm, "");
  return `\`\`\`yaml\n${manifests.trim()}\n\`\`\``;
};
const kinds = Object.entries(builtInKinds).map(([group, names]) => `| \`${group}\` | ${names.join(", ")} |`);
const sections: Readonly<Record<string, string>> = {
  composition: yaml("examples/share-database/composition.yaml"),
  input: inputReference(),
  flags: flagsReference(),
  seen: matrix(),
  compatibility: compatibility(),
  "built-in kinds": ["| group | kinds |", "| --- | --- |", ...kinds].join("\n"),
  "runtime config": yaml("deploy/function/runtime-config.yaml", "deploy/function/pod-disruption-budget.yaml"),
};

/** Each page has those of the sections that its markers name. */
const pages = ["README.md", "README.zh-CN.md", "docs/external-names.md", "docs/operations.md"].map((file) => {
  const names = [...read(file).matchAll(/<!-- begin: (.*) -->/g)].map(([, name = ""]) => name);
  const page = names.reduce((text, name) => withSection(text, name, sections[name] ?? missing(file, name)), read(file));
  return [file, page] as const;
});

function missing(file: string, name: string): never {
  throw new Error(`cannot make section "${name}" of ${file}: nothing makes it`);
}

const generated: readonly (readonly [file: string, content: string | Buffer])[] = [
  ["package/input/inputs.yaml", `# Made by npm run generate from src/input.\n${stringify(crd(), { lineWidth: 120 })}`],
  ["proto/v1beta1/run_function.proto", proto.replace("proto.v1;", "proto.v1beta1;")],
  // What reflection answers from: the protocol, and the health service, as a protobuf compiler sees them.
  ["proto/descriptors.binpb", Buffer.concat([build("proto"), build("node_modules/grpc-health-check/proto")])],
  ["deploy/mapping.schema.json", mappingJsonSchema()],
  ["package/input/composition.schema.json", `${JSON.stringify(editorSchema(), null, 2)}\n`],
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
