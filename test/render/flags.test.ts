import { describe, expect, test } from "vitest";
import { type Flags, parseFlags } from "../../src/render/flags.ts";

const files = ["xr.yaml", "composition.yaml", "functions.yaml"];

const none: Flags = {
  compositeResource: "xr.yaml",
  composition: "composition.yaml",
  functions: "functions.yaml",
  contextFiles: new Map(),
  contextValues: new Map(),
  extraResources: undefined,
  functionCredentials: undefined,
  includeContext: false,
  includeFullXr: false,
  includeFunctionResults: false,
  observedResources: undefined,
  requiredResources: undefined,
  requiredSchemas: undefined,
  xrd: undefined,
};

describe("the flags are those of crossplane render", () => {
  test.each<{ args: readonly string[]; flags: Partial<Flags> }>([
    { args: [], flags: {} },
    { args: ["-r", "-x", "-c"], flags: { includeFunctionResults: true, includeFullXr: true, includeContext: true } },
    { args: ["--include-function-results"], flags: { includeFunctionResults: true } },
    {
      args: ["-o", "o.yaml", "-e", "e.yaml", "-s", "s"],
      flags: { observedResources: "o.yaml", requiredResources: "e.yaml", requiredSchemas: "s" },
    },
    {
      args: ["--extra-resources=e.yaml", "--function-credentials", "c.yaml"],
      flags: { extraResources: "e.yaml", functionCredentials: "c.yaml" },
    },
    {
      args: ["--context-values=a=b=c,d", "--context-values", "e={}"],
      flags: {
        contextValues: new Map([
          ["a", "b=c,d"],
          ["e", "{}"],
        ]),
      },
    },
    { args: ["--context-files=a=f.json"], flags: { contextFiles: new Map([["a", "f.json"]]) } },
    { args: ["--xrd=xrd.yaml"], flags: { xrd: "xrd.yaml" } },
    { args: ["-a", "k=v", "--timeout=1m", "--verbose"], flags: {} },
  ])("$args", ({ args, flags }) => {
    expect(parseFlags([...files, ...args])).toEqual({ ...none, ...flags });
  });

  test.each(["-h", "--help"])("%s asks for help, whatever else is missing", (flag) => {
    expect(parseFlags([flag])).toBe("help");
  });

  test.each([
    { args: ["xr.yaml"], error: 'expected "<composite-resource> <composition> <functions>"' },
    { args: [...files, "more.yaml"], error: "unexpected argument more.yaml" },
    { args: [...files, "--bogus"], error: "Unknown option '--bogus'" },
    { args: [...files, "--context-values=a"], error: '--context-values: expected "<key>=<value>" but got "a"' },
  ])("$args is an error", ({ args, error }) => {
    expect(() => parseFlags(args)).toThrow(error);
  });
});
