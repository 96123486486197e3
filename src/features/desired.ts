import { type Document, documentOf } from "../model/document.ts";
import type { Draft, ResourceEdit } from "../model/draft.ts";
import { withValueAt } from "../model/field-path.ts";
import type { Call } from "./feature.ts";

/** The composed resources as they are desired so far: by the steps before us, and by the features before this one. */
export function desiredSoFar({ request }: Call, { resources: edits }: Draft): ReadonlyMap<string, Document> {
  const desired = new Map([...request.desired.resources].map(([name, { document }]) => [name, document]));
  for (const [name, edit] of edits) {
    if (edit.is === "removed") desired.delete(name);
    else if (edit.object !== undefined || edit.value !== undefined) desired.set(name, edited(desired.get(name), edit));
  }
  return desired;
}

function edited(before: Document | undefined, { object, value }: Extract<ResourceEdit, { is: "set" }>): Document {
  const whole = object ?? before?.toObject() ?? {};
  return documentOf(value === undefined ? whole : withValueAt(whole, value.path, value.value));
}
