import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import { given, OF_EVERY_INPUT, Reader, readResolution, type Translated, toLabels } from "./translate.ts";

const NO_LIMIT = 100_000;

/** Translates an input of function-environment-configs. */
export function fromEnvironmentConfigs(input: JsonObject): Translated {
  const reader = new Reader();
  const fields = reader.read("input", input, [...OF_EVERY_INPUT, "spec"]);
  const spec = reader.read("spec", fields["spec"], ["environmentConfigs", "defaultData", "policy"]);
  const resolution = readResolution(reader, spec["policy"]);
  const sharedResources = reader
    .readList("spec.environmentConfigs", spec["environmentConfigs"])
    .map((source, index) => ({
      name: `environment-${index}`,
      apiVersion: "apiextensions.crossplane.io/v1beta1",
      kind: "EnvironmentConfig",
      ...toSource(reader, `spec.environmentConfigs[${index}]`, source),
      resolution: isSelector(source) ? "Fail" : resolution,
    }));
  const environment = spec["defaultData"] === undefined ? undefined : { defaultData: spec["defaultData"] };
  return { spec: given({ environment, sharedResources }), remarks: reader.remarks };
}

const isSelector = (source: JsonValue): boolean => isObject(source) && source["type"] === "Selector";

function toSource(reader: Reader, path: string, value: JsonValue): JsonObject {
  const { type = "Reference", ...source } = reader.read(path, value, ["type", "ref", "selector", "toFieldPath"]);
  const select =
    type === "Selector"
      ? toSelect(reader, `${path}.selector`, source["selector"])
      : { name: given({ value: reader.read(`${path}.ref`, source["ref"], ["name"])["name"] }) };
  return { select, toEnvironment: given({ fromFieldPath: "data", toFieldPath: source["toFieldPath"] || undefined }) };
}

function toSelect(reader: Reader, path: string, value: JsonValue | undefined): JsonObject {
  const known = ["mode", "minMatch", "maxMatch", "sortByFieldPath", "matchLabels"];
  const { mode = "Single", ...selector } = reader.read(path, value, known);
  const matchLabels = toLabels(reader, `${path}.matchLabels`, selector["matchLabels"]) as JsonValue;
  if (mode === "Single") return { matchLabels };
  return {
    matchLabels,
    minMatch: selector["minMatch"] ?? 0,
    maxMatch: selector["maxMatch"] ?? NO_LIMIT,
    sortByFieldPath: selector["sortByFieldPath"] ?? "metadata.name",
  };
}
