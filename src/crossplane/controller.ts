import type { Document } from "../model/document.ts";
import { isObject, type JsonObject, toPlainText } from "../model/json.ts";

/** The owner of an object that is its controller: Kubernetes and Crossplane treat the object as its own. */
export interface Controller {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export function findController(resource: Document): Controller | undefined {
  const owners = resource.at(["metadata", "ownerReferences"]);
  if (!Array.isArray(owners)) return undefined;
  const owner = owners.filter(isObject).find(({ controller }) => controller === true);
  return owner && toController(owner);
}

const toController = (owner: JsonObject): Controller => ({
  apiVersion: toPlainText(owner["apiVersion"]),
  kind: toPlainText(owner["kind"]),
  name: toPlainText(owner["name"]),
  uid: toPlainText(owner["uid"]),
});
