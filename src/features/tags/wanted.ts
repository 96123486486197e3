import type { Tags } from "../../input/tags.ts";
import { CLUSTER_TAG } from "../../ownership/marks.ts";
import type { Call } from "../feature.ts";
import { resolveMap, resolveString, resolveStrings } from "../value.ts";

/** The tags that the input asks for, with its values resolved. */
export interface Wanted {
  readonly add: readonly { readonly key: string; readonly value: string; readonly policy: "Replace" | "Retain" }[];
  readonly preserve: readonly { readonly globs: readonly string[]; readonly policy: "Replace" | "Retain" }[];
  readonly remove: readonly string[];
  /** The name of this control plane, if the input gives it. */
  readonly cluster: string | undefined;
  /** Fields that are not set although their values are not optional. */
  readonly unset: readonly string[];
  /** True if the control plane's name is one of them: then ownership cannot be decided. */
  readonly isClusterUnset: boolean;
}

export function toWanted({ add, preserve, remove, owner }: Tags, call: Call): Wanted {
  const added = add.map((entry) => resolveEntry(entry, call));
  const kept = preserve.map(({ value, policy }) => ({ globs: resolveStrings(value, call), policy }));
  const removed = remove.map((value) => resolveStrings(value, call));
  const cluster = owner.cluster && resolveString(owner.cluster, call);
  const clusterName = cluster?.is === "set" ? cluster.value : undefined;
  return {
    add: [
      ...added.flatMap(({ tags }) => tags),
      ...(clusterName === undefined ? [] : [{ key: CLUSTER_TAG, value: clusterName, policy: "Replace" as const }]),
    ],
    // A list that is not set counts as empty: teams may set it.
    preserve: kept.map(({ globs, policy }) => ({ globs: globs.is === "set" ? globs.value : [], policy })),
    remove: removed.flatMap((globs) => (globs.is === "set" ? globs.value : [])),
    cluster: clusterName,
    unset: [...added.flatMap(({ unset }) => unset), ...(cluster?.is === "unset" ? [cluster.field] : [])],
    isClusterUnset: cluster?.is === "unset",
  };
}

type Entry = Tags["add"][number];
type ResolvedEntry = { readonly tags: Wanted["add"]; readonly unset: readonly string[] };

function resolveEntry({ key, value, policy, optional }: Entry, call: Call): ResolvedEntry {
  const resolved = resolvePairs(key, value, call);
  if (resolved.is === "unset") return { tags: [], unset: optional ? [] : [resolved.field] };
  return { tags: resolved.value.map(([name, text]) => ({ key: name, value: text, policy })), unset: [] };
}

function resolvePairs(key: string | undefined, value: Entry["value"], call: Call): ReturnType<typeof resolveMap> {
  if (value.is !== "literal") {
    if (key === undefined) return resolveMap(value, call);
    const text = resolveString(value, call);
    return text.is === "unset" ? text : { is: "set", value: [[key, text.value]] };
  }
  const pairs = typeof value.value === "string" ? { [key ?? ""]: value.value } : value.value;
  return resolveMap({ is: "literal", value: pairs }, call);
}
