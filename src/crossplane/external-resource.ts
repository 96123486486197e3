import { shownCondition } from "../model/condition.ts";
import type { Document } from "../model/document.ts";
import { readAnnotation } from "./metadata.ts";

/** The provider's last finding about the cloud resource. */
export type Observation = "unknown" | "absent" | "present";

/** The error of a managed resource that only observes: crossplane-runtime pkg/reconciler/managed, v1.15 to v2.4. */
const ABSENT = "external resource does not exist";

/** Reads the outcome from the condition Synced. A provider that could not look at all, or is paused, has found out nothing. */
export function readObservation(managed: Document): Observation {
  const synced = shownCondition(managed, "Synced");
  if (synced?.status === "True") return "present";
  return synced?.message.includes(ABSENT) === true ? "absent" : "unknown";
}

/**
 * Tells whether the provider has read that it is to do nothing, by a pause or by managementPolicies that are empty. Source:
 * crossplane-runtime apis/common, ReasonReconcilePaused.
 */
export const isPauseSeen = (managed: Document): boolean =>
  shownCondition(managed, "Synced")?.reason === "ReconcilePaused";

/**
 * When the provider created the cloud resource for this managed resource; undefined where it found one. The provider notes its
 * intent first, and the outcome afterwards, so an intent without a failure may be a cloud resource. Source: crossplane-runtime
 * pkg/meta, SetExternalCreatePending.
 */
export function readCreationTime(managed: Document): string | undefined {
  const at = (outcome: string): string | undefined =>
    readAnnotation(managed, `crossplane.io/external-create-${outcome}`);
  return at("succeeded") ?? (at("failed") === undefined ? at("pending") : undefined);
}
