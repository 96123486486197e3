import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { flagsReference } from "../src/config/flags.ts";
import { crd } from "./generate/crd.ts";
import { inputReference } from "./generate/reference.ts";

/** Writes what is made from code (`npm run generate`), or with `--check` fails where it is out of date. */

const root = new URL("..", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

const build = (protos: string): Buffer =>
  execFileSync("buf", ["build", protos, "--exclude-source-info", "--output", "-"], { cwd: root });

/** What reflection answers from: the protocol, and the health service, as a protobuf compiler sees them. */
const descriptors = Buffer.concat([build("proto"), build("node_modules/grpc-health-check/proto")]);

const proto = read("proto/v1/run_function.proto");
const readme = [
  { name: "input", section: inputReference() },
  { name: "flags", section: flagsReference() },
].reduce((text, { name, section }) => withSection(text, name, section), read("README.md"));

const generated: readonly (readonly [file: string, content: string | Buffer])[] = [
  ["package/input/inputs.yaml", `# Made by npm run generate from src/input.\n${stringify(crd(), { lineWidth: 120 })}`],
  [
    "proto/v1beta1/run_function.proto",
    proto.replace("package apiextensions.fn.proto.v1;", "package apiextensions.fn.proto.v1beta1;"),
  ],
  ["proto/descriptors.binpb", descriptors],
  ["README.md", readme],
];

const stale = generated.filter(([file, content]) => !readFileSync(new URL(file, root)).equals(Buffer.from(content)));
if (process.argv.includes("--check")) {
  for (const [file] of stale) process.stderr.write(`${file} is out of date: npm run generate\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [file, content] of stale) writeFileSync(new URL(file, root), content);
}
