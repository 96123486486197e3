import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { type Bundle, bundle } from "../../scripts/package/bundle.ts";
import { targets } from "../../scripts/package/layout.ts";
import { run } from "../../scripts/package/run.ts";
import { readVersion } from "../../src/package.ts";
import { fileOf } from "../../testing/rendering/examples.ts";
import { sharedFolder } from "../../testing/tools/temporary-folder.ts";

const folder = sharedFolder();
const folders = { function: join(folder, "function"), cli: join(folder, "cli") };
const bundles = new Map<string, Bundle>();
beforeAll(async () => {
  for (const target of targets) bundles.set(target, await bundle(folders[target], target));
});

const inputsOf = (target: string): readonly string[] => [...(bundles.get(target)?.inputs.values() ?? [])].flat();
const amongInputs = (target: string, pattern: RegExp): readonly string[] =>
  inputsOf(target).filter((input) => pattern.test(input));

/** Runs a bundled program, anywhere. */
const start = (target: "function" | "cli", ...args: readonly string[]): Promise<string> =>
  run(process.execPath, [join(folders[target], "dist/main.cjs"), ...args], { cwd: "/" });

test("the function's bundle has nothing of the operators' program and of what only that needs", () => {
  expect(inputsOf("function")).toContain("src/server/server.ts");
  expect(amongInputs("function", /^cli\/|node_modules\/(?:@kubernetes|yaml|js-yaml)\//)).toEqual([]);
});

test("the function's bundle has these of the dependencies in package.json", () => {
  const bundled = Object.keys(manifest.dependencies).filter((name) =>
    bundles.get("function")?.packages.includes(`node_modules/${name}`),
  );
  const inAll = "commander grpc-health-check prom-client protobufjs winston zod";
  expect(bundled.join(" ")).toBe(`@grpc/grpc-js @grpc/proto-loader @grpc/reflection ${inAll}`);
});

test("the bundle of the operators' program is one file, and has nothing of the function's server but how it listens, answers over HTTP and follows certificates", () => {
  expect(readdirSync(join(folders.cli, "dist"))).toEqual(["main.cjs"]);
  expect(inputsOf("cli")).toContain("cli/cluster/cluster.ts");
  expect(amongInputs("cli", /^src\/server\/(?!certificates\.ts|pages\.ts|config\.ts)/)).toEqual([]);
});

test("the bundled Kubernetes client has none of its generated API classes", () => {
  expect(amongInputs("cli", /client-node\/dist\/config\.js$/)).toHaveLength(1);
  expect(amongInputs("cli", /client-node\/dist\/gen\/(?!index\.js)/)).toEqual([]);
});

test.each(targets)("every package in the bundle of %s has its licence beside the program", (target) => {
  const licences = readFileSync(join(folders[target], "LICENSES.txt"), "utf8");
  for (const path of bundles.get(target)?.packages ?? []) {
    expect(licences).toContain(path.split("node_modules/").at(-1));
  }
});

test("the bundled operators' program renders an example", async () => {
  const files = ["xr.yaml", "composition.yaml", "functions.yaml"].map((name) => fileOf("share-database", name));
  expect(await start("cli", "render", ...files)).toContain("kind: ");
});

test.each(["function", "cli"] as const)("the bundle of %s says its version", async (target) => {
  expect(await start(target, "--version")).toBe(readVersion());
});
