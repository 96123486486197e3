import type { Keys, Tags } from "../../input/tags.ts";
import { CLUSTER_TAG } from "../../ownership/annotations.ts";
import type { Call } from "../feature.ts";
import { type Resolved, resolveMap, resolveString, resolveStrings } from "../value.ts";
import { toMatcher } from "./glob.ts";

/** Tells whether an entry of the input names a key. */
type HasKey = (key: string) => boolean;

interface WantedTag {
  readonly key: string;
  readonly value: string;
  readonly onExisting: "Replace" | "Retain";
  /** True for a literal of the Composition, false for a value from a field. */
  readonly isLiteral: boolean;
}

/** The tags that the input adds, preserves and removes, with resolved values. */
export interface WantedTags {
  readonly add: readonly WantedTag[];
  readonly preserve: readonly { readonly has: HasKey; readonly onExisting: "Replace" | "Retain" }[];
  readonly remove: readonly HasKey[];
  /** The name of this control plane, if the input sets it. */
  readonly cluster: string | undefined;
  /** Fields of required values that are not set. */
  readonly unset: readonly string[];
  /** True if the control plane's name is among them: then ownership cannot be decided. */
  readonly isClusterUnset: boolean;
}

export function resolveWanted({ add, preserve, remove, owner }: Tags, call: Call): WantedTags {
  const added = add.map((entry) => resolveEntry(entry, call));
  const cluster = owner.cluster && resolveString(owner.cluster, call);
  const clusterName = cluster?.is === "set" ? cluster.value : undefined;
  return {
    add: [
      ...added.flatMap(({ tags }) => tags),
      ...(clusterName === undefined
        ? []
        : [
            {
              key: CLUSTER_TAG,
              value: clusterName,
              onExisting: "Replace",
              isLiteral: owner.cluster?.is === "literal",
            } as const,
          ]),
    ],
    preserve: preserve.map(({ keys, onExisting }) => ({ has: resolveKeys(keys, call), onExisting })),
    remove: remove.map(({ keys }) => resolveKeys(keys, call)),
    cluster: clusterName,
    unset: [...added.flatMap(({ unset }) => unset), ...(cluster?.is === "unset" ? [cluster.field] : [])],
    isClusterUnset: cluster?.is === "unset",
  };
}

/** Resolves keys: globs of the Composition, or exact ones of a field. A field that is not set has none, because teams may set it. */
function resolveKeys(keys: Keys, call: Call): HasKey {
  if (keys.is === "literal") {
    const globs = [keys.value].flat().map(toMatcher);
    return remembering((key) => globs.some((fits) => fits(key)));
  }
  const resolved = resolveStrings(keys, call);
  const exact = new Set(resolved.is === "set" ? resolved.value : []);
  return (key) => exact.has(key);
}

/** Remembers the answer for each key: many resources have the same keys. */
function remembering(has: HasKey): HasKey {
  const known = new Map<string, boolean>();
  return (key) => {
    const answer = known.get(key) ?? has(key);
    known.set(key, answer);
    return answer;
  };
}

type AddEntry = Tags["add"][number];
type ResolvedEntry = { readonly tags: WantedTags["add"]; readonly unset: readonly string[] };

function resolveEntry({ key, value, onExisting, optional }: AddEntry, call: Call): ResolvedEntry {
  const resolved = resolvePairs(key, value, call);
  if (resolved.is === "unset") return { tags: [], unset: optional ? [] : [resolved.field] };
  const isLiteral = value.is === "literal";
  return { tags: resolved.value.map(([name, text]) => ({ key: name, value: text, onExisting, isLiteral })), unset: [] };
}

/** Resolves an entry to tags: without a key, its field has a map of them. */
function resolvePairs(
  key: string | undefined,
  value: AddEntry["value"],
  call: Call,
): Resolved<readonly (readonly [string, string])[]> {
  if (key === undefined && value.is !== "literal") return resolveMap(value, call);
  const text = resolveString(value, call);
  return text.is === "unset" ? text : { is: "set", value: [[key ?? "", text.value]] };
}
