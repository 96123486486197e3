import type { Composite } from "../crossplane/composite.ts";
import { annotate, readObservation, toManagedKind } from "../crossplane/managed-resource.ts";
import {
  ALL_ACTIONS,
  isObserver,
  OBSERVE,
  OBSERVE_ANEW,
  type Policies,
  readPolicies,
} from "../crossplane/management-policies.ts";
import { readAnnotation } from "../crossplane/metadata.ts";
import { readGeneration, readSyncedGeneration } from "../crossplane/observed-generation.ts";
import { findCondition } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { isList, isObject, type JsonValue, ownValue, toPlainText } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { toWord } from "../model/shell.ts";
import { RESTORED } from "../ownership/annotations.ts";

/** The annotation of an XR by which a person releases what was restored: `UID/NAME,NAME`, or `UID/*` for all. */
export const RELEASE = `${DOMAIN}/release-restored`;

const HELD = "held=";

/** Formats the mark: the first one says which policies there were. */
export const formatRestored = (managed: Document): string => {
  const mark = readAnnotation(managed, RESTORED) ?? readPolicies(managed)?.join(",") ?? "?";
  return mark.startsWith(HELD) ? mark : `${HELD}${mark}`;
};

/** Formats the mark with which a resource is released: none, or ours in place of Velero's, which Crossplane may remove only afterwards. */
export const formatReleased = (managed: Document): string | undefined => {
  const mark = readAnnotation(managed, RESTORED);
  return mark === undefined || mark.startsWith(HELD) ? undefined : formatRestored(managed);
};

/** Reads the policies from before the restore; what is not known does not write. */
export function readPoliciesBefore(managed: Document): Policies {
  const had = formatRestored(managed).slice(HELD.length);
  return had === "?" ? OBSERVE : had.split(",");
}

/** Reads the names that a person has released; the UID ties them to this restore, as the XR's next one has another. */
export function readReleased(composite: Document): (name: string) => boolean {
  const [uid, names = ""] = (readAnnotation(composite, RELEASE) ?? "").split(/\/(.*)/s);
  if (uid === "" || uid !== stringAt(composite, ["metadata", "uid"])) return () => false;
  const released = new Set(names.split(","));
  return (name) => released.has("*") || released.has(toReleased(name));
}

/** Writes a name for the list: a claim's texts may be part of it, and a comma or an asterisk would release others. */
const toReleased = (name: string): string =>
  name.replace(/[^-\w.:@/]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );

/** Writes the command by which a person releases names of an XR; without names, with a placeholder for these. */
export function releaseCommand({ apiVersion, kind, document }: Composite, ...names: readonly string[]): string {
  const uid = stringAt(document, ["metadata", "uid"]) ?? "UID";
  const list = names.length === 0 ? "NAME,NAME" : names.map(toReleased).join(",");
  return `${annotate(toManagedKind(apiVersion, kind), document)} ${toWord(`${RELEASE}=${uid}/${list}`)}`;
}

/** The finding of a provider about a managed resource that only observes. */
export type Finding =
  | { readonly is: "waiting" | "found" | "missing" }
  | { readonly is: "different"; readonly fields: readonly string[] };

/**
 * Judges what the provider has found since the restore: its condition is about this generation, and no older than the resource. Waits
 * for our mark: Velero's is not Crossplane's to remove.
 */
export function judgeRestored(managed: Document): Finding {
  const { isOld, about } = readSynced(managed);
  const isAboutThis = about === undefined || about === readGeneration(managed);
  const isHeld =
    readAnnotation(managed, RESTORED)?.startsWith(HELD) && isObserver(readPolicies(managed) ?? ALL_ACTIONS);
  if (!isHeld || isOld || !isAboutThis) return { is: "waiting" };
  const observation = readObservation(managed);
  if (observation !== "present") return { is: observation === "absent" ? "missing" : "waiting" };
  const [wanted, actual] = [managed.at(["spec", "forProvider"]), managed.at(["status", "atProvider"])];
  const fields = findDifferences(wanted, actual, "spec.forProvider");
  return fields.length === 0 ? { is: "found" } : { is: "different", fields };
}

/** Chooses policies to look with. A condition that was restored too may be about this very generation: then another one begins. */
export function policiesToLook(managed: Document): Policies {
  const { isOld, about } = readSynced(managed);
  const isStale = isOld && about === readGeneration(managed);
  return isStale === (readPolicies(managed)?.join() === OBSERVE_ANEW.join()) ? OBSERVE : OBSERVE_ANEW;
}

/** Reads the condition Synced: whether there is none from after the restore, and the generation that it is about. */
function readSynced(managed: Document): { readonly isOld: boolean; readonly about: number | undefined } {
  const synced = findCondition(managed, "Synced");
  const created = Date.parse(stringAt(managed, ["metadata", "creationTimestamp"]) ?? "");
  const isOld = synced === undefined || Date.parse(toPlainText(synced["lastTransitionTime"])) < created;
  return { isOld, about: readSyncedGeneration(managed)?.generation };
}

const toJson = (value: JsonValue): string => JSON.stringify(value);

/** Finds the fields that the cloud has another value for. A list is compared as a set; a field that is not reported is none. */
function findDifferences(
  wanted: JsonValue | undefined,
  actual: JsonValue | undefined,
  path: string,
): readonly string[] {
  if (wanted === undefined || actual === undefined || actual === null) return [];
  if (isObject(wanted) && isObject(actual)) {
    return Object.entries(wanted).flatMap(([key, value]) =>
      findDifferences(value, ownValue(actual, key), `${path}.${key}`),
    );
  }
  const toText = (value: JsonValue): string => (isList(value) ? value.map(toJson).sort().join() : toPlainText(value));
  return toText(wanted) === toText(actual) ? [] : [path];
}
