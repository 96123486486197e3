import { parseArgs } from "node:util";
import { FunctionError } from "../errors.ts";

/** The command line of `render`, as `crossplane render` v2.2 has it. */
export interface Flags {
  readonly compositeResource: string;
  readonly composition: string;
  readonly functions: string;
  readonly contextFiles: ReadonlyMap<string, string>;
  readonly contextValues: ReadonlyMap<string, string>;
  readonly extraResources: string | undefined;
  readonly functionCredentials: string | undefined;
  readonly includeContext: boolean;
  readonly includeFullXr: boolean;
  readonly includeFunctionResults: boolean;
  readonly observedResources: string | undefined;
  readonly requiredResources: string | undefined;
  readonly requiredSchemas: string | undefined;
  readonly xrd: string | undefined;
}

const options = {
  "context-files": { type: "string", multiple: true },
  "context-values": { type: "string", multiple: true },
  "extra-resources": { type: "string" },
  "function-annotations": { type: "string", short: "a", multiple: true }, // how to reach a function: not needed here
  "function-credentials": { type: "string" },
  help: { type: "boolean", short: "h" },
  "include-context": { type: "boolean", short: "c" },
  "include-full-xr": { type: "boolean", short: "x" },
  "include-function-results": { type: "boolean", short: "r" },
  "observed-resources": { type: "string", short: "o" },
  "required-resources": { type: "string", short: "e" },
  "required-schemas": { type: "string", short: "s" },
  timeout: { type: "string" }, // nothing here waits
  verbose: { type: "boolean" },
  xrd: { type: "string" },
} as const;

/**
 * @returns The flags, or `"help"` where help is asked for.
 * @throws {FunctionError} `InvalidFlags`
 */
export function parseFlags(args: readonly string[]): Flags | "help" {
  const { values, positionals } = parse(args);
  if (values.help) return "help";
  const [compositeResource, composition, functions, ...rest] = positionals;
  if (compositeResource === undefined || composition === undefined || functions === undefined) {
    throw new FunctionError("InvalidFlags", 'expected "<composite-resource> <composition> <functions>"');
  }
  if (rest.length > 0) throw new FunctionError("InvalidFlags", `unexpected argument ${rest.join(" ")}`);

  return {
    compositeResource,
    composition,
    functions,
    contextFiles: toPairs("context-files", values["context-files"]),
    contextValues: toPairs("context-values", values["context-values"]),
    extraResources: values["extra-resources"],
    functionCredentials: values["function-credentials"],
    includeContext: values["include-context"] ?? false,
    includeFullXr: values["include-full-xr"] ?? false,
    includeFunctionResults: values["include-function-results"] ?? false,
    observedResources: values["observed-resources"],
    requiredResources: values["required-resources"],
    requiredSchemas: values["required-schemas"],
    xrd: values.xrd,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new FunctionError("InvalidFlags", message, { cause });
  }
}

/** Each flag holds one pair, as with `crossplane render`: values are YAML and may hold commas and `=`. */
function toPairs(flag: string, values: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    values.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) {
        throw new FunctionError("InvalidFlags", `--${flag}: expected "<key>=<value>" but got ${JSON.stringify(pair)}`);
      }
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
