import { type Document, documentOf } from "../model/document.ts";
import type { Draft } from "../model/draft.ts";
import type { Call } from "./feature.ts";

/** The composed resources as they are desired so far: by the steps before us, and by the features before this one. */
export function desiredSoFar({ request }: Call, { resources: edits }: Draft): ReadonlyMap<string, Document> {
  const desired = new Map([...request.desired.resources].map(([name, { document }]) => [name, document]));
  for (const [name, edit] of edits) {
    if (edit.is === "removed") desired.delete(name);
    else if (edit.object !== undefined) desired.set(name, documentOf(edit.object));
    else if (edit.document !== undefined) desired.set(name, edit.document);
  }
  return desired;
}
