import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { FunctionError } from "../src/errors.ts";
import { type Mapping, parseMapping } from "./lookup/mapping.ts";

/** Runs an action on a file. @throws {FunctionError} `InvalidInput` that begins with `what`, and has the first line of the error. */
export function whileReading<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new FunctionError("InvalidInput", `${what}: ${reason}`, { cause });
  }
}

export const readText = (file: string): string => whileReading(`cannot read ${file}`, () => readFileSync(file, "utf8"));

export function readMappings(files: readonly string[] = []): readonly Mapping[] {
  const mappings = files.flatMap((file) => {
    const text = readText(file);
    const content: unknown = whileReading(`cannot use the mapping ${file}`, () => parseYaml(text));
    return parseMapping(content, file);
  });
  const names = mappings.map(({ apiGroup, kind }) => `${kind}.${apiGroup}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return mappings;
  throw new FunctionError("InvalidInput", `cannot use the mappings ${files.join(", ")}: more than one for ${twice}`);
}
