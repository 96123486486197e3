import { withoutReferences } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/adoption.ts";
import type { Condition, Result } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import { type ResourceEdit, withCondition, withResources, withResults } from "../../model/draft.ts";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call, Feature } from "../feature.ts";
import { eventsFor } from "../transition-events.ts";
import { type Case, findCases } from "./cases.ts";
import { type AdoptionRemark, remarkDuplicates, toAdoptionCondition, toAdoptionRemarks, toFatal } from "./condition.ts";
import { BLOCKING } from "./reasons.ts";

/**
 * Keeps every resource that the XR refers to, or composed before a restore, until the XR controls it. After a restore composed resources have no controller;
 * Crossplane then deletes those that are not desired although it never adopted them, or forgets them for ever (crossplane#5875).
 */
export const adoption: Feature = (call, draft) => {
  const policy = call.input.spec.adoption;
  if (policy === undefined) return draft;

  const cases = findCases(call, draft);
  const remarks = [...toAdoptionRemarks(cases, policy, call), ...remarkDuplicates(call)];
  const condition = toAdoptionCondition(remarks);
  const adopting = withResources(draft, putBackAll(cases, policy));
  return withResults(withCondition(adopting, condition), toAdoptionResults(cases, remarks, condition, call));
};

/** Desires resources again only for their owner reference; they count as ready. */
function putBackAll(cases: readonly Case[], { onUnadopted }: Adoption): readonly (readonly [string, ResourceEdit])[] {
  const isKept = ({ verdict }: Case): boolean =>
    verdict.is === "unsettled" || (verdict.is === "unadopted" && onUnadopted === "Adopt");
  return cases.flatMap((found) =>
    found.is === "observed" && isKept(found)
      ? [[found.name, { is: "set", object: putBack(found.resource), ready: "True" }] as const]
      : [],
  );
}

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
  return {
    ...object,
    metadata: { ...others, annotations: { ...Object.fromEntries(toEntries(annotations)), [ADOPTION]: "pending" } },
    ...(spec !== undefined && { spec: isObject(spec) ? withoutReferences(spec) : spec }),
  };
}

const toEntries = (object: JsonValue | undefined): [string, JsonValue][] =>
  Object.entries(isObject(object) ? object : {});

/** Makes events, or a Fatal result once all cases are known: it ends the reconcile, so it names all resources at once. */
function toAdoptionResults(
  cases: readonly Case[],
  remarks: readonly AdoptionRemark[],
  condition: Condition,
  call: Call,
): readonly Result[] {
  const { reason, status } = condition;
  const blocking = remarks.filter((remark) => BLOCKING.has(remark.reason));
  if (blocking.length > 0) {
    const isPending = cases.some(({ verdict }) => verdict.is === "pending");
    return isPending ? [] : [{ severity: "Fatal", message: toFatal(blocking), reason, target: "Composite" }];
  }
  const isFine = status === "True" && reason !== "Released" && reason !== "ControlledByAnother";
  return eventsFor(condition, isFine || reason === "Adopting" ? "Normal" : "Warning", call);
}
