import { expect, test } from "vitest";
import { toComposition } from "../../src/render/composition.ts";
import { assertOurs } from "../../src/render/functions.ts";

const { pipeline } = toComposition({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  spec: { pipeline: [{ step: "share", functionRef: { name: "fn" } }] },
}).spec;

test.each([
  "xpkg.example.org/platform/function-shared-infrastructure:v0.1.0",
  "mirror.example.org:5000/a/b/function-shared-infrastructure@sha256:0123",
  "mirror.example.org/function-shared-infrastructure:v1@sha256:0123",
  "function-shared-infrastructure",
])("%s is this function, whatever the Function's name", (name) => {
  expect(() => assertOurs(pipeline, [{ name: "fn", package: name }])).not.toThrow();
});

test.each([
  {
    reason: "another package",
    functions: [{ name: "fn", package: "xpkg.example.org/function-auto-ready:v1" }],
    error:
      'Function "fn" is not function-shared-infrastructure (its package is "xpkg.example.org/function-auto-ready:v1"), ' +
      'and no other can be run here; use "crossplane render"',
  },
  {
    reason: "a package that only begins like it",
    functions: [{ name: "fn", package: "xpkg.example.org/function-shared-infrastructure-fork" }],
    error: /is not function-shared-infrastructure/,
  },
  {
    reason: "no package",
    functions: [{ name: "fn", package: "" }],
    error: /\(it has no spec.package\)/,
  },
  {
    reason: "no such Function",
    functions: [{ name: "other", package: "function-shared-infrastructure" }],
    error: 'cannot run pipeline step "share": unknown Function "fn" - does it exist in your Functions file?',
  },
])("$reason is an error", ({ functions, error }) => {
  expect(() => assertOurs(pipeline, functions)).toThrow(error);
});
