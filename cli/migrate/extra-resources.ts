import { type JsonObject, type JsonValue, toPlainText } from "../../src/model/json.ts";
import {
  given,
  OF_EVERY_INPUT,
  Reader,
  readResolution,
  SELECTOR,
  type Translated,
  toDnsLabel,
  toReference,
  toSelect,
} from "./translate.ts";

/** The context key under which templates read function-extra-resources' results. */
const CONTEXT_KEY = "apiextensions.crossplane.io/extra-resources";

/** Translates an input of function-extra-resources. */
export function fromExtraResources(input: JsonObject): Translated {
  const reader = new Reader();
  const fields = reader.read("input", input, [...OF_EVERY_INPUT, "spec"]);
  const spec = reader.read("spec", fields["spec"], ["extraResources", "context", "policy"]);
  const context = reader.read("spec.context", spec["context"], ["key"]);
  const resolution = readResolution(reader, spec["policy"]);
  const taken = new Set<string>();
  const sharedResources = reader
    .readList("spec.extraResources", spec["extraResources"])
    .map((source, index) => toShared(reader, `spec.extraResources[${index}]`, source, { resolution, taken }));
  return { spec: { contextKey: context["key"] ?? CONTEXT_KEY, sharedResources }, remarks: reader.remarks };
}

interface Shared {
  readonly resolution: JsonValue | undefined;
  readonly taken: Set<string>;
}

const FIELDS = ["type", "ref", "selector", "kind", "apiVersion", "namespace", "into"];

function toShared(reader: Reader, path: string, source: JsonValue, { resolution, taken }: Shared): JsonObject {
  const { type = "Reference", ...fields } = reader.read(path, source, FIELDS);
  const into = toPlainText(fields["into"]);
  const name = toDnsLabel(into, taken);
  const namespace = fields["namespace"] === undefined ? undefined : { value: fields["namespace"] };
  const select =
    type === "Selector"
      ? toSelect(reader, `${path}.selector`, reader.read(`${path}.selector`, fields["selector"], SELECTOR))
      : toReference(reader, path, fields["ref"]);
  return given({
    name,
    into: into === name ? undefined : into,
    apiVersion: fields["apiVersion"],
    kind: fields["kind"],
    select: given({ ...select, namespace }),
    resolution: type === "Selector" ? "Fail" : resolution,
  });
}
