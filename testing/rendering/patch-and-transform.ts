import { emptyDraft, type ResourceEdit } from "../../src/model/draft.ts";
import { isObject } from "../../src/model/json.ts";
import type { Outcome } from "../../src/run-function.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";

/** Composes the bases of its input: another function, for what `render` does with other functions. */
export function composeBases(message: Uint8Array): Outcome {
  const request = readRequest(message);
  const listed = request.input.at(["resources"]);
  const resources = new Map<string, ResourceEdit>();
  for (const item of Array.isArray(listed) ? listed.filter(isObject) : []) {
    const { name, base } = item;
    if (typeof name === "string" && isObject(base)) resources.set(name, { is: "set", object: base });
  }
  return {
    response: writeResponse(request, { ...emptyDraft, resources }),
    conditions: [],
    results: [],
    audit: [],
    shares: [],
  };
}
