import { findCondition } from "../model/condition.ts";
import type { Document } from "../model/document.ts";

/** Reads the generation of a resource's spec; 0 if it has none. The API server starts at 1, also after a restore. */
export function readGeneration(resource: Document): number {
  const generation = resource.at(["metadata", "generation"]);
  return typeof generation === "number" ? generation : 0;
}

/**
 * Reads the observed generation of the condition Synced; undefined from a crossplane-runtime before v1.20.
 * `isOfCreation`: the condition was set after a creation. The runtime reads the managed resource again before it sets the
 * condition, so the provider may have created from an older spec than that of this generation. Source:
 * pkg/reconciler/managed, UpdateCriticalAnnotations.
 */
export function readSyncedGeneration(managed: Document) {
  const [ready, synced] = [findCondition(managed, "Ready"), findCondition(managed, "Synced")];
  const generation = synced?.["observedGeneration"];
  if (typeof generation !== "number") return undefined;
  const isOfCreation = ready?.["reason"] === "Creating" && ready["observedGeneration"] === generation;
  return { generation, isOfCreation } as const;
}

/** Tells whether the provider has read the present spec. If the condition Synced has no generation, its existence suffices. */
export function hasReadSpec(managed: Document): boolean {
  const synced = readSyncedGeneration(managed);
  return synced === undefined
    ? findCondition(managed, "Synced") !== undefined
    : synced.generation >= readGeneration(managed);
}
