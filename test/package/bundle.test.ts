import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { subcommands } from "../../cli/cli.ts";
import { type Bundle, bundle } from "../../scripts/package/bundle.ts";
import { readVersion } from "../../src/package.ts";

const folder = mkdtempSync(join(tmpdir(), "bundle-"));
let bundled: Bundle;
beforeAll(async () => {
  bundled = await bundle(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const others = subcommands.map(({ name }) => name).filter((name) => name !== "serve");

const inputsOf = (file: string): readonly string[] => bundled.inputs.get(file) ?? [];
const amongInputs = (file: string, pattern: RegExp): readonly string[] =>
  inputsOf(file).filter((input) => pattern.test(input));

/** Runs the bundled program, anywhere. */
const run = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [join(folder, "dist/main.cjs"), ...args], { cwd: "/" })).stdout;

test("there is one entry, and a file beside it for each command but serve", () => {
  const files = ["main", ...others].map((name) => `${name}.cjs`).sort();
  expect(readdirSync(join(folder, "dist")).sort()).toEqual(files);
});

test("the entry, which serves, has nothing of the other commands", () => {
  expect(inputsOf("main.cjs")).toContain("src/server/server.ts");
  const ofOthers = new RegExp(`^src/(?:cluster|registry|cli/(?:${others.join("|")}))/|@kubernetes/|/yaml/`);
  expect(amongInputs("main.cjs", ofOthers)).toEqual([]);
});

test.each(["registry", "preflight", "admission", "audit"])("%s talks with a cluster", (name) => {
  expect(inputsOf(`${name}.cjs`)).toContain("src/cluster/cluster.ts");
});

test.each(others.filter((name) => name !== "render"))("%s has nothing of gRPC and of the wire", (name) => {
  expect(amongInputs(`${name}.cjs`, /^src\/(?:wire|grpc)\/|@grpc\//)).toEqual([]);
});

test("every package that is bundled has its licence beside the program", () => {
  const licences = readFileSync(join(folder, "LICENSES.txt"), "utf8");
  for (const path of bundled.packages) expect(licences).toContain(path.split("node_modules/").at(-1));
});

describe("the bundled program runs", () => {
  test("--version", async () => {
    expect(await run("--version")).toBe(`${readVersion()}\n`);
  });

  test.each(others)("%s --help", async (name) => {
    expect(await run(name, "--help")).toMatch(new RegExp(`^Usage: function-shared-infrastructure ${name} `));
  });

  test("render, with an example", async () => {
    const file = (name: string): string => join(import.meta.dirname, "../../examples/share-database", name);
    const files = ["xr.yaml", "composition.yaml", "functions.yaml"].map(file);
    expect(await run("render", ...files)).toContain("kind: ");
  });
});
