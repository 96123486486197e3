import type { Select } from "../../input/select.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import { type Resolved, resolveString } from "../value.ts";

type Match = Resolved<ResourceSelector["match"]>;
type Labels = Extract<Select, { by: "labels" }>["labels"];

/** What Crossplane is to find, or the field that has to be set before it can be asked. */
export function toSelector(
  apiVersion: string,
  kind: string,
  select: Exclude<Select, { by: "self" }>,
  call: Call,
): Resolved<ResourceSelector> {
  const namespace = select.namespace && resolveString(select.namespace, call);
  if (namespace?.is === "unset") return namespace;
  const match = select.by === "name" ? byName(select.name, call) : byLabels(select.labels, call);
  if (match.is === "unset") return match;
  return { is: "set", value: { apiVersion, kind, namespace: namespace?.value, match: match.value } };
}

function byName(value: Extract<Select, { by: "name" }>["name"], call: Call): Match {
  const name = resolveString(value, call);
  return name.is === "unset" ? name : { is: "set", value: { name: name.value } };
}

/** Optional labels are left out where they are not set; without any label left, everything would match. */
function byLabels(labels: Labels, call: Call): Match {
  const resolved: Record<string, string> = {};
  for (const { key, value, optional } of labels) {
    const label = resolveString(value, call);
    if (label.is === "unset" && !optional) return label;
    if (label.is === "set") resolved[key] = label.value;
  }
  if (Object.keys(resolved).length > 0) return { is: "set", value: { labels: resolved } };
  return { is: "unset", field: "everything that select.matchLabels refers to" };
}

/** A selector in words: `orders-db`, `in namespace databases with labels team=orders`. */
export function describe({ namespace, match }: ResourceSelector): string {
  const place = namespace === undefined ? "" : ` in namespace ${namespace}`;
  if ("name" in match) return `${match.name}${place}`;
  const labels = Object.entries(match.labels).map(([key, value]) => `${key}=${value}`);
  return `with labels ${labels.sort().join(",")}${place}`;
}
