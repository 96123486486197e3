import type { Composite } from "../crossplane/composite.ts";
import { withTtl } from "../model/draft.ts";
import { hashText } from "../model/hash.ts";
import type { Feature } from "./feature.ts";

/** The largest deviation, as a part of the TTL, so that XRs that were restored together are not called together for ever. */
const JITTER = 0.1;

/**
 * Sets a TTL, so that there is always a next reconcile: watches get lost (crossplane#5400). While a requirement is pending
 * there is none, because Crossplane v1.20 to v2.1 would take the response for final and replay it until the TTL ends. Nor is
 * there one beside a Fatal result, which Crossplane retries by itself and must not replay.
 */
export const responseTTL: Feature = ({ input, requirements: { isPending }, composite }, draft) => {
  const isFatal = draft.results.some(({ severity }) => severity === "Fatal");
  const { responseTTL: seconds } = input.spec;
  return isPending || isFatal || seconds === 0
    ? draft
    : withTtl(draft, Math.max(1, Math.round(seconds * spread(composite))));
};

/** From 0.9 to 1.1, always the same for the same XR. */
function spread({ apiVersion, kind, namespace = "", name }: Composite): number {
  const hash = hashText([apiVersion, kind, namespace, name].join("/"), 8);
  return 1 + JITTER * ((Number.parseInt(hash, 16) / 0xffff_ffff) * 2 - 1);
}
