import { type DocumentOptions, type ParseOptions, parseDocument, type ScalarTag, type SchemaOptions } from "yaml";
import type { JsonValue } from "../../model/json.ts";
import { resolvePlain } from "./resolve.ts";

/** All plain scalars, but for the merge key, mean what they mean to go-yaml. */
const plainScalar: ScalarTag = {
  tag: "!go-yaml/plain",
  default: true,
  test: /^(?!<<$)/,
  resolve: (text, onError) => {
    const resolved = resolvePlain(text);
    if (resolved.is === "null") return null;
    if (resolved.is === "number" && !Number.isFinite(resolved.value)) onError(`${text} is not a JSON value`);
    return "value" in resolved ? resolved.value : text;
  },
};

const options: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  schema: "failsafe",
  customTags: [plainScalar],
  merge: true,
  uniqueKeys: false,
};

/**
 * The first document of a YAML text, as Kubernetes' tools read it. Null where there is none.
 *
 * @throws {Error} where the text is no YAML; the message shows the place.
 */
export function parseYaml(text: string): JsonValue {
  const document = parseDocument(text, options);
  const [fault] = document.errors.filter(({ code }) => code !== "MULTIPLE_DOCS");
  if (fault) throw fault;
  return document.toJS();
}

/**
 * The documents of a YAML stream, as text. Like apimachinery's YAMLReader, a line that begins with `---` separates, and what
 * is empty between two of them is dropped.
 */
export const splitYamlStream = (text: string): readonly string[] =>
  text.split(/^---[^\n]*\n?/m).filter((part) => part !== "");
