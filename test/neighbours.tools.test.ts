import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { isBuilt, renderWith } from "../testing/rendering/crossplane.ts";
import { canRender, examples, fileOf } from "../testing/rendering/examples.ts";
import { type FunctionServer, serveFunction } from "../testing/servers/function-server.ts";
import { sharedFolder } from "../testing/tools/temporary-folder.ts";

/**
 * Every example with a shared resource, beside functions that others wrote, rendered by the real CLI: the XR is Ready if and only if
 * its conditions of this function are True. Most functions write the XR anew, and lose what ours said of its readiness.
 */

const OURS = "function-shared-infrastructure";

interface Step {
  readonly step: string;
  readonly functionRef: { readonly name: string };
  readonly input?: object;
}

interface Composition {
  readonly spec: { readonly pipeline: readonly Step[] };
}

const composed = {
  name: "neighbour",
  base: { apiVersion: "nop.crossplane.io/v1alpha1", kind: "NopResource", spec: { forProvider: {} } },
  readinessChecks: [{ type: "None" }],
};
const transforming = { apiVersion: "pt.fn.crossplane.io/v1beta1", kind: "Resources", resources: [composed] };

/** The other functions, each with the input of its step. */
const neighbours: Readonly<Record<string, object | undefined>> = {
  "function-patch-and-transform": transforming,
  "function-auto-ready": undefined,
  "composite-writer": undefined,
};

const readComposition = (example: string): Composition =>
  parse(readFileSync(fileOf(example, "composition.yaml"), "utf8"));

const isSharing = ({ functionRef, input }: Step): boolean =>
  functionRef.name === OURS && JSON.stringify(input).includes('"sharedResources"');

const sharing = examples.filter(
  (example) => canRender(example) && readComposition(example).spec.pipeline.some(isSharing),
);

/** Puts the step before the first, or behind the last step of ours. */
function withNeighbour({ spec, ...rest }: Composition, place: "before" | "after", name: string): Composition {
  const input = neighbours[name];
  const step: Step = { step: "neighbour", functionRef: { name }, ...(input && { input }) };
  const isOurs = ({ functionRef }: Step): boolean => functionRef.name === OURS;
  const at = place === "before" ? spec.pipeline.findIndex(isOurs) : spec.pipeline.findLastIndex(isOurs) + 1;
  return { ...rest, spec: { ...spec, pipeline: spec.pipeline.toSpliced(at, 0, step) } };
}

const functionOf = (name: string): string =>
  stringify({
    apiVersion: "pkg.crossplane.io/v1",
    kind: "Function",
    metadata: {
      name,
      annotations: {
        "render.crossplane.io/runtime": "Development",
        "render.crossplane.io/runtime-development-target": "127.0.0.1:1",
      },
    },
    spec: { package: `xpkg.example.org/${name}:v1` },
  });

const folder = sharedFolder();
let server: FunctionServer;
beforeAll(async () => {
  server = await serveFunction();
});
afterAll(() => server.stop());

/** Writes a copy of the example with another step. @returns its path from examples/. */
function copyWith(example: string, place: "before" | "after", name: string): string {
  const copy = join(folder, `${example}-${place}-${name}`);
  cpSync(fileOf(example, ""), copy, { recursive: true });
  const composition = withNeighbour(readComposition(example), place, name);
  writeFileSync(join(copy, "composition.yaml"), stringify(composition));
  const functions = readFileSync(join(copy, "functions.yaml"), "utf8");
  if (!functions.includes(`  name: ${name}\n`))
    writeFileSync(join(copy, "functions.yaml"), `${functions}---\n${functionOf(name)}`);
  return relative(fileOf("", ""), copy);
}

interface Shown {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}

/** The conditions that this function sets. Of the owner's side, what its consumers lack is none of its XR's readiness. */
const OF_OURS = ["SharedResourcesReady", "EnvironmentConfigPublished"];

describe.skipIf(!isBuilt("v2.2"))("the XR is Ready if and only if what it shares is there:", () => {
  const places = ["before", "after"] as const;
  const rows = Object.keys(neighbours).flatMap((name) => places.map((place) => [name, place] as const));
  describe.each(rows)("with %s %s this step", (name, place) => {
    test.each(sharing)("%s", async (example) => {
      const { is, text } = await renderWith("v2.2", copyWith(example, place, name), server.targets);
      if (is === "txt") return expect(text).toContain('pipeline step "'); // an example of an error
      const [xr] = parseAllDocuments(text).map((document) => document.toJS());
      const conditions: readonly Shown[] = xr.status.conditions;
      const isServed = conditions.every(({ type, status }) => !OF_OURS.includes(type) || status === "True");
      const ready = conditions.find(({ type }) => type === "Ready");
      // What is served does not make it wait; a composed resource of the example may.
      if (isServed) return expect(ready?.message ?? "").not.toContain("shared-infrastructure/record");
      return expect([ready?.status, conditions]).toEqual(["False", conditions]);
    });
  });
});
