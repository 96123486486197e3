import type { Keys, Tags } from "../../input/tags.ts";
import { toMatcher } from "../../model/glob.ts";
import { CLUSTER_TAG, formatOwner } from "../../ownership/annotations.ts";
import type { Call } from "../feature.ts";
import { resolveMap, resolveString, resolveStrings } from "../value.ts";
import { findExcess, type Refusal } from "./limits.ts";

type HasKey = (key: string) => boolean;

interface WantedTag {
  readonly key: string;
  readonly value: string;
  readonly onExisting: "Replace" | "Retain";
  /** True for a literal of the Composition, false for a value from a field. */
  readonly isLiteral: boolean;
}

/** The tags that the input adds, preserves and removes, and its rules for owners, with resolved values. */
export interface WantedTags {
  readonly add: readonly WantedTag[];
  /** The keys of `add`, sorted. */
  readonly keys: readonly string[];
  /** The fault if `add` has too many tags: then none is added. Empty otherwise. */
  readonly excess: readonly Refusal[];
  readonly preserve: readonly { readonly has: HasKey; readonly onExisting: "Replace" | "Retain" }[];
  readonly remove: readonly HasKey[];
  /** The XR or claim, as managed resources name their owner. */
  readonly owner: string;
  readonly rules: Tags["owner"];
  /** The name of this control plane, if the input sets it. */
  readonly cluster: string | undefined;
  /** Fields of required values that are not set. */
  readonly unset: readonly string[];
  /** True if the control plane's name or the account is not set: then ownership cannot be decided. */
  readonly isUnset: boolean;
}

/** Resolves the input's values. @param resources the number of resources to tag. */
export function resolveWanted(input: Tags, resources: number, call: Call): WantedTags {
  const { preserve, remove, owner: rules } = input;
  const { cluster } = rules;
  const entries = cluster === undefined ? [] : [{ ...ALWAYS, key: CLUSTER_TAG, value: cluster }];
  const added = [...input.add, ...entries].map((entry) => resolveEntry(entry, call));
  const asked = added.flatMap(({ tags }) => tags);
  const excess = findExcess(asked.length, resources);
  const add = excess.length > 0 ? [] : asked;
  const name = cluster && resolveString(cluster, call);
  const account = rules.account && resolveString(rules.account, call);
  return {
    add,
    keys: [...new Set(add.map(({ key }) => key))].sort(),
    excess,
    preserve: preserve.map(({ keys, onExisting }) => ({ has: resolveKeys(keys, call), onExisting })),
    remove: remove.map(({ keys }) => resolveKeys(keys, call)),
    owner: formatOwner(call.composite),
    rules,
    cluster: name?.is === "set" ? name.value : undefined,
    unset: [...added.flatMap(({ unset }) => unset), ...(account?.is === "unset" ? [account.field] : [])],
    isUnset: name?.is === "unset" || account?.is === "unset",
  };
}

const ALWAYS = { onExisting: "Replace", optional: false } as const;

/** Resolves keys: globs of the Composition, or the exact keys in a field, which a team may write. A field that is not set has no keys. */
function resolveKeys(keys: Keys, call: Call): HasKey {
  if (keys.is !== "literal") {
    const resolved = resolveStrings(keys, call);
    const exact = new Set(resolved.is === "set" ? resolved.value : []);
    return (key) => exact.has(key);
  }
  const globs = [keys.value].flat().map(toMatcher);
  return (key) => globs.some((fits) => fits(key));
}

/** Resolves an entry to tags, and the required field that is not set. An entry without a key takes all tags from a field with a map. */
function resolveEntry({ key, value, onExisting, optional }: Tags["add"][number], call: Call) {
  const isMap = key === undefined && value.is !== "literal";
  const resolved = isMap ? resolveMap(value, call) : resolveString(value, call);
  if (resolved.is === "unset") return { tags: NO_TAGS, unset: optional ? [] : [resolved.field] };
  const pairs = typeof resolved.value === "string" ? [[key ?? "", resolved.value] as const] : resolved.value;
  const rest = { onExisting, isLiteral: value.is === "literal" };
  return { tags: pairs.map(([name, text]): WantedTag => ({ key: name, value: text, ...rest })), unset: [] };
}

const NO_TAGS: readonly WantedTag[] = [];
