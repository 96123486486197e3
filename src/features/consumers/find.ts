import { type Composite, consumerNamespace, toComposite } from "../../crossplane/composite.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { isPathSegment } from "../../model/names.ts";
import { type Consumer, compareConsumers, toConsumers } from "../../ownership/consumer.ts";
import { RECORD_KINDS, usesLabel } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import { resolveString } from "../value.ts";

/** The shared XR: this one, or the one whose companion it is. Missing: there is none, or it is another team's. */
export type Owner =
  | { readonly is: "found"; readonly composite: Composite }
  | { readonly is: "pending" }
  | { readonly is: "missing"; readonly kind: string; readonly name: string };

/**
 * Finds the shared XR. A companion serves only one for which the same namespace asks: a team that names another team's XR would
 * otherwise see who uses it, keep it from being deleted, and answer to its consumers.
 */
export function findOwner({ of }: Consumers, call: Call): Owner {
  const { composite, requirements } = call;
  if (of === undefined) return { is: "found", composite };
  const { apiVersion, kind } = of;
  const { namespace } = composite;
  const resolved = resolveString(of.name, call);
  if (resolved.is === "unset") return { is: "missing", kind, name: resolved.field };
  const name = resolved.value;
  if (!isPathSegment(name)) return { is: "missing", kind, name };
  const answer = requirements.ask(toRequirement("consumers/of", { apiVersion, kind, namespace, match: { name } }));
  if (answer.is === "pending") return answer;
  const found = answer.items.map(toComposite).find((item) => item.namespace === namespace);
  return found !== undefined && consumerNamespace(found) === consumerNamespace(composite)
    ? { is: "found", composite: found }
    : { is: "missing", kind, name };
}

/** Finds the consumers by the records of their XRs. @returns undefined until all have been looked up. */
export function findConsumers(owner: Owner, { requirements }: Call): readonly Consumer[] | undefined {
  if (owner.is !== "found") return undefined;
  const { composite } = owner;
  const match = { labels: { [usesLabel(composite)]: "true" } };
  const answers = Object.values(RECORD_KINDS).map((kind) =>
    requirements.ask(toRequirement(`consumers/${kind.kind}`, { ...kind, match })),
  );
  const records = answers.map((answer) => (answer.is === "pending" ? undefined : answer.items));
  if (!records.every((items) => items !== undefined)) return undefined;
  return records
    .flat()
    .flatMap((record) => toConsumers(record, composite))
    .sort(compareConsumers);
}
