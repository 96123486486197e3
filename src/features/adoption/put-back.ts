import { withoutReferences } from "../../crossplane/references.ts";
import type { Document } from "../../model/document.ts";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";

/** The annotation of a resource that is desired again until this XR controls it. */
const ADOPTION = `${DOMAIN}/adoption`;

/** Fields that the API server fills in, and the owner references, which Crossplane sets. */
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
 * Desires an observed resource as it is, with its whole spec: server-side apply removes what the XR once applied and does not
 * apply now, so a stub would strip it. The references of a nested XR are left out: Crossplane writes those, perhaps at the
 * same time.
 */
export function putBack(observed: Document): JsonObject {
  const { status: _, metadata, spec, ...object } = observed.toObject();
  const kept = toEntries(metadata).filter(([key]) => !POPULATED.has(key));
  const { annotations, ...others } = Object.fromEntries(kept);
  return {
    ...object,
    metadata: { ...others, annotations: { ...Object.fromEntries(toEntries(annotations)), [ADOPTION]: "pending" } },
    ...(spec !== undefined && { spec: isObject(spec) ? withoutReferences(spec) : spec }),
  };
}

const toEntries = (object: JsonValue | undefined): [string, JsonValue][] =>
  Object.entries(isObject(object) ? object : {});
