import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { FunctionError } from "../src/errors.ts";
import { type Mapping, parseMapping } from "./lookup/mapping.ts";

/** @throws {FunctionError} `InvalidInput` */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw cannotRead(file, cause);
  }
}

export const cannotRead = (path: string, cause: unknown): FunctionError =>
  new FunctionError("InvalidInput", `cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });

export function readMappings(files: readonly string[] = []): readonly Mapping[] {
  const mappings = files.flatMap((file) => parseMapping(parseMappingFile(file), file));
  const names = mappings.map(({ apiGroup, kind }) => `${kind}.${apiGroup}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return mappings;
  throw new FunctionError("InvalidInput", `cannot use the mappings ${files.join(", ")}: more than one for ${twice}`);
}

function parseMappingFile(file: string): unknown {
  const text = readText(file);
  try {
    return parseYaml(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new FunctionError("InvalidInput", `cannot use the mapping ${file}: ${message}`, { cause });
  }
}
