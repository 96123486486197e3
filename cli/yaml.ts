import { parseDocument, stringify, type Tags } from "yaml";
import type { JsonValue } from "../src/model/json.ts";

/**
 * The tags of YAML 1.1 that go-yaml, and so Kubernetes' tools, know: `on` is a boolean, `017` is a number, but `1:30` and timestamps
 * are strings. Unlike in go-yaml, `0o17` is a string.
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

/**
 * Splits a YAML stream into documents. As in apimachinery's YAMLReader, each line that begins with `---` separates two, and
 * empty ones are dropped.
 */
export const splitYamlStream = (text: string): readonly string[] =>
  text.split(/^---[^\n]*\n?/m).filter((part) => part !== "");

/** Writes documents as a stream that Kubernetes' tools can read: keys are sorted, `on` and `1:30` quoted. */
export const toYamlStream = (documents: readonly JsonValue[]): string =>
  documents.map((document) => `---\n${stringify(document, STREAM)}`).join("");

const STREAM = { version: "1.1", sortMapEntries: true, indentSeq: false, lineWidth: 0 } as const;
