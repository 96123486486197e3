import { type Keys, MAX_GLOB, type Tags } from "../../input/tags.ts";
import { CLUSTER_TAG } from "../../ownership/annotations.ts";
import type { Call } from "../feature.ts";
import { describeField, resolveMap, resolveString, resolveStrings } from "../value.ts";
import { toMatcher } from "./glob.ts";

/** Tells whether an entry of the input names a key. */
type HasKey = (key: string) => boolean;

interface WantedTag {
  readonly key: string;
  readonly value: string;
  readonly policy: "Replace" | "Retain";
  /** True for a literal of the Composition, false for a value from a field. */
  readonly isLiteral: boolean;
}

/** The tags that the input adds, preserves and removes, with resolved values. */
export interface WantedTags {
  readonly add: readonly WantedTag[];
  readonly preserve: readonly { readonly has: HasKey; readonly policy: "Replace" | "Retain" }[];
  readonly remove: readonly HasKey[];
  /** The name of this control plane, if the input sets it. */
  readonly cluster: string | undefined;
  /** Fields of required values that are not set. */
  readonly unset: readonly string[];
  /** True if the control plane's name is among them: then ownership cannot be decided. */
  readonly isClusterUnset: boolean;
  /** Fields with too many or too long globs, all of which are ignored. */
  readonly excessive: readonly string[];
}

export function resolveWanted({ add, preserve, remove, owner }: Tags, call: Call): WantedTags {
  const added = add.map((entry) => resolveEntry(entry, call));
  const kept = preserve.map((entry) => ({ ...resolveKeys(entry, call), policy: entry.policy }));
  const removed = remove.map((entry) => resolveKeys(entry, call));
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
              policy: "Replace",
              isLiteral: owner.cluster?.is === "literal",
            } as const,
          ]),
    ],
    preserve: kept,
    remove: removed.map(({ has }) => has),
    cluster: clusterName,
    unset: [...added.flatMap(({ unset }) => unset), ...(cluster?.is === "unset" ? [cluster.field] : [])],
    isClusterUnset: cluster?.is === "unset",
    excessive: [...kept, ...removed].flatMap(({ excessive }) => excessive ?? []),
  };
}

/** The most globs in a field: each is matched with every key, so the author of the field decides the cost. */
const MAX_GLOBS = 20;

interface ResolvedKeys {
  readonly has: HasKey;
  /** The field with too many or too long globs. */
  readonly excessive?: string;
}

/** Resolves the keys of an entry; a list that is not set counts as empty, because teams may set it. */
function resolveKeys({ value, match }: Keys, call: Call): ResolvedKeys {
  const resolved = resolveStrings(value, call);
  const texts = resolved.is === "set" ? resolved.value : [];
  if (match === "Exact") {
    const keys = new Set(texts);
    return { has: (key) => keys.has(key) };
  }
  const isFew = texts.length <= MAX_GLOBS && texts.every(({ length }) => length <= MAX_GLOB);
  if (value.is !== "literal" && !isFew) return { has: () => false, excessive: describeField(value) };
  const globs = texts.map(toMatcher);
  return { has: remembering((key) => globs.some((fits) => fits(key))) };
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

function resolveEntry({ key, value, policy, optional }: AddEntry, call: Call): ResolvedEntry {
  const resolved = resolvePairs(key, value, call);
  if (resolved.is === "unset") return { tags: [], unset: optional ? [] : [resolved.field] };
  const isLiteral = value.is === "literal";
  return { tags: resolved.value.map(([name, text]) => ({ key: name, value: text, policy, isLiteral })), unset: [] };
}

function resolvePairs(key: string | undefined, value: AddEntry["value"], call: Call): ReturnType<typeof resolveMap> {
  if (value.is !== "literal") {
    if (key === undefined) return resolveMap(value, call);
    const text = resolveString(value, call);
    return text.is === "unset" ? text : { is: "set", value: [[key, text.value]] };
  }
  const pairs = typeof value.value === "string" ? { [key ?? ""]: value.value } : value.value;
  return resolveMap({ is: "literal", value: pairs }, call);
}
