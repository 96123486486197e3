import type { Composite } from "../crossplane/composite.ts";
import { referenceKey } from "../crossplane/references.ts";
import { hashText } from "../model/hash.ts";
import type { Feature } from "./feature.ts";

/** The largest deviation, as a fraction of the TTL, so that XRs restored at the same time spread out. */
const JITTER = 0.1;

/**
 * Sets a TTL, so that every XR has a next reconcile: watches get lost (crossplane#5400). Sets none while a requirement is pending,
 * because Crossplane v1.20 to v2.1 would take the response for final and replay it until the TTL expires, and none beside a Fatal
 * result, which Crossplane retries anyway and must not replay.
 */
export const responseTTL: Feature = ({ input, requirements: { isPending }, composite }, draft) => {
  const isFatal = draft.results.some(({ severity }) => severity === "Fatal");
  const { responseTTL: seconds } = input.spec;
  if (isPending || isFatal || seconds === 0) return draft;
  return { ...draft, ttlSeconds: Math.max(1, Math.round(seconds * spread(composite))) };
};

/** Computes a factor from 0.9 to 1.1, constant for an XR. */
const spread = (composite: Composite): number =>
  1 + JITTER * ((Number.parseInt(hashText(referenceKey(composite), 8), 16) / 0xffff_ffff) * 2 - 1);
