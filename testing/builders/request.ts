import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Request, Resource, State } from "../../src/model/request.ts";
import type { LookupAnswer } from "../../src/model/requirement.ts";

export const resourceOf = (object: JsonObject, toDocument = documentOf): Resource => ({
  document: toDocument(object),
  ready: "Unspecified",
  hasConnectionDetails: false,
});

export const resourcesOf = (objects: Readonly<Record<string, JsonObject>>, toDocument = documentOf) =>
  new Map(Object.entries(objects).map(([name, object]) => [name, resourceOf(object, toDocument)]));

const NOTHING: State = { composite: resourceOf({}), resources: new Map() };

/** A request without resources; all its requirements are pending. Tests override the parts that they are about. */
export const emptyRequest: Request = {
  tag: "",
  capabilities: new Set(),
  observed: NOTHING,
  desired: NOTHING,
  input: documentOf({}),
  context: documentOf({}),
  required: (): LookupAnswer => ({ is: "pending" }),
  requiredSchema: () => ({ is: "pending" }),
};
