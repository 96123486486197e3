import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { inRepository } from "../../scripts/package/layout.ts";
import { run } from "../../scripts/package/run.ts";
import { readVersion } from "../../src/package.ts";
import { sharedFolder } from "../../testing/tools/temporary-folder.ts";

/** Packing compiles, and installing unpacks a hundred packages. */
const SLOW = 300_000;

const folder = sharedFolder();
const checkout = join(folder, "checkout");
const installed = join(folder, "package");
/** `npm ci` of the repository has filled npm's cache with all that is installed here. */
const WITHOUT_DEV = ["ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"];

/** What is in the package, beside what is installed with it. */
const PACKED = ["LICENSE", "README.md", "dist", "node_modules", "package-lock.json", "package.json", "proto"];

beforeAll(() => {
  const sources = ["src", "cli", "proto", "scripts", "LICENSE", "README.md", "package.json", "package-lock.json"];
  for (const name of [...sources, "tsconfig.json", "tsconfig.build.json"]) {
    cpSync(inRepository(name), join(checkout, name), { recursive: true });
  }
});

test(
  "npm ci --omit=dev installs a checkout without building it",
  async () => {
    await run("npm", WITHOUT_DEV, { cwd: checkout });
    expect(existsSync(join(checkout, "node_modules/@grpc/grpc-js"))).toBe(true);
    expect(existsSync(join(checkout, "node_modules/typescript"))).toBe(false);
    expect(existsSync(join(checkout, "dist"))).toBe(false);
  },
  SLOW,
);

test(
  "what npm pack packs runs elsewhere, with its own dependencies alone",
  async () => {
    rmSync(join(checkout, "node_modules"), { recursive: true, force: true });
    symlinkSync(inRepository("node_modules"), join(checkout, "node_modules"));
    const tarball = (await run("npm", ["pack", "--silent"], { cwd: checkout })).split("\n").at(-1) ?? "";
    await run("tar", ["--extract", "--file", join(checkout, tarball), "-C", folder]);
    cpSync(inRepository("package-lock.json"), join(installed, "package-lock.json"));
    await run("npm", [...WITHOUT_DEV, "--ignore-scripts"], { cwd: installed });

    const {
      bin,
      private: isPrivate,
      publishConfig,
    } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    // npm refuses to publish it where it cannot vouch for its origin: anywhere but in a workflow.
    expect({ isPrivate, publishConfig }).toEqual({ publishConfig: { access: "public", provenance: true } });
    expect(readdirSync(installed).sort()).toEqual(PACKED);
    const packed = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
    expect(packed.filter((file) => file.endsWith(".map"))).toEqual([]);
    const start = (name: string, ...args: readonly string[]): Promise<string> =>
      run(process.execPath, [join(installed, bin[name]), ...args], { cwd: folder });
    expect(await start("function-shared-infrastructure", "--version")).toBe(readVersion());
    for (const name of ["shared-infrastructure", "kubectl-shared_infrastructure"]) {
      expect(await start(name, "registry", "--help")).toMatch(/^Usage: shared-infrastructure registry /);
    }
    const files = ["xr.yaml", "composition.yaml", "functions.yaml"];
    const example = files.map((name) => inRepository(`examples/share-database/${name}`));
    expect(await start("shared-infrastructure", "render", ...example)).toContain("kind: XOrdersApp");
  },
  SLOW,
);

test("it is a program and no library: nothing but its manifest can be imported", async () => {
  const name = "function-shared-infrastructure";
  cpSync(installed, join(folder, "node_modules", name), { recursive: true });
  const load = (file: string): Promise<string> =>
    run(process.execPath, ["--input-type=module", "-e", `console.log(import.meta.resolve("${name}/${file}"))`], {
      cwd: folder,
    });
  await expect(load("dist/src/main.js")).rejects.toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED");
  expect(await load("package.json")).toContain(`/${name}/package.json`);
});
