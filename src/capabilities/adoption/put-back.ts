import type { Document } from "../../model/document.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";

/** On a resource that is desired once more, until this XR controls it. */
const ADOPTION = `${DOMAIN}/adoption`;

/** What the API server fills in, and what Crossplane is to fill in: the owner. */
const POPULATED = new Set([
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "ownerReferences",
  "resourceVersion",
  "selfLink",
  "uid",
]);

/**
 * An observed resource, desired as it is. The whole of it: server-side apply removes what the XR once applied and does not
 * apply now, so a stub would strip its spec.
 */
export function putBack(observed: Document): JsonObject {
  const { status: _, metadata, ...object } = observed.toObject();
  const entries = Object.entries(isObject(metadata) ? metadata : {}).filter(([key]) => !POPULATED.has(key));
  const kept: JsonObject = Object.fromEntries(entries);
  const annotations = isObject(kept["annotations"]) ? kept["annotations"] : {};
  return { ...object, metadata: { ...kept, annotations: { ...annotations, [ADOPTION]: "pending" } } };
}
