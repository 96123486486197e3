import { isObserver, policiesOf } from "../../../crossplane/management-policies.ts";
import { conditionsOf, shownCondition } from "../../../model/condition.ts";
import type { Document } from "../../../model/document.ts";
import type { Resource } from "../../../model/resource.ts";
import { type Origin, originKey } from "../origin.ts";
import { isSecret, type ObservedCopy } from "./observed.ts";

/**
 * Tells whether the provider has read that an Object observes only. Crossplane has written the spec that we see, and the
 * provider may not have seen it. A status from right after a creation proves nothing: the runtime reads the Object anew then,
 * and stamps a generation that may be later than the one it acted on.
 */
export function isReleased(document: Document): boolean {
  const policies = policiesOf(document);
  const isCreating = shownCondition(document, "Ready")?.reason === "Creating";
  return policies !== undefined && isObserver(policies) && isSeen(document) && !isCreating;
}

/**
 * Tells whether the provider has seen the spec as it is: its Synced condition says which generation it is about, whether the
 * provider could do what that says or not. Providers from before crossplane-runtime v1.20 do not say so, and there the
 * condition alone has to do.
 */
function isSeen(document: Document): boolean {
  const synced = conditionsOf(document).find(({ type }) => type === "Synced");
  if (synced === undefined) return false;
  const { observedGeneration } = synced;
  const generation = document.at(["metadata", "generation"]);
  return typeof observedGeneration !== "number" || typeof generation !== "number" || observedGeneration >= generation;
}

/**
 * Finds the origins of which something may still be in a copy that is to be made from another one: all that are recorded, until
 * the provider has written what the Object says. A Secret that Crossplane writes holds nothing else as soon as it is written.
 */
export function findStale({ resource, origin, earlier }: ObservedCopy, now: Origin): readonly Origin[] {
  const { document } = resource;
  const isMoving = origin !== undefined && originKey(origin) !== originKey(now);
  const isWritten = isSecret(document) || (isReady(resource) && isSeen(document));
  const stale = [...(isMoving && !isSecret(document) ? [origin] : []), ...(isWritten ? [] : earlier)];
  const keys = new Set([originKey(now)]);
  return stale.filter((each) => !keys.has(originKey(each)) && keys.add(originKey(each)));
}

/** Tells whether the copy exists and is up to date. An Object that may not write stays Ready but is not Synced: both count. */
export function isReady(resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  if (isSecret(resource.document)) return true;
  return ["Ready", "Synced"].every((type) => shownCondition(resource.document, type)?.status === "True");
}

/** Tells whether the provider reports that the Secret which an Object is to publish into belongs to somebody else. */
export const isRefused = ({ document }: Resource): boolean =>
  shownCondition(document, "Synced")?.message.includes("refusing to modify uncontrolled secret") === true;
