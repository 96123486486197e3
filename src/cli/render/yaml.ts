import { parseDocument, stringify, type Tags } from "yaml";
import type { JsonValue } from "../../model/json.ts";

/**
 * Of YAML 1.1, what Kubernetes' tools (go-yaml) know: `on` is a boolean and `0o17` or `017` a number, but `1:30` and a
 * timestamp are strings.
 */
const customTags = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === "string" || !(tag.format === "TIME" || notJson.has(tag.tag)));

const notJson = new Set(["timestamp", "binary", "omap", "pairs", "set"].map((name) => `tag:yaml.org,2002:${name}`));

/**
 * The first document of a YAML text, as Kubernetes' tools read it. Null where there is none.
 *
 * @throws {Error} where the text is no YAML; the message shows the place.
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
 * The documents of a YAML stream, as text. Like apimachinery's YAMLReader, a line that begins with `---` separates, and
 * empty documents are dropped.
 */
export const splitYamlStream = (text: string): readonly string[] =>
  text.split(/^---[^\n]*\n?/m).filter((part) => part !== "");

/** The documents as a stream, as Kubernetes' tools can read it: keys are sorted, `on` and `1:30` are in quotes. */
export const toYamlStream = (documents: readonly JsonValue[]): string =>
  documents
    .map(
      (document) =>
        `---\n${stringify(document, { version: "1.1", sortMapEntries: true, indentSeq: false, lineWidth: 0 })}`,
    )
    .join("");
