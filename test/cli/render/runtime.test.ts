import { expect, test } from "vitest";
import { findRuntime } from "../../../cli/render/runtime.ts";

const find = (functions: Parameters<typeof findRuntime>[1]) =>
  findRuntime({ step: "share", functionRef: { name: "fn" } }, functions);

const other = { name: "fn", package: "xpkg.example.org/function-auto-ready:v1" };
const RUNTIME = "render.crossplane.io/runtime";
const TARGET = "render.crossplane.io/runtime-development-target";

test.each([
  "xpkg.example.org/platform/function-shared-infrastructure:v0.1.0",
  "mirror.example.org:5000/a/b/function-shared-infrastructure@sha256:0123",
  "mirror.example.org/function-shared-infrastructure:v1@sha256:0123",
  "function-shared-infrastructure",
])("a Function of package %s runs in this process, whatever its name and annotations are", (name) => {
  const annotations = { [RUNTIME]: "Development" };
  expect(find([{ name: "fn", package: name, annotations }])).toEqual({ is: "embedded" });
});

test.each([
  { reason: "at its target", annotations: { [TARGET]: "127.0.0.1:9444" }, target: "127.0.0.1:9444" },
  { reason: "at localhost:9443 where it names no target", annotations: {}, target: "localhost:9443" },
])("another Function with the runtime Development is called $reason", ({ annotations, target }) => {
  expect(find([{ ...other, annotations: { [RUNTIME]: "Development", ...annotations } }])).toEqual({
    is: "development",
    target,
  });
});

test.each([
  {
    reason: "another package without the annotation",
    functions: [{ ...other, annotations: {} }],
    error:
      'cannot run pipeline step "share": Function "fn" is not function-shared-infrastructure (its package is ' +
      '"xpkg.example.org/function-auto-ready:v1") and has not the runtime Development: run it with --insecure, and ' +
      "give it the annotations render.crossplane.io/runtime: Development and " +
      'render.crossplane.io/runtime-development-target: HOST:PORT; or use "crossplane render", which runs it in Docker',
  },
  {
    reason: "the runtime Docker",
    functions: [{ ...other, annotations: { [RUNTIME]: "Docker" } }],
    error: /and has not the runtime Development: run it with --insecure/,
  },
  {
    reason: "a package that only begins like it",
    functions: [{ name: "fn", package: "xpkg.example.org/function-shared-infrastructure-fork", annotations: {} }],
    error: /is not function-shared-infrastructure/,
  },
  {
    reason: "no package",
    functions: [{ name: "fn", package: "", annotations: {} }],
    error: /\(its package is ""\)/,
  },
  {
    reason: "no such Function",
    functions: [{ name: "other", package: "function-shared-infrastructure", annotations: {} }],
    error: 'cannot run pipeline step "share": unknown Function "fn" - does it exist in your Functions file?',
  },
])("a Function cannot be run with $reason", ({ functions, error }) => {
  expect(() => find(functions)).toThrow(error);
});
