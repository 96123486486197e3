import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { inRepository } from "../../scripts/package/layout.ts";
import { sourceOf } from "../../scripts/tools/catalogue.ts";
import { examples, fileOf } from "../../testing/rendering/examples.ts";
import { run, toolOrSkip } from "../../testing/tools/server-tools.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

const crossplane = toolOrSkip("crossplane-v2.5") ?? "";

interface Composition {
  readonly spec: { readonly pipeline: readonly { readonly step: string; readonly input?: object }[] };
}

/** The inputs of the example's steps, with names: Crossplane needs none, but the CLI does. */
const inputsOf = (example: string): string =>
  (parse(readFileSync(fileOf(example, "composition.yaml"), "utf8")) as Composition).spec.pipeline
    .filter(({ input }) => input !== undefined)
    .map(({ step, input }) => stringify({ ...input, metadata: { name: step, namespace: "default" } }))
    .join("---\n");

/** The package manifests in a page's examples. */
const packagesIn = (page: string): string =>
  [...readFileSync(inRepository(page), "utf8").matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
    .flatMap(([, text = ""]) => parseAllDocuments(text).map((document): unknown => document.toJS()))
    .filter((object) => JSON.stringify(object).startsWith('{"apiVersion":"pkg.crossplane.io/'))
    .map((object) => stringify(object))
    .join("---\n");

describe.skipIf(crossplane === "")("the real CLI validates", { timeout: 60_000 }, () => {
  let crds = "";
  beforeAll(() => {
    crds = join(sourceOf("crossplane-core-v2.3", "github.com/crossplane/crossplane/v2"), "cluster", "crds");
  });

  const validate = (resources: string, cache: string) => {
    const schemas = [crds, inRepository("package/input/inputs.yaml"), inRepository("examples/definitions.yaml")];
    const flags = ["--error-on-missing-schemas", "--skip-success-results", "--crossplane-image="];
    return run(crossplane, ["resource", "validate", schemas.join(","), resources, ...flags, `--cache-dir=${cache}`]);
  };

  test.each(examples)("the example %s and finds faults in invalid-input only", async (example) => {
    const folder = temporaryFolder();
    const files = ["xr.yaml", "composition.yaml", "functions.yaml"].map((file) => fileOf(example, file));
    mkdirSync(join(folder, "cache"));
    writeFileSync(join(folder, "inputs.yaml"), inputsOf(example));
    const all = [...files, join(folder, "inputs.yaml")].join(",");
    const { exitCode, stdout, stderr } = await validate(all, join(folder, "cache"));
    expect({ exitCode, output: `${stdout}${stderr}` }).toEqual({
      exitCode: example === "invalid-input" ? 1 : 0,
      output: expect.stringContaining(example === "invalid-input" ? "spec.sharedResources" : "0 failure cases"),
    });
  });

  test.each(["README.md", "docs/operations.md"])("the packages that %s has people install", async (page) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "cache"));
    writeFileSync(join(folder, "manifests.yaml"), packagesIn(page));
    expect(await validate(join(folder, "manifests.yaml"), join(folder, "cache"))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/0 missing schemas, [1-9]\d* success cases, 0 failure cases/),
    });
  });
});
