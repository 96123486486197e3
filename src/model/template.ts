/** A text with placeholders: each part is a literal, or a key to be replaced by its value. */
export type Template = readonly (string | Placeholder)[];

interface Placeholder {
  readonly key: string;
  /** True if the value is percent-encoded, for a URL. */
  readonly isEncoded: boolean;
}

/** `{key}`, `{key|url}`, and the literal braces `{{` and `}}`. */
const part = /\{\{|\}\}|\{(?<key>[-._a-zA-Z0-9]+)(?<encoded>\|url)?\}|(?<text>[^{}]+)/y;

/** Parses a template; undefined where a brace is not closed or has no key. */
export function parseTemplate(text: string): Template | undefined {
  const parts: (string | Placeholder)[] = [];
  for (let position = 0; position < text.length; position = part.lastIndex) {
    part.lastIndex = position;
    const match = part.exec(text);
    if (match === null) return undefined;
    const { key, encoded } = match.groups ?? {};
    parts.push(key === undefined ? match[0].replace(/^([{}])\1$/, "$1") : { key, isEncoded: encoded !== undefined });
  }
  return parts;
}
