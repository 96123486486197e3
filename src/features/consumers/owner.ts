import { type Composite, consumerNamespace, toComposite } from "../../crossplane/composite.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { documentOf } from "../../model/document.ts";
import { isPathSegment } from "../../model/names.ts";
import type { Call } from "../feature.ts";
import { resolveString } from "../value.ts";

/** The shared XR: this one, or the one whose companion it is. */
export interface Owner {
  /** Missing: there is none, or it is another team's. */
  readonly is: "found" | "pending" | "missing";
  /** Without content unless it is found, so that it grants nothing. */
  readonly composite: Composite;
}

/**
 * Finds the shared XR. A companion serves only one for which the same namespace asks: a team that names another team's XR would
 * otherwise see who uses it, keep it from being deleted, and answer to its consumers.
 */
export function findOwner({ of }: Consumers, call: Call): Owner {
  const { composite, requirements } = call;
  if (of === undefined) return { is: "found", composite };
  const { apiVersion, kind } = of;
  const { namespace, isModern } = composite;
  const resolved = resolveString(of.name, call);
  const name = resolved.is === "set" ? resolved.value : resolved.field;
  const without = (is: "pending" | "missing"): Owner => ({
    is,
    composite: { apiVersion, kind, namespace, name, claim: undefined, isModern, document: documentOf({}) },
  });
  if (resolved.is === "unset" || !isPathSegment(name)) return without("missing");
  const answer = requirements.ask(toRequirement("consumers/of", { apiVersion, kind, namespace, match: { name } }));
  if (answer.is === "pending") return without("pending");
  const found = answer.items.map(toComposite).find((item) => item.namespace === namespace);
  return found !== undefined && consumerNamespace(found) === consumerNamespace(composite)
    ? { is: "found", composite: found }
    : without("missing");
}
