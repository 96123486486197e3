import { expect, test } from "vitest";
import { findRuntime } from "../../../cli/render/runtime.ts";

const find = (functions: Parameters<typeof findRuntime>[1]) =>
  findRuntime({ step: "share", functionRef: { name: "fn" }, credentials: [] }, functions);

const other = { name: "fn", package: "xpkg.example.org/function-auto-ready:v1", annotations: {} };
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
  ["at its target", { [TARGET]: "127.0.0.1:9444" }, "127.0.0.1:9444"],
  ["at localhost:9443 where it names no target", {}, "localhost:9443"],
])("another Function with the runtime Development is called %s", (_, more, target) => {
  const annotations = { [RUNTIME]: "Development", ...more };
  expect(find([{ ...other, annotations }])).toEqual({ is: "development", target });
});

const OWN = "function-shared-infrastructure";
test.each([
  [
    "another package without the annotation",
    other,
    'cannot run pipeline step "share": Function "fn" is not function-shared-infrastructure (its package is ' +
      '"xpkg.example.org/function-auto-ready:v1"), and its runtime is not Development: run the function with --insecure, and ' +
      "annotate the Function with render.crossplane.io/runtime: Development and " +
      'render.crossplane.io/runtime-development-target: HOST:PORT; or use "crossplane render", which runs it in Docker',
  ],
  ["the runtime Docker", { ...other, annotations: { [RUNTIME]: "Docker" } }, "and its runtime is not Development: "],
  ["a package that only begins like it", { ...other, package: `${OWN}-fork` }, `is not ${OWN} (`],
  ["no package", { ...other, package: "" }, '(its package is "")'],
])("a Function cannot be run with %s", (_, one, error) => {
  expect(() => find([one])).toThrow(error);
});
