import { REFERENCES_MANAGER, readManagedFields } from "../../crossplane/field-managers.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonObject, toPlainText } from "../../model/json.ts";

/**
 * Tells whether the XR's references come from a backup: whoever restored them wrote them, and Crossplane has not written them
 * again since. Then a resource that is not there may still be on its way. Crossplane writes them in each reconcile that
 * comes to its end, so this is over with the first one.
 *
 * Two signs have to agree, because either may be missing from an XR that was never restored: managed fields where an older
 * Crossplane composed without functions, `Synced` where Crossplane was stopped in its first reconcile. `Synced` is True only
 * after a reconcile that came to its end, and False while we, or a provider that is missing, stop the XR.
 */
export function isRestored(document: Document): boolean {
  const created = Date.parse(stringAt(document, ["metadata", "creationTimestamp"]) ?? "");
  const isSince = (time: unknown): boolean => !(Date.parse(toPlainText(time)) < created);
  const isWritten = ({ manager, subresource, time }: JsonObject): boolean =>
    manager === REFERENCES_MANAGER && !subresource && isSince(time);
  const isSynced = ({ type, status, lastTransitionTime }: JsonObject): boolean =>
    type === "Synced" && status === "True" && isSince(lastTransitionTime);
  return (
    !readManagedFields(document).some(isWritten) && !objectsIn(document.at(["status", "conditions"])).some(isSynced)
  );
}

const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
