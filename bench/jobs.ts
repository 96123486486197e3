/**
 * The jobs that every implementation does in the way of its own library (implementations/, tools/bench-go/jobs). Their responses
 * are compared before anything is timed.
 */
export const jobs = [
  /** Returns the desired resources of the steps before. */
  "echo",
  /** Reads the XR and three observed resources, edits one desired resource and adds another. */
  "touch few",
  /** Looks up `status.atProvider.id` in every observed resource; the ids go into the context. */
  "look up",
  /** Reads every observed and every desired resource whole, and writes every desired one anew. */
  "everything",
  /** Sets a tag of the XR's in every desired resource, as function-tag-manager does. */
  "tag all",
  /** Puts the required resources into the context, as function-extra-resources does. */
  "select",
] as const;

export type Job = (typeof jobs)[number];

/** A job: takes an encoded RunFunctionRequest and returns an encoded RunFunctionResponse. */
export type Run = (request: Buffer) => Uint8Array;

/** The observed resources that "touch few" reads; it edits the desired resource of the first name. */
export const READ = ["resource-000", "resource-001", "resource-002"] as const;
export const IDS = "example.org/ids";
export const SHARED = "example.org/shared";
export const GENERATION = "example.org/generation";
export const COST_CENTER = "cost-center";

/** The object that "touch few" adds. */
export const addedObject = (xr: string, ids: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: `${xr}-added` },
  data: { ids },
});
