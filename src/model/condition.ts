/** Who is shown a condition or an event. */
export type Target = "Composite" | "CompositeAndClaim";

/** A condition of the XR (and its claim). Crossplane makes one that is not returned Unknown, so it is on every response. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** PascalCase, from a closed set: it is also a label of our metrics. */
  readonly reason: string;
  readonly message?: string | undefined;
  readonly target: Target;
}

/** An event of the XR (and its claim), or, when Fatal, the end of this reconcile: nothing is applied or deleted. */
export interface Result {
  readonly severity: "Fatal" | "Warning" | "Normal";
  readonly message: string;
  readonly reason?: string | undefined;
  readonly target: Target;
}
