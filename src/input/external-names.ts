import * as z from "zod";
import { fieldPath, flag, list, text } from "./fields.ts";

const rescueRule = z.strictObject({
  apiGroup: text.describe("The kind's API group, without the `.m.` of namespaced managed resources."),
  kind: text.describe("The managed resource's kind."),
  fromFieldPath: fieldPath
    .prefault("status.atProvider.id")
    .describe("The field in which the provider reports the external name, exactly as in the annotation."),
});

export const externalNamesSchema = z.strictObject({
  pin: flag(
    true,
    "Desire each external name once it is observed. `false`: desire only rescued names and names from the record.",
  ),
  rescue: list(
    rescueRule,
    "Kinds whose provider may lose the external name, and the field to restore it from. They precede the built-in rules.",
  ),
  builtInRescue: flag(true, "Also rescue the built-in kinds. docs/restore.md names them."),
  requireRecord: flag(
    false,
    "Create no managed resource unless the pipeline or the record names it; `metadata.name` is enough where its provider does not choose " +
      "the external name. For a cluster that is rebuilt.",
  ),
});

export type ExternalNames = z.output<typeof externalNamesSchema>;
