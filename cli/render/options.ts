import type { CommandLine } from "../command-line.ts";
import { toMilliseconds, toPair } from "../values.ts";
import type { renderCommand } from "./command.ts";

/** The command line of `render`, as `crossplane render` v2.2 has it. */
export interface RenderOptions {
  readonly compositeResource: string;
  readonly composition: string;
  readonly functions: string;
  readonly contextFiles: ReadonlyMap<string, string>;
  readonly contextValues: ReadonlyMap<string, string>;
  readonly extraResources: string | undefined;
  readonly functionAnnotations: ReadonlyMap<string, string>;
  readonly functionCredentials: string | undefined;
  readonly includeContext: boolean;
  readonly includeFullXr: boolean;
  readonly includeFunctionResults: boolean;
  readonly observedResources: string | undefined;
  readonly requiredResources: string | undefined;
  readonly requiredSchemas: string | undefined;
  /** Until functions that are called have to answer. */
  readonly timeoutMs: number;
  readonly xrd: string | undefined;
}

const PAIR = 'expected "<key>=<value>"';

/** @throws {FunctionError} `InvalidFlags` */
export function readOptions(line: CommandLine<(typeof renderCommand)["flags"][number]["name"]>): RenderOptions {
  const [compositeResource = "", composition = "", functions = ""] = line.arguments;
  if (line.arguments.length < 3) line.addFault('expected "<composite-resource> <composition> <functions>"');
  line.expectNoMoreArguments(3);
  const { contextFiles, contextValues, functionAnnotations, ...options } = line.finish({
    compositeResource,
    composition,
    functions,
    contextFiles: line.values("context-files", toPair, PAIR),
    contextValues: line.values("context-values", toPair, PAIR),
    extraResources: line.optionalText("extra-resources"),
    functionAnnotations: line.values("function-annotations", toPair, PAIR),
    functionCredentials: line.optionalText("function-credentials"),
    includeContext: line.isOn("include-context"),
    includeFullXr: line.isOn("include-full-xr"),
    includeFunctionResults: line.isOn("include-function-results"),
    observedResources: line.optionalText("observed-resources"),
    requiredResources: line.optionalText("required-resources"),
    requiredSchemas: line.optionalText("required-schemas"),
    timeoutMs: line.value("timeout", toMilliseconds, "a duration such as 30s, 1m or 1m30s"),
    xrd: line.optionalText("xrd"),
  });
  return {
    ...options,
    contextFiles: new Map(contextFiles),
    contextValues: new Map(contextValues),
    functionAnnotations: new Map(functionAnnotations),
  };
}
