import { compareTexts } from "../../src/model/compare.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { metadataMap, metadataString } from "./metadata.ts";
import type { ResourceSelector, Resources } from "./protocol.ts";

/**
 * Finds the resources of the files that match a selector, sorted by name. Like the CLI it ignores namespaces, and returns only
 * the first match of a name.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go FilteringFetcher.
 */
export function fetchResources(selector: ResourceSelector, resources: readonly JsonObject[]): Resources {
  const ofKind = resources
    .filter((object) => object["apiVersion"] === selector.apiVersion && object["kind"] === selector.kind)
    .sort((a, b) => compareTexts(readName(a), readName(b)));
  const { matchName, matchLabels } = selector;
  const matching =
    matchLabels === undefined
      ? ofKind.filter((object) => readName(object) === (matchName ?? "")).slice(0, 1)
      : ofKind.filter((object) => hasLabels(object, matchLabels.labels));
  return { items: matching.map((object) => ({ resource: object })) };
}

const readName = (object: JsonObject): string => metadataString(object, "name");

function hasLabels(object: JsonObject, wanted: Readonly<Record<string, string>>): boolean {
  const labels = metadataMap(object, "labels");
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
