import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";

export interface Table {
  readonly source: string;
  /** The entries as text, in the format of `splitTable`. */
  readonly kinds: string;
}

export interface KindEntry {
  /**
   * - `metadata`: the external name defaults to metadata.name.
   * - `cloud`: the cloud assigns the external name.
   * - `fields`: `fields` identify the cloud resource, without the external name.
   * - `either`: where they are set, `fields` identify the cloud resource: the cloud returns the same one if it is created
   *   twice. Otherwise the external name identifies it.
   * - `unknown`: the source of the external name is not known.
   */
  readonly named: "metadata" | "cloud" | "fields" | "either" | "unknown";
  /** True if the provider reports the external name in status.atProvider.id. */
  readonly isId: boolean;
  /** True if the name, or its parent's, is unique in the whole cloud, whatever the account. */
  readonly isUnique: boolean;
  /** The identifying fields below spec.forProvider, in addition to the family's. */
  readonly fields: readonly FieldPath[];
  readonly tags: TagField | "usual" | "none";
  /** For each scope, the oldest API version that the provider serves: later releases serve it, too. */
  readonly versions: Versions;
}

/** The versions of a kind's API: of the cluster-scoped managed resource, and of its twin in the `.m.` group. */
export interface Versions {
  readonly cluster: string;
  readonly namespaced: string;
}

export const USUAL_VERSIONS: Versions = { cluster: "v1beta1", namespaced: "v1beta1" };

/** The field below spec.forProvider that holds the tags. */
export interface TagField {
  readonly path: FieldPath;
  /** The shape of a list of tags: a list with an empty item; undefined for a map. */
  readonly shape: JsonValue | undefined;
}

/**
 * Splits a table into entries, by `service:Kind`. A table has a paragraph for each service; an entry is parsed on demand:
 *
 * | in the entry | meaning |
 * | --- | --- |
 * | `*`, `~` | the cloud assigns the external name; `*`: it is status.atProvider.id |
 * | `!` | the name, or its parent's, is unique in the whole cloud |
 * | `+` | the fields identify the cloud resource where they are set; else the external name |
 * | `=` | the fields identify the cloud resource, without the external name |
 * | `?` | the source of the external name is not known |
 * | `(a,b.c)` | identifying fields |
 * | `-`, `#path`, `#path[key,value]` | no tags; a map of tags in another field than usual; a list of them |
 * | `@a`, `@a/b` | the version of the cluster-scoped kind, and of its namespaced twin, where it is not v1beta1 |
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

const ENTRY =
  /^\w+(?<unique>!?)(?<id>\*?)(?<mark>[~=?+]?)(?:\((?<fields>[^)]*)\))?(?<tags>-|#[^\s@]+)?(?:@(?<cluster>\w+)(?:\/(?<namespaced>\w+))?)?$/;

export function parseEntry(text: string): KindEntry {
  const { unique = "", id = "", mark = "", fields, tags, ...versions } = ENTRY.exec(text)?.groups ?? {};
  return {
    named: mark === "" && id !== "" ? "cloud" : (NAMED[mark] ?? "metadata"),
    isId: id !== "",
    isUnique: unique !== "",
    fields: (fields ?? "").split(",").filter(Boolean).map(splitPath),
    tags: tags === undefined ? "usual" : tags === "-" ? "none" : parseTagField(tags.slice(1)),
    versions: {
      cluster: versions["cluster"] ?? USUAL_VERSIONS.cluster,
      namespaced: versions["namespaced"] ?? USUAL_VERSIONS.namespaced,
    },
  };
}

const NAMED: Readonly<Record<string, KindEntry["named"]>> = {
  "~": "cloud",
  "=": "fields",
  "+": "either",
  "?": "unknown",
};

const splitPath = (text: string): FieldPath => text.split(".");

/** Reads `tags`, `settings.userLabels` or `tags[key,value]`. */
export function parseTagField(text: string): TagField {
  const [path = "", keys] = text.replace("]", "").split("[");
  return { path: splitPath(path), shape: keys === undefined ? undefined : [toListItem(keys.split(","))] };
}

/** Makes an empty item with all flags set, such as an AutoScalingGroup's propagateAtLaunch: tags then reach the instances. */
const toListItem = ([key = "", , ...flags]: readonly string[]): JsonValue =>
  Object.fromEntries([[key, ""], ...flags.map((flag) => [flag, true])]);
