import { attempt, FunctionError } from "../errors.ts";
import { type FieldPath, parseFieldPath } from "./field-path.ts";
import { SECRET_KEY } from "./names.ts";

export type Template = readonly (string | Placeholder)[];

/** A part that is replaced by the value of a key of the source Secret, or of a field of the XR or of the shared resource. */
export type Placeholder = ({ readonly key: string } | { readonly of: "xr" | "shared"; readonly field: FieldPath }) & {
  readonly encoding?: "url" | "base64" | "json";
};

/** A text with fields of one resource, as a list of literals and field paths. */
export type FieldsText = readonly (string | FieldPath)[];

const KEYS_AND_FIELDS =
  "{key} is replaced by that value of the Secret, {xr:spec.field} by that field of the XR, and {shared:status.field} by that field of the " +
  "shared resource; |url, |base64 or |json before the } encodes the value; write {{ and }} for braces";

const FIELDS = "{metadata.name} is replaced by that field's value";

/** Matches `{name}`, `{xr:name}`, `{shared:name|url}`, the literal braces `{{` and `}}`, or a text without braces. */
const part = /\{\{|\}\}|\{(?:(?<of>xr|shared):)?(?<name>[^{}|]+)(?:\|(?<encoding>url|base64|json))?\}|(?<text>[^{}]+)/y;

/** Parses a template. @throws {FunctionError} `InvalidInput`, naming the part that is wrong. */
export const parseTemplate = (text: string): Template => parse(text, toPlaceholder, KEYS_AND_FIELDS);

/** Parses a text with fields, such as `{metadata.name}-sql`. @throws {FunctionError} `InvalidInput`, naming the part that is wrong. */
export const parseFieldsText = (text: string): FieldsText =>
  parse(text, ({ of, name, encoding }) => (of || encoding ? undefined : toPath(name)), FIELDS);

type Groups = Readonly<Partial<Record<"of" | "name" | "encoding" | "text", string>>>;

function parse<T>(text: string, convert: (groups: Groups) => T | undefined, meaning: string): readonly (string | T)[] {
  const parts: (string | T)[] = [];
  for (let position = 0; position < text.length; position = part.lastIndex) {
    part.lastIndex = position;
    const match = part.exec(text);
    const groups: Groups = match?.groups ?? {};
    // The literal braces `{{` and `}}` mean one brace.
    const parsed = groups.name === undefined ? match?.[0].replace(/^([{}])\1$/, "$1") : convert(groups);
    if (parsed === undefined) throw notATemplate(text, position, meaning);
    parts.push(parsed);
  }
  return parts;
}

/** Names the wrong part, or only its position if the part may contain a secret value. */
function notATemplate(text: string, position: number, meaning: string): FunctionError {
  const wrong = /^\{[-._:|/[\]a-zA-Z0-9]{0,60}\}/.exec(text.slice(position, position + 62))?.[0];
  const place = wrong ?? `the brace at character ${position + 1}`;
  return new FunctionError("InvalidInput", `not a template: ${place} is wrong; ${meaning}`);
}

function toPlaceholder({ of, name = "", encoding }: Groups): Placeholder | undefined {
  const encoded = encoding === undefined ? {} : { encoding: encoding as "url" | "base64" | "json" };
  if (of === undefined) return SECRET_KEY.test(name) ? { key: name, ...encoded } : undefined;
  const field = toPath(name);
  return field && { of: of as "xr" | "shared", field, ...encoded };
}

function toPath(text = ""): FieldPath | undefined {
  const path = attempt(() => parseFieldPath(text));
  return path instanceof FunctionError ? undefined : path;
}
