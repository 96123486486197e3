import type { Composite } from "../crossplane/composite.ts";
import { annotateCommand, readObservation, toManagedKind } from "../crossplane/managed-resource.ts";
import {
  ALL_ACTIONS,
  isObserver,
  mayDelete,
  OBSERVE,
  OBSERVE_ANEW,
  type Policies,
  readPolicies,
  withoutCreate,
} from "../crossplane/management-policies.ts";
import { readAnnotation, readUid } from "../crossplane/metadata.ts";
import { readGeneration, readSyncedGeneration } from "../crossplane/observed-generation.ts";
import { findCondition } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { isList, isObject, type JsonValue, ownValue, toPlainText, toSortedJson } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { toWord } from "../model/shell.ts";
import { RESTORED } from "../ownership/annotations.ts";

/** Tells whether a time in an object's status is no older than the object. An older one is from a backup. */
export const isSinceCreation = (object: Document, time: unknown): boolean =>
  !(Date.parse(toPlainText(time)) < Date.parse(stringAt(object, ["metadata", "creationTimestamp"]) ?? ""));

/** The annotation of an XR by which a person releases restored resources: `UID/NAME,NAME`, or `UID/*` for all. */
export const RELEASE = `${DOMAIN}/release-restored`;

/** The beginning of a mark (annotation RESTORED) that this function wrote. Velero's resource modifiers write marks without it (docs/restore.md). */
const HELD = "held=";

/** Formats the mark of a held resource, such as `held=*`: the management policies from before the restore, or `?` for none. */
export const formatRestored = (managed: Document): string => {
  const mark = readAnnotation(managed, RESTORED) ?? readPolicies(managed)?.join(",") ?? "?";
  return mark.startsWith(HELD) ? mark : `${HELD}${mark}`;
};

/**
 * Formats the mark to desire for a released resource; undefined if the resource has no mark, or this function's own, which
 * Crossplane removes once no step desires it. Velero's mark would stay, so this function's mark overwrites it.
 */
export const formatReleased = (managed: Document): string | undefined => {
  const mark = readAnnotation(managed, RESTORED);
  return mark === undefined || mark.startsWith(HELD) ? undefined : formatRestored(managed);
};

/**
 * Chooses the policies of a resource that is to be deleted: with its cloud resource if its policies from before the restore are known and
 * delete it, and without creating one that the cloud does not have.
 */
export function policiesToDelete(managed: Document): Policies {
  const had = formatRestored(managed).slice(HELD.length);
  return mayDelete(managed, had.split(",")) ? withoutCreate(ALL_ACTIONS) : OBSERVE;
}

/** Makes a function that tells whether a person has released a name. The next restore ends all releases: the XR gets another UID. */
export function readReleased(composite: Document): (name: string) => boolean {
  const [uid, names = ""] = (readAnnotation(composite, RELEASE) ?? "").split(/\/(.*)/s);
  if (uid === "" || uid !== readUid(composite)) return () => false;
  const released = new Set(names.split(","));
  return (name) => released.has("*") || released.has(escapeName(name));
}

/** Escapes a name for the annotation RELEASE. A claim may choose names: a comma or an asterisk would release other resources. */
const escapeName = (name: string): string =>
  name.replace(/[^-\w.:@/]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );

/** Writes the kubectl command that releases these names of an XR, or a placeholder for names. An earlier restore's may be there. */
export function releaseCommand({ apiVersion, kind, document }: Composite, ...names: readonly string[]): string {
  const uid = readUid(document) ?? "UID";
  const list = names.length === 0 ? "NAME,NAME" : names.map(escapeName).join(",");
  return `${annotateCommand(toManagedKind(apiVersion, kind), document)} --overwrite ${toWord(`${RELEASE}=${uid}/${list}`)}`;
}

/** A provider's finding in the cloud for a managed resource that only observes. */
export type Finding =
  | { readonly is: "waiting" | "found" | "missing" }
  | { readonly is: "different"; readonly fields: readonly string[] };

/**
 * Judges the provider's finding since the restore. It is `waiting` until the managed resource
 *
 * - only observes;
 * - has this function's mark (`held=…`). Velero's mark does not count, since Crossplane could not remove it later;
 * - has a condition Synced that is newer than the restore and, if it has a generation, about the present one.
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

/** Tells whether the provider has found the cloud resource since the managed resource was created or restored. */
export const isFoundSinceCreation = (managed: Document): boolean =>
  !readSynced(managed).isOld && readObservation(managed) === "present";

/**
 * Chooses OBSERVE or OBSERVE_ANEW, which mean the same to a provider: the one that the managed resource has, else OBSERVE. If
 * the condition Synced is from a backup, but about the present generation, chooses the policies that the managed resource
 * does not have: the generation changes, and the old condition no longer counts.
 */
export function policiesToLook(managed: Document): Policies {
  const { isOld, about } = readSynced(managed);
  const hasAnew = readPolicies(managed)?.join() === OBSERVE_ANEW.join();
  const isStale = isOld && about === readGeneration(managed);
  if (isStale) return hasAnew ? OBSERVE : OBSERVE_ANEW;
  return hasAnew ? OBSERVE_ANEW : OBSERVE;
}

/** Reads the condition Synced. `isOld`: it is missing or from a backup. `about`: the generation that it is about. */
function readSynced(managed: Document) {
  const synced = findCondition(managed, "Synced");
  const isOld = synced === undefined || !isSinceCreation(managed, synced["lastTransitionTime"]);
  return { isOld, about: readSyncedGeneration(managed)?.generation };
}

/** Lists fields with another value in the cloud. Ignores the order of lists, and fields that the cloud does not report. */
function findDifferences(
  wanted: JsonValue | undefined,
  actual: JsonValue | undefined,
  path: string,
): readonly string[] {
  if (isObject(wanted) && isObject(actual)) {
    return Object.entries(wanted).flatMap(([key, value]) =>
      findDifferences(value, ownValue(actual, key), `${path}.${key}`),
    );
  }
  return isAlike(wanted, actual) || toText(wanted) === toText(actual) ? [] : [path];
}

/** Tells whether the cloud reports the same, with more fields perhaps, also in the items of a list that it reports in the same order. */
function isAlike(wanted: JsonValue | undefined, actual: JsonValue | undefined): boolean {
  if (wanted === undefined || actual === undefined || actual === null) return true;
  if (isObject(wanted) && isObject(actual))
    return Object.entries(wanted).every(([key, value]) => isAlike(value, ownValue(actual, key)));
  if (isList(wanted) && isList(actual))
    return wanted.length === actual.length && wanted.every((item, index) => isAlike(item, actual[index]));
  return toText(wanted) === toText(actual);
}

/** Formats a value for comparison, without the order of a list and of keys, and the layout of a JSON document, such as a policy. */
function toText(value: JsonValue | undefined): string {
  if (isList(value)) return value.map(toSortedJson).sort().join();
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return toPlainText(value);
  try {
    return toSortedJson(JSON.parse(value));
  } catch {
    return value; // no JSON, or too deep
  }
}
