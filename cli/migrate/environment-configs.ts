import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import {
  given,
  OF_EVERY_INPUT,
  Reader,
  readResolution,
  SELECTOR,
  type Translated,
  toReference,
  toSelect,
} from "./translate.ts";

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
      ...toSelection(reader, `spec.environmentConfigs[${index}]`, source),
      resolution: isSelector(source) ? "Fail" : resolution,
    }));
  const environment = spec["defaultData"] === undefined ? undefined : { defaultData: spec["defaultData"] };
  return { spec: given({ environment, sharedResources }), remarks: reader.remarks };
}

const isSelector = (source: JsonValue): boolean => isObject(source) && source["type"] === "Selector";

function toSelection(reader: Reader, path: string, value: JsonValue): JsonObject {
  const { type = "Reference", ...source } = reader.read(path, value, ["type", "ref", "selector", "toFieldPath"]);
  const select =
    type === "Selector"
      ? toOneOrMore(reader, `${path}.selector`, source["selector"])
      : toReference(reader, path, source["ref"]);
  return { select, toEnvironment: given({ fromFieldPath: "data", toFieldPath: source["toFieldPath"] || undefined }) };
}

function toOneOrMore(reader: Reader, path: string, value: JsonValue | undefined): JsonObject {
  const { mode = "Single", ...selector } = reader.read(path, value, ["mode", ...SELECTOR]);
  const select = toSelect(reader, path, selector);
  return mode === "Single" ? { matchLabels: select.matchLabels } : select;
}
