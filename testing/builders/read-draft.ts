import { documentOf, toDocument } from "../../src/model/document.ts";
import type { Draft, ResourceEdit } from "../../src/model/draft.ts";
import { parseFieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";

// What tests read of a draft.

/** The reason and the message of the first condition. */
export const says = ({ conditions: [condition] }: Draft): string => `${condition?.reason}: ${condition?.message}`;

/** The reason of the first condition. */
export const reasonIn = ({ conditions: [condition] }: Draft): string | undefined => condition?.reason;

/** The messages of Fatal results. */
export const fatalsIn = ({ results }: Draft): readonly string[] =>
  results.flatMap(({ severity, message }) => (severity === "Fatal" ? [message] : []));

/** The object that an edit sets, decoded; undefined for another edit. */
export const objectSetBy = (edit: ResourceEdit | undefined): JsonObject | undefined =>
  edit?.is === "set" && edit.object !== undefined ? toDocument(edit.object).toObject() : undefined;

/** A requirement's name without the hash of its selector. */
export const toBaseName = (name: string): string => name.replace(/#[0-9a-f]{32}$/, "");

/** A draft's requirements, by their names without hashes. */
export const requirementsIn = ({ requirements }: Draft): ReadonlyMap<string, ResourceSelector> =>
  new Map([...requirements].map(([name, selector]) => [toBaseName(name), selector]));

export const at = (object: JsonObject, path: string): JsonValue | undefined =>
  documentOf(object).at(parseFieldPath(path));

export const desiredOf = ({ resources }: Draft, name = "bucket"): JsonObject => objectSetBy(resources.get(name)) ?? {};

export const policiesOf = (draft: Draft, name = "bucket") => at(desiredOf(draft, name), "spec.managementPolicies");

export const tagsIn = (draft: Draft, name = "bucket") => at(desiredOf(draft, name), "spec.forProvider.tags");

/** What the feature consumers writes into the status of the XR. */
export const statusOf = ({ composite }: Draft): JsonObject | undefined =>
  composite.at(-1)?.value as JsonObject | undefined;

/** The consumers that the status lists. */
export const listedIn = (draft: Draft): readonly JsonObject[] =>
  (statusOf(draft)?.["items"] ?? []) as readonly JsonObject[];

/** The resource called role, as Crossplane would observe it after the draft. */
export function roleIn({ resources }: Draft): JsonObject {
  const role = objectSetBy(resources.get("role"));
  if (role === undefined) throw new Error("the role is left out");
  return role;
}
