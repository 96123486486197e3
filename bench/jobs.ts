/**
 * The jobs that every implementation does in the way of its own library (bench/implementations, tools/bench-go). Their responses
 * are compared before anything is timed.
 */
export const jobs = [
  /** Returns the desired resources of the steps before. */
  "echo",
  /** Reads the XR and three observed resources, edits one desired resource and adds another. */
  "touch few",
  /** Reads every observed and every desired resource whole, and writes every desired one anew. */
  "everything",
] as const;

export type Job = (typeof jobs)[number];

/** A job: takes an encoded RunFunctionRequest and returns an encoded RunFunctionResponse. */
export type Run = (request: Buffer) => Uint8Array;

/** The observed resources that "touch few" reads; it edits the desired resource of the first name. */
export const READ = ["resource-000", "resource-001", "resource-002"] as const;
export const IDS = "example.org/ids";
export const GENERATION = "example.org/generation";

/** The object that "touch few" adds. */
export const addedObject = (xr: string, ids: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: `${xr}-added` },
  data: { ids },
});
