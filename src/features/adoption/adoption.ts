import { readAnnotation } from "../../crossplane/metadata.ts";
import { withoutReferences } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/adoption.ts";
import type { Document } from "../../model/document.ts";
import { type ResourceEdit, withResources } from "../../model/draft.ts";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import { RESTORED } from "../../ownership/annotations.ts";
import { readPoliciesBefore } from "../../ownership/restored.ts";
import type { Feature } from "../feature.ts";
import { type Case, findCases } from "./cases.ts";
import { remarkDuplicates, toAdoptionRemarks, withAdoptionCondition } from "./condition.ts";
import { findHeld, observeFirst, remarkHeld } from "./observe-first.ts";

/**
 * Keeps every resource that the XR refers to, or composed before a restore, until the XR controls it. Without a controller, as after a
 * restore, Crossplane deletes a resource that is not desired before it has adopted it, or forgets it for ever (crossplane#5875).
 */
export const adoption: Feature = (call, draft) => {
  const policy = call.input.spec.adoption;
  if (policy === undefined) return draft;

  const held = findHeld(call, draft);
  const cases = findCases(call, draft);
  const unmarked = cases.filter((found) => !isMarked(found));
  const remarks = [...toAdoptionRemarks(unmarked, policy, call), ...remarkDuplicates(call), ...remarkHeld(held, call)];
  const adopting = observeFirst(call, withResources(draft, putBackAll(cases, policy)), held);
  return withAdoptionCondition(adopting, cases, remarks, call);
};

/** Desires resources again only for their owner reference; they count as ready. */
function putBackAll(cases: readonly Case[], { onUnadopted }: Adoption): readonly (readonly [string, ResourceEdit])[] {
  const isKept = (found: Case): boolean =>
    ["unsettled", ...(onUnadopted === "Adopt" ? ["unadopted"] : [])].includes(found.verdict.is) || isMarked(found);
  return cases.flatMap((found) =>
    found.is === "observed" && isKept(found)
      ? [[found.name, { is: "set", object: putBack(found.resource), ready: "True" }] as const]
      : [],
  );
}

/** Tells whether the XR controls a resource that only observes since a restore: deleted now, it would leave its cloud resource behind. */
const isMarked = (found: Case): boolean =>
  found.is === "observed" && found.verdict.is === "ours" && readAnnotation(found.resource, RESTORED) !== undefined;

/** The annotation of a resource that is desired again until this XR controls it. */
const ADOPTION = `${DOMAIN}/adoption`;

/** Metadata that the API server fills in, and the owner references, which Crossplane sets. */
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
 * Desires an observed resource unchanged, with its whole spec: server-side apply removes fields that the XR once applied and no
 * longer applies. Leaves out the references of a nested XR, which Crossplane may write at the same time.
 */
function putBack(observed: Document): JsonObject {
  const { status: _, metadata, spec, ...object } = observed.toObject();
  const kept = toEntries(metadata).filter(([key]) => !POPULATED.has(key));
  const { annotations, ...others } = Object.fromEntries(kept);
  const unmarked = toEntries(annotations).filter(([key]) => key !== RESTORED);
  const policies = readAnnotation(observed, RESTORED) && { managementPolicies: [...readPoliciesBefore(observed)] };
  return {
    ...object,
    metadata: { ...others, annotations: { ...Object.fromEntries(unmarked), [ADOPTION]: "pending" } },
    ...(spec !== undefined && { spec: isObject(spec) ? { ...withoutReferences(spec), ...policies } : spec }),
  };
}

const toEntries = (object: JsonValue | undefined): [string, JsonValue][] =>
  Object.entries(isObject(object) ? object : {});
