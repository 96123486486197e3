import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import type { Call } from "../capability.ts";
import { toSelector } from "./selector.ts";

const NAME = ["metadata", "name"];
const NAMESPACE = ["metadata", "namespace"];

/** What is known of a shared resource. */
export type Finding =
  | { readonly is: "unset"; readonly field: string } // nothing can be asked before this field is set
  | { readonly is: "pending"; readonly selector: ResourceSelector } // not looked up yet: nothing is known
  | { readonly is: "notFound"; readonly selector: ResourceSelector }
  | { readonly is: "ambiguous"; readonly selector: ResourceSelector; readonly names: readonly string[] }
  | { readonly is: "found"; readonly selector: ResourceSelector; readonly resource: Document };

/** The name of the requirement that looks a shared resource up. */
export const requirementOf = ({ name }: SharedResource): string => `shared-resource/${name}`;

/**
 * Which resource the answer names. One from another namespace than was asked for is not taken: `crossplane render` up to
 * v2.2 looks at names only, and credentials of the wrong database are worse than none.
 */
export function find(shared: SharedResource, call: Call): Finding {
  const resolved = toSelector(shared, call);
  if (resolved.is === "unset") return resolved;
  const selector = resolved.value;

  const answer = call.request.required(requirementOf(shared));
  if (answer.is === "pending") return { is: "pending", selector };

  const { namespace } = selector;
  const items = answer.items.filter((item) => namespace === undefined || stringAt(item, NAMESPACE) === namespace);
  const [resource, ...others] = items;
  if (resource === undefined) return { is: "notFound", selector };
  if (others.length > 0) return { is: "ambiguous", selector, names: items.map(nameOf).sort() };
  return { is: "found", selector, resource };
}

/** A resource's name, with its namespace where it has one. */
export function nameOf(resource: Document): string {
  const namespace = stringAt(resource, NAMESPACE);
  const name = stringAt(resource, NAME) ?? "";
  return namespace === undefined ? name : `${namespace}/${name}`;
}
