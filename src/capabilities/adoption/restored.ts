import type { Composite } from "../../model/composite.ts";
import { shownCondition } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
import { isObject, type JsonObject } from "../../model/json.ts";

/** The field manager by which Crossplane writes an XR's references. */
const REFERENCES_MANAGER = "apiextensions.crossplane.io/composite";

/**
 * Whether the XR's references come from a backup: whoever restored them wrote them, and Crossplane has not written them
 * again since. Then a resource that is not there may still be on its way. Crossplane writes them in each reconcile that
 * comes to its end, so this is over with the first one.
 *
 * Two signs have to agree, because either may be missing from an XR that was never restored: managed fields where an older
 * Crossplane composed without functions, `Synced` where Crossplane was stopped in its first reconcile. `Synced` is the one
 * condition that Crossplane sets at the end of every reconcile and never before. While we wait it is new, and says nothing.
 */
export function isRestored({ document }: Composite, isWaiting: boolean): boolean {
  const created = Date.parse(stringAt(document, ["metadata", "creationTimestamp"]) ?? "");
  const isSince = (time: unknown): boolean => !(Date.parse(String(time)) < created);
  const entries = objectsIn(document.at(["metadata", "managedFields"]));
  if (entries.some((entry) => isOfReferences(entry) && isSince(entry["time"]))) return false;
  if (isWaiting || shownCondition(document, "Synced") === undefined) return true;
  const synced = objectsIn(document.at(["status", "conditions"])).find(({ type }) => type === "Synced");
  return synced !== undefined && !isSince(synced["lastTransitionTime"]);
}

/** Not the entry of the same manager for the XR's status. */
const isOfReferences = ({ manager, subresource }: JsonObject): boolean =>
  manager === REFERENCES_MANAGER && (subresource === undefined || subresource === "");

const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
