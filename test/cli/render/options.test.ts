import { describe, expect, test } from "vitest";
import { CommandLine } from "../../../cli/command-line.ts";
import { renderCommand } from "../../../cli/render/command.ts";
import { type RenderOptions, readOptions } from "../../../cli/render/options.ts";

const files = ["xr.yaml", "composition.yaml", "functions.yaml"];

const none: RenderOptions = {
  compositeResource: "xr.yaml",
  composition: "composition.yaml",
  functions: "functions.yaml",
  contextFiles: new Map(),
  contextValues: new Map(),
  extraResources: undefined,
  functionAnnotations: new Map(),
  functionCredentials: undefined,
  includeContext: false,
  includeFullXr: false,
  includeFunctionResults: false,
  observedResources: undefined,
  requiredResources: undefined,
  requiredSchemas: undefined,
  timeoutMs: 60_000,
  xrd: undefined,
};

const read = (args: readonly string[]) => readOptions(new CommandLine(args, renderCommand, {}));

describe("the flags are those of crossplane render", () => {
  test.each<{ args: readonly string[]; options: Partial<RenderOptions> }>([
    { args: [], options: {} },
    { args: ["-r", "-x", "-c"], options: { includeFunctionResults: true, includeFullXr: true, includeContext: true } },
    { args: ["--include-function-results"], options: { includeFunctionResults: true } },
    {
      args: ["-o", "o.yaml", "-e", "e.yaml", "-s", "s"],
      options: { observedResources: "o.yaml", requiredResources: "e.yaml", requiredSchemas: "s" },
    },
    {
      args: ["--extra-resources=e.yaml", "--function-credentials", "c.yaml"],
      options: { extraResources: "e.yaml", functionCredentials: "c.yaml" },
    },
    {
      args: ["--context-values=a=b=c,d", "--context-values", "e={}"],
      options: {
        contextValues: new Map([
          ["a", "b=c,d"],
          ["e", "{}"],
        ]),
      },
    },
    { args: ["--context-files=a=f.json"], options: { contextFiles: new Map([["a", "f.json"]]) } },
    { args: ["--xrd=xrd.yaml"], options: { xrd: "xrd.yaml" } },
    {
      args: ["-a", "k=v", "--function-annotations=l=m=n", "--timeout=90s", "--verbose"],
      options: {
        functionAnnotations: new Map([
          ["k", "v"],
          ["l", "m=n"],
        ]),
        timeoutMs: 90_000,
      },
    },
  ])("$args are read as their options", ({ args, options }) => {
    expect(read([...files, ...args])).toEqual({ ...none, ...options });
  });

  test.each([
    { args: ["xr.yaml"], error: 'expected "<composite-resource> <composition> <functions>"' },
    { args: [...files, "more.yaml"], error: 'unexpected argument "more.yaml"' },
    { args: [...files, "--bogus"], error: "--bogus: unknown flag" },
    { args: [...files, "--context-values=a"], error: '--context-values: expected "<key>=<value>"; found "a"' },
  ])("$args is an error", ({ args, error }) => {
    expect(() => read(args)).toThrow(error);
  });
});
