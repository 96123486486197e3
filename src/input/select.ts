import * as z from "zod";
import { compareEntries } from "../model/collections.ts";
import { DNS_LABEL } from "../model/names.ts";
import {
  exactlyOneOf,
  fieldPath,
  forbid,
  NOT_A_DNS_LABEL,
  onObjects,
  optional,
  optionalValue,
  text,
  value,
} from "./fields.ts";

/** Sorts the labels: the fields of an input come in any order. */
const labels = z
  .record(text, optionalValue(z.string()))
  .refine((map) => Object.keys(map).length > 0, "empty")
  .transform((map) =>
    Object.entries(map)
      .sort(compareEntries)
      .map(([key, label]) => ({ key, ...label })),
  );

/** The fields that are allowed with `matchLabels` only. */
const ofLabels = ["minMatch", "maxMatch", "sortByFieldPath", "prefer"] as const;

const count = z.int("not a whole number");

export const select = exactlyOneOf(
  z.strictObject({
    name: optional(value(text), "The shared resource's name."),
    matchLabels: optional(
      labels,
      "The shared resource's labels. With `optional: true` beside a field, a label that is not set is left out.",
    ),
    self: optional(z.strictObject({}), "`{}`: this XR itself is the shared resource, and pushes its own credentials."),
    namespace: optional(
      value(z.string().refine((text) => text === "*" || DNS_LABEL.test(text), `${NOT_A_DNS_LABEL}, or "*"`)),
      'The namespace of a namespaced kind (Crossplane v2). `"*"` with `matchLabels`: all namespaces. This is only ' +
        "safe if no team can create a resource with these labels in its own namespace.",
    ),
    minMatch: optional(count.min(0, "less than 0"), "The fewest resources that matchLabels has to find. Default: 1."),
    maxMatch: optional(
      count.min(1, "less than 1"),
      "The most resources that matchLabels may find. With sortByFieldPath, the most that are used. Default: 1.",
    ),
    sortByFieldPath: optional(fieldPath, "The field by which the resources are sorted. Default: their names."),
    prefer: optional(
      z.enum(["First", "LeastUsed"]),
      "Makes the resources a pool, each with `consumers.capacity`. The XR asks for admission to one that grants access and has " +
        "capacity left. `First`: the first in order. `LeastUsed`: the least used. Once admitted, the XR stays with that resource.",
    ),
  }),
  ["name", "matchLabels", "self"],
)
  .refine(
    ({ matchLabels, ...given }) => matchLabels !== undefined || ofLabels.every((key) => given[key] === undefined),
    { ...onObjects, error: `${ofLabels.join(", ")} need matchLabels` },
  )
  .check(
    forbid("namespace", "not allowed with self", ({ self, namespace }) => self && namespace),
    forbid(
      "namespace",
      '"*" needs matchLabels',
      ({ name, namespace }) => name !== undefined && namespace?.is === "literal" && namespace.value === "*",
    ),
    forbid("minMatch", "more than maxMatch", ({ minMatch = 1, maxMatch = 1 }) => minMatch > maxMatch),
    forbid("prefer", "not allowed with maxMatch above 1", ({ maxMatch = 1, prefer }) => maxMatch !== 1 && prefer),
  )
  .transform(({ name, matchLabels, namespace, minMatch = 1, maxMatch = 1, sortByFieldPath, prefer }) => {
    if (name !== undefined) return { by: "name" as const, name, namespace };
    if (matchLabels === undefined) return { by: "self" as const, namespace: undefined };
    return { by: "labels" as const, labels: matchLabels, namespace, minMatch, maxMatch, sortByFieldPath, prefer };
  });

export type Select = z.output<typeof select>;
