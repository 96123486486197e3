import type { Document } from "../../model/document.ts";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
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
 * apply now, so a stub would strip its spec. But not the references of a nested XR: those are Crossplane's, which may be
 * writing them in this very moment.
 */
export function putBack(observed: Document): JsonObject {
  const { status: _, metadata, spec, ...object } = observed.toObject();
  const kept = without(metadata, (key) => POPULATED.has(key));
  return {
    ...object,
    metadata: { ...kept, annotations: { ...without(kept["annotations"]), [ADOPTION]: "pending" } },
    ...(spec !== undefined && { spec: isObject(spec) ? withoutReferences(spec) : spec }),
  };
}

function withoutReferences(spec: JsonObject): JsonObject {
  const { resourceRefs: _, ...legacy } = spec;
  const { crossplane } = legacy;
  const isReference = (key: string): boolean => key === "resourceRefs";
  return isObject(crossplane) ? { ...legacy, crossplane: without(crossplane, isReference) } : legacy;
}

/** The object but for some of its fields; empty where it is none. */
const without = (object: JsonValue | undefined, isLeftOut: (key: string) => boolean = () => false): JsonObject =>
  Object.fromEntries(Object.entries(isObject(object) ? object : {}).filter(([key]) => !isLeftOut(key)));
