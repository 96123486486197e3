import { COPY_KINDS, COPY_PREFIX } from "../../crossplane/copies.ts";
import { CREATION } from "../../crossplane/managed-resource.ts";
import type { Document, ValueEdit } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { isObject, pick } from "../../model/json.ts";
import { DECISIONS, MARKS, SHARED_FROM } from "../../ownership/annotations.ts";

const MARKED: readonly FieldPath[] = ["labels", "annotations"].map((field) => ["metadata", field]);

/**
 * Leaves out what an earlier step desires of ownership marks, operators' decisions and providers' records of a creation: a Composition
 * may copy them from an XR, which a team writes.
 *
 * @param isOurs tells whether this step writes the resource's marks; the marks of others may be those of an earlier step of ours.
 */
export function withoutMarks(desired: Document, isOurs: () => boolean): Document {
  const isMark = (key: string): boolean =>
    DECISIONS.has(key) || key.startsWith(CREATION) || (MARKS.has(key) && isOurs());
  const edits = MARKED.flatMap((path): readonly ValueEdit[] => {
    const texts = desired.at(path);
    if (!isObject(texts) || !Object.keys(texts).some(isMark)) return [];
    return [{ path, value: pick(texts, (key) => !isMark(key)) }];
  });
  return edits.length === 0 ? desired : desired.with(edits);
}

const COPIED_FROM = ["spec", "forProvider", "manifest", "metadata", "annotations", SHARED_FROM];

/**
 * Tells whether a resource makes a copy of a Secret, whose marks are those of `sharedResources`. A Composition gives its name, and may
 * copy annotations into a manifest.
 */
export const isCopy = (resource: string, desired: Document, kind: string): boolean =>
  resource.startsWith(COPY_PREFIX) && kind === COPY_KINDS.Object.kind && desired.at(COPIED_FROM) !== undefined;
