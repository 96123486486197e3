import { findCondition } from "../model/condition.ts";
import type { Document } from "../model/document.ts";

/** Reads the generation of a resource's spec, which the API server counts from 1, and after a restore anew; 0 if it has none. */
export function readGeneration(resource: Document): number {
  const generation = resource.at(["metadata", "generation"]);
  return typeof generation === "number" ? generation : 0;
}

/**
 * Reads the generation that Synced is about; undefined before crossplane-runtime v1.20, which does not report it. `isOfCreation`: it may
 * be too high, since after a creation the runtime reads the managed resource again, and reports the generation that it finds. Source:
 * pkg/reconciler/managed, UpdateCriticalAnnotations.
 */
export function readSyncedGeneration(managed: Document) {
  const [ready, synced] = [findCondition(managed, "Ready"), findCondition(managed, "Synced")];
  const generation = synced?.["observedGeneration"];
  if (typeof generation !== "number") return undefined;
  const isOfCreation = ready?.["reason"] === "Creating" && ready["observedGeneration"] === generation;
  return { generation, isOfCreation } as const;
}

/** Tells whether the provider has read the present spec. Without a reported generation any Synced condition suffices. */
export function hasReadSpec(managed: Document): boolean {
  const synced = readSyncedGeneration(managed);
  return synced === undefined
    ? findCondition(managed, "Synced") !== undefined
    : synced.generation >= readGeneration(managed);
}
