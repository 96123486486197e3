import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { APP, ENTRYPOINT, inRepository, USER, VERSION } from "../../scripts/package/layout.ts";
import { startRegistry } from "../../scripts/package/registry.ts";
import { crane, run } from "../../scripts/package/run.ts";
import { makePackages } from "../../scripts/package/xpkg.ts";
import { examples } from "../../testing/rendering/examples.ts";
import { toolOrSkip } from "../../testing/tools/server-tools.ts";
import { sharedFolder } from "../../testing/tools/temporary-folder.ts";

const tools = [toolOrSkip("crane"), toolOrSkip("crossplane-v2.5")];

/** Tells whether apt can verify the packages of the base. A Mac has neither the keyring nor apt. */
const hasKeyring = existsSync("/usr/share/keyrings/debian-archive-keyring.gpg");
if (!hasKeyring && process.env["CI"] === "true") throw new Error("there is no debian-archive-keyring on this machine");

const origin = { source: "https://git.example.org/acme/function", revision: "5a5a5a5" };

/** Debian's packages and Node.js are downloaded the first time. */
const SLOW = 300_000;

describe.skipIf(tools.includes(undefined) || !hasKeyring)("the package of npm run package -- --base=local", () => {
  const folder = sharedFolder();
  let files: readonly string[] = [];
  let config: unknown;
  const documents = (name: string): unknown[] =>
    parseAllDocuments(readFileSync(join(folder, name), "utf8")).map((document) => document.toJS());

  beforeAll(async () => {
    const [built] = await makePackages({ base: "local", architectures: ["amd64"], folder, origin });
    const registry = await startRegistry();
    const reference = `${registry.address}/function:v1`;
    await crane("push", built?.xpkg ?? "", reference);
    config = JSON.parse(await crane("config", reference));
    const archive = join(folder, "all.tar");
    await crane("export", reference, archive);
    registry.stop();
    await run("tar", ["--extract", "--file", archive, "-C", folder, "package.yaml", ".up/examples.yaml"]);
    files = (await run("tar", ["--list", "--file", archive])).split("\n").map((file) => file.replace(/^(\.?\/)?/, "/"));
  }, SLOW);

  test("is a Function with the input's CRD, and nothing else", () => {
    const [input] = parseAllDocuments(readFileSync(inRepository("package/input/inputs.yaml"), "utf8"));
    const [meta] = parseAllDocuments(readFileSync(inRepository("crossplane.yaml"), "utf8"));
    const [first, second, ...others] = documents("package.yaml").filter((object) => object !== null);
    meta?.setIn(["metadata", "annotations", "meta.crossplane.io/source"], origin.source);
    expect(first).toEqual(meta?.toJS());
    expect(second).toMatchObject(input?.toJS());
    expect(others).toEqual([]);
  });

  test("has the Composition of every example", () => {
    const compositions = documents(".up/examples.yaml").filter((object) => Object(object).kind === "Composition");
    expect(compositions).toHaveLength(examples.length);
  });

  test("has an image with the user, the entry point and the ports that it runs with", () => {
    expect(config).toMatchObject({
      architecture: "amd64",
      os: "linux",
      config: {
        User: USER,
        Entrypoint: ENTRYPOINT,
        WorkingDir: APP,
        Env: ["NODE_ENV=production"],
        ExposedPorts: { "9443/tcp": {}, "8080/tcp": {} },
        Labels: {
          "org.opencontainers.image.version": VERSION,
          "org.opencontainers.image.licenses": "Apache-2.0",
          "org.opencontainers.image.source": origin.source,
          "org.opencontainers.image.revision": origin.revision,
        },
      },
    });
  });

  test("holds the bundle, the protocol and the files that Node.js needs, and nothing else", () => {
    const isFolder = (file: string): boolean => files.some((other) => other.startsWith(`${file}/`));
    const own = files.filter((file) => file.startsWith(`${APP}/`) && !isFolder(file));
    expect(own.sort()).toEqual(
      [
        "LICENSES.txt",
        "dist/main.cjs",
        "package.json",
        "proto/descriptors.binpb",
        "proto/grpc/reflection/v1/reflection.proto",
        "proto/grpc/reflection/v1alpha/reflection.proto",
        "proto/health/v1/health.proto",
        "proto/v1/run_function.proto",
        "proto/v1beta1/run_function.proto",
      ].map((file) => `${APP}/${file}`),
    );
    const others = new Set(
      files.filter((file) => !file.startsWith(APP) && !/^\/\.?$/.test(file)).map((file) => file.split("/")[1]),
    );
    expect([...others].sort()).toEqual([".up", "etc", "lib", "lib64", "nodejs", "package.yaml", "tmp", "usr", "var"]);
    expect(files.filter((file) => /\/(s?bin)\/./.test(file))).toEqual([ENTRYPOINT[0]]);
  });

  test("has beside it an image of the operators' program, with the program as its entry point", async () => {
    const file = join(folder, "cli-amd64.tar");
    const [{ Config }] = JSON.parse(await run("tar", ["--extract", "--to-stdout", "--file", file, "manifest.json"]));
    const text = await run("tar", ["--extract", "--to-stdout", "--file", file, Config]);
    expect(JSON.parse(text)).toMatchObject({ config: { User: USER, Entrypoint: ENTRYPOINT, WorkingDir: APP } });
  });
});
