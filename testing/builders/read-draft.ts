import { toDocument } from "../../src/model/document.ts";
import type { Draft, ResourceEdit } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";

// What tests read of a draft.

/** The reason and the message of the first condition. */
export const says = ({ conditions: [condition] }: Draft): string => `${condition?.reason}: ${condition?.message}`;

/** The reason of the first condition. */
export const reasonIn = ({ conditions: [condition] }: Draft): string | undefined => condition?.reason;

/** The messages of Fatal results. */
export const fatalsIn = ({ results }: Draft): readonly string[] =>
  results.flatMap(({ severity, message }) => (severity === "Fatal" ? [message] : []));

/** The object that an edit sets, decoded; undefined for another edit. */
export const objectSetBy = (edit: ResourceEdit | undefined): JsonObject | undefined =>
  edit?.is === "set" && edit.object !== undefined ? toDocument(edit.object).toObject() : undefined;
