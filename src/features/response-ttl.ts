import type { Composite } from "../crossplane/composite.ts";
import { referenceKey } from "../crossplane/references.ts";
import { hashText } from "../model/hash.ts";
import type { Feature } from "./feature.ts";

/** The largest deviation from the TTL, as a fraction of it, so that XRs restored at the same time are reconciled at different times. */
const JITTER = 0.1;

/**
 * Sets a TTL, so that Crossplane reconciles the XR again even if a watch is lost (crossplane#5400). Sets none while a
 * requirement is pending: Crossplane v1.20 to v2.1 would replay the response as final. A Fatal result is retried anyway.
 */
export const responseTTL: Feature = ({ input, requirements: { isPending }, composite }, draft) => {
  const isFatal = draft.results.some(({ severity }) => severity === "Fatal");
  const { responseTTL: seconds } = input.spec;
  if (isPending || isFatal || seconds === 0) return draft;
  return { ...draft, ttlSeconds: Math.max(1, Math.round(seconds * spread(composite))) };
};

const spread = (composite: Composite): number =>
  1 + JITTER * ((Number.parseInt(hashText(referenceKey(composite), 8), 16) / 0xffff_ffff) * 2 - 1);
