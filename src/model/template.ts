import { attempt, FunctionError } from "../errors.ts";
import { type FieldPath, parseFieldPath } from "./field-path.ts";

/** A text with placeholders: each part is a literal, or is replaced by its value, percent-encoded for a URL if `isEncoded`. */
export type Template = readonly (string | Placeholder)[];

type Placeholder = ({ readonly key: string } | { readonly field: FieldPath }) & { readonly isEncoded: boolean };

export const NOT_A_TEMPLATE =
  "not a template: {key} is replaced by a value of the Secret and {xr:spec.field} by one of the XR, with |url before the } for a URL; " +
  "write {{ and }} for braces";

/** `{key}` and `{xr:field}`, either with `|url`; and the literal braces `{{` and `}}`. A colon cannot be part of a Secret's key. */
const part = /\{\{|\}\}|\{(?:xr:(?<field>[^{}|]+)|(?<key>[-._a-zA-Z0-9]+))(?<encoded>\|url)?\}|(?<text>[^{}]+)/y;

/** Parses a template; undefined where a brace is not closed, or has neither a key nor a field's path in it. */
export function parseTemplate(text: string): Template | undefined {
  const parts: Template[number][] = [];
  for (let position = 0; position < text.length; position = part.lastIndex) {
    part.lastIndex = position;
    const parsed = toPart(part.exec(text));
    if (parsed === undefined) return undefined;
    parts.push(parsed);
  }
  return parts;
}

function toPart(match: RegExpExecArray | null): Template[number] | undefined {
  if (match === null) return undefined;
  const { key, field: text, encoded } = match.groups ?? {};
  const isEncoded = encoded !== undefined;
  if (key !== undefined) return { key, isEncoded };
  if (text === undefined) return match[0].replace(/^([{}])\1$/, "$1");
  const field = attempt(() => parseFieldPath(text));
  return field instanceof FunctionError ? undefined : { field, isEncoded };
}
