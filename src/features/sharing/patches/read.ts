import type { Patch } from "../../../input/patch.ts";
import { type Document, TOO_DEEP } from "../../../model/document.ts";
import type { FieldPath } from "../../../model/field-path.ts";
import { type JsonValue, MAX_DEPTH } from "../../../model/json.ts";
import { sprintf } from "./print.ts";
import { refuseLong } from "./transform.ts";

/** A patch's value, and the field that it, or its first part, comes from. */
export type Read =
  | { readonly is: "set"; readonly value: JsonValue; readonly path: FieldPath }
  | { readonly is: "unset"; readonly path: FieldPath }
  | { readonly is: "failed"; readonly fault: string; readonly path: FieldPath };

export const NESTED_TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/** Reads the field, or what is made of several, each of which has to be set. */
export function readFields({ fromFieldPath, combine }: Patch, resource: Document): Read {
  const paths = combine?.variables.map((variable) => variable.fromFieldPath) ?? [fromFieldPath ?? []];
  const values: JsonValue[] = [];
  for (const path of paths) {
    const value = resource.at(path, TOO_DEEP);
    if (value === undefined) return { is: "unset", path };
    if (value === TOO_DEEP) return { is: "failed", fault: `it is ${NESTED_TOO_DEEP}`, path };
    values.push(value);
  }
  const [path = []] = paths;
  const [only = null] = values;
  if (combine === undefined) return { is: "set", value: only, path };
  const refusal = refuseLong(values);
  return refusal ? { ...refusal, path } : { is: "set", value: sprintf(combine.string.fmt, values), path };
}
