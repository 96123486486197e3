import { Document, parseDocument, type Tags, visit } from "yaml";
import type { JsonValue } from "../src/model/json.ts";

/**
 * YAML 1.1's tags as go-yaml, and so Kubernetes' tools, know them: `on` is a boolean and `017` a number, `1:30` and
 * timestamps are strings. Unlike in go-yaml, `0o17` is a string.
 */
const customTags = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === "string" || !(tag.format === "TIME" || notJson.has(tag.tag)));

const notJson = new Set(["timestamp", "binary", "omap", "pairs", "set"].map((name) => `tag:yaml.org,2002:${name}`));

/**
 * Parses the first document of a YAML text, as Kubernetes' tools do; null if there is none.
 *
 * @throws {Error} where the text is not YAML; the message shows the place.
 */
export function parseYaml(text: string): JsonValue {
  const document = parseDocument(text, { version: "1.1", customTags, uniqueKeys: false });
  const [fault] = document.errors.filter(({ code }) => code !== "MULTIPLE_DOCS");
  if (fault) throw fault;
  return document.toJS({
    reviver: (_, value: unknown) => {
      if (typeof value !== "number" || Number.isFinite(value)) return value;
      throw new Error(`${value} is not a JSON value`);
    },
  });
}

/** Splits a YAML stream, as apimachinery's YAMLReader does: each line that begins with `---` separates documents; empty ones are dropped. */
export const splitYamlStream = (text: string): readonly string[] =>
  text.split(/^---[^\n]*\n?/m).filter((part) => part !== "");

/**
 * Writes documents as a stream for Kubernetes' tools: keys are sorted, `on` and `1:30` quoted. YAML 1.1 and go-yaml
 * also break lines at NEL, LS and PS, and refuse characters that do not print. A tenant's text with such a
 * character could become other fields or documents: the text is quoted, and the character escaped.
 */
export const toYamlStream = (documents: readonly JsonValue[]): string =>
  documents.map((document) => `---\n${toYaml(document)}`).join("");

function toYaml(value: JsonValue): string {
  const document = new Document(value, STREAM);
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== "string") return;
      node.value = node.value.replace(/\p{Cs}/gu, "\ufffd");
      if (UNSAFE.test(String(node.value))) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString(STREAM).replace(UNPRINTABLE, toEscape);
}

const STREAM = {
  version: "1.1",
  sortMapEntries: true,
  aliasDuplicateObjects: false,
  indentSeq: false,
  lineWidth: 0,
  // No line break of a text becomes one of the stream.
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

/** Control and format characters, line and paragraph separators, and noncharacters. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFE\uFFFF]/u;

function toEscape(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}
