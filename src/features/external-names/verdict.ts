import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";

export const EXTERNAL_NAME: FieldPath = ["metadata", "annotations", "crossplane.io/external-name"];

/** All that is known of the external name of one managed resource. */
export interface Evidence {
  readonly desired: Document;
  /** Undefined where it is not created yet, or lost. */
  readonly observed: Document | undefined;
  readonly recorded: string | undefined;
  /** Where its kind's name is found when the annotation is lost. */
  readonly rescuePaths: readonly FieldPath[];
}

/** Which external name a managed resource has, and where we have it from. */
export type Verdict =
  | { readonly is: "setByPipeline"; readonly name: string; readonly observed: string | undefined }
  /** Ours may be the ledger's or a rescued one, which would go from the resource if we no longer desired it. */
  | { readonly is: "observed"; readonly name: string; readonly isOurs: boolean }
  | { readonly is: "recorded"; readonly name: string }
  | { readonly is: "rescued"; readonly name: string }
  | { readonly is: "duplicate"; readonly name: string; readonly other: string; readonly recorded: string }
  | { readonly is: "unnamed"; readonly isAtRisk: boolean };

/**
 * The first of these that there is:
 *
 * 1. the name that the pipeline sets: whoever wrote the Composition wants it;
 * 2. the name that is observed: nothing of ours overrides it, also where the ledger has another;
 * 3. the name in the ledger: it was observed when all was well, while the provider's id may already be that of a second
 *    cloud resource, made because the name was lost;
 * 4. the id that the provider reports, for kinds of which we know that it is the name.
 *
 * Where the ledger has another name than 2 or 4, there may be two cloud resources.
 */
export function judge({ desired, observed, recorded, rescuePaths }: Evidence): Verdict {
  const seen = observed && stringAt(observed, EXTERNAL_NAME);
  const wanted = stringAt(desired, EXTERNAL_NAME);
  if (wanted !== undefined) return { is: "setByPipeline", name: wanted, observed: seen };

  const id = observed && rescuePaths.map((path) => stringAt(observed, path)).find((found) => found !== undefined);
  if (seen !== undefined) return judgeObserved(seen, recorded, id);
  if (recorded !== undefined) return judgeRecorded(recorded, id);
  if (id !== undefined) return { is: "rescued", name: id };
  return { is: "unnamed", isAtRisk: rescuePaths.length > 0 && lacksLateInitialize(observed ?? desired) };
}

function judgeObserved(name: string, recorded: string | undefined, id: string | undefined): Verdict {
  if (recorded !== undefined && recorded !== name) return { is: "duplicate", name, other: recorded, recorded };
  return { is: "observed", name, isOurs: name === recorded || name === id };
}

const judgeRecorded = (recorded: string, id: string | undefined): Verdict =>
  id === undefined || id === recorded
    ? { is: "recorded", name: recorded }
    : { is: "duplicate", name: recorded, other: id, recorded };

/** An asynchronous provider stores the name by late initialization (crossplane#5918); without it the name is soon lost. */
function lacksLateInitialize(resource: Document): boolean {
  const policies = resource.at(["spec", "managementPolicies"]);
  if (!Array.isArray(policies) || policies.includes("*")) return false;
  return policies.includes("Create") && !policies.includes("LateInitialize");
}

/**
 * A managed resource, as Crossplane's API conventions shape it: its CRD fills in these fields. A nested XR may have such
 * fields too, but then it has a Composition as well.
 */
export function isManaged(observed: Document): boolean {
  const has = (field: string): boolean => observed.at(["spec", field]) !== undefined;
  const isComposite = has("crossplane") || has("compositionRef") || has("compositionRevisionRef");
  return (has("providerConfigRef") || has("managementPolicies")) && !isComposite;
}
