import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { FunctionError, toMessage } from "../src/errors.ts";
import { type Mapping, parseMapping } from "./lookup/mapping.ts";

export const invalidInput = (message: string, options?: ErrorOptions): FunctionError =>
  new FunctionError("InvalidInput", message, options);

/** Runs an action, synchronous or not. @throws {FunctionError} `InvalidInput` that begins with `what`, and ends with the error's message. */
export function whileDoing<T>(what: string, action: () => T): T {
  const fail = (cause: unknown): never => {
    throw invalidInput(`${what}: ${toMessage(cause).trimEnd()}`, { cause });
  };
  try {
    const result = action();
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (cause) {
    return fail(cause);
  }
}

export const readText = (file: string): string => whileDoing(`cannot read ${file}`, () => readFileSync(file, "utf8"));

export function readMappings(files: readonly string[] = []): readonly Mapping[] {
  const mappings = files.flatMap((file) => {
    const text = readText(file);
    const content: unknown = whileDoing(`cannot use the mapping ${file}`, () => parseYaml(text));
    return parseMapping(content, file);
  });
  const names = mappings.map(({ apiGroup, kind }) => `${kind}.${apiGroup}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return mappings;
  throw invalidInput(`cannot use the mappings ${files.join(", ")}: more than one for ${twice}`);
}
