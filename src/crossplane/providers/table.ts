import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";

/** The facts about the kinds of a provider, and the version of it that they were read from. */
export interface Table {
  readonly source: string;
  /** The entries as text: `splitTable` says how. */
  readonly kinds: string;
}

/** An entry of a table: what is known of one kind. */
export interface Entry {
  /**
   * - `metadata`: the external name defaults to metadata.name.
   * - `cloud`: the cloud makes it up.
   * - `fields`: the fields below say all; the external name adds nothing.
   * - `unknown`: by its external name, which the table says nothing of.
   */
  readonly named: "metadata" | "cloud" | "fields" | "unknown";
  /** True if the external name is what the provider reports in status.atProvider.id. */
  readonly isId: boolean;
  /** The fields below spec.forProvider that tell two of the kind apart, beside those that all kinds of the family have. */
  readonly fields: readonly FieldPath[];
  readonly tags: TagField | "usual" | "none";
}

/** The field below spec.forProvider that holds the tags. */
export interface TagField {
  readonly path: FieldPath;
  /** An empty list's first item, for a list to look like; undefined for a map. */
  readonly shape: JsonValue | undefined;
}

/**
 * The entries of a table as text, by `service:Kind`. A table is paragraphs of a service and its kinds; an entry is read when
 * somebody asks for it:
 *
 * | in the entry | meaning |
 * | --- | --- |
 * | `*`, `~` | the cloud makes up the external name; `*`: it is status.atProvider.id |
 * | `=` | no external name is needed: the fields say all |
 * | `?` | nobody knows who makes up the external name |
 * | `(a,b.c)` | fields that identify it |
 * | `-`, `#path`, `#path[key,value]` | no tags; a map of tags in another field than usual; a list of them |
 */
export function splitTable(table: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let service = "";
  for (const word of table.split(/\s+/)) {
    if (word.endsWith(":")) service = word;
    else if (word !== "") entries.set(`${service}${/^\w+/.exec(word)?.[0]}`, word);
  }
  return entries;
}

const ENTRY = /^\w+(?<id>\*?)(?<mark>[~=?]?)(?:\((?<fields>[^)]*)\))?(?<tags>-|#\S+)?$/;

export function parseEntry(text: string): Entry {
  const { id = "", mark = "", fields, tags } = ENTRY.exec(text)?.groups ?? {};
  return {
    named: mark === "" && id !== "" ? "cloud" : (NAMED[mark] ?? "metadata"),
    isId: id !== "",
    fields: (fields ?? "").split(",").filter(Boolean).map(toPath),
    tags: tags === undefined ? "usual" : tags === "-" ? "none" : parseTagField(tags.slice(1)),
  };
}

const NAMED: Readonly<Record<string, Entry["named"]>> = { "~": "cloud", "=": "fields", "?": "unknown" };

const toPath = (text: string): FieldPath => text.split(".");

/** Reads `tags`, `settings.userLabels` or `tags[key,value]`. */
export function parseTagField(text: string): TagField {
  const [path = "", keys] = text.replace("]", "").split("[");
  return { path: toPath(path), shape: keys === undefined ? undefined : [toItem(keys.split(","))] };
}

/** A tag of an AutoScalingGroup says if its instances get it as well: what is tagged for its costs has its costs in them. */
const toItem = ([key = "", , ...flags]: readonly string[]): JsonValue =>
  Object.fromEntries([[key, ""], ...flags.map((flag) => [flag, true])]);
