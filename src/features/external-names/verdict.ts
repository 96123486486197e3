import { EVERYTHING, lacksLateInitialize, readPolicies } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";

/** Everything known about the external name of one managed resource. */
export interface Evidence {
  readonly desired: Document;
  /** Undefined where it is not created yet, or was lost. */
  readonly observed: Document | undefined;
  readonly recorded: string | undefined;
  /** The paths that hold the name when the annotation is lost. */
  readonly rescuePaths: readonly FieldPath[];
}

/** The external name of a managed resource, and its source. */
export type NameVerdict =
  | { readonly is: "setByPipeline"; readonly name: string; readonly observed: string | undefined }
  /** `isOurs`: from the ledger or rescued; the annotation would go from the resource if we no longer desired it. */
  | { readonly is: "observed"; readonly name: string; readonly isOurs: boolean }
  | { readonly is: "recorded"; readonly name: string }
  | { readonly is: "rescued"; readonly name: string }
  | { readonly is: "duplicate"; readonly name: string; readonly other: string; readonly recorded: string }
  | { readonly is: "unnamed"; readonly isAtRisk: boolean };

/**
 * Takes the first of these that exists:
 *
 * 1. the name that the pipeline sets: whoever wrote the Composition wants it;
 * 2. the name that is observed: we never override it, even where the ledger has another;
 * 3. the name in the ledger: it was observed when all was well, while the provider's id may already be that of a second
 *    cloud resource, made because the name was lost;
 * 4. the id that the provider reports, for kinds of which we know that it is the name.
 *
 * Where the ledger has another name than 2 or 4, there may be two cloud resources.
 */
export function judgeName({ desired, observed, recorded, rescuePaths }: Evidence): NameVerdict {
  const seen = observed && stringAt(observed, EXTERNAL_NAME);
  const wanted = stringAt(desired, EXTERNAL_NAME);
  if (wanted !== undefined) return { is: "setByPipeline", name: wanted, observed: seen };

  const id = observed && rescuePaths.map((path) => stringAt(observed, path)).find((found) => found !== undefined);
  if (seen !== undefined) return judgeObserved(seen, recorded, id);
  if (recorded !== undefined) return judgeRecorded(recorded, id);
  if (id !== undefined) return { is: "rescued", name: id };
  return { is: "unnamed", isAtRisk: rescuePaths.length > 0 && isAtRisk(observed ?? desired) };
}

function judgeObserved(name: string, recorded: string | undefined, id: string | undefined): NameVerdict {
  if (recorded !== undefined && recorded !== name) return { is: "duplicate", name, other: recorded, recorded };
  return { is: "observed", name, isOurs: name === recorded || name === id };
}

const judgeRecorded = (recorded: string, id: string | undefined): NameVerdict =>
  id === undefined || id === recorded
    ? { is: "recorded", name: recorded }
    : { is: "duplicate", name: recorded, other: id, recorded };

/** An asynchronous provider stores the name by late initialization (crossplane#5918); without it the name is soon lost. */
const isAtRisk = (resource: Document): boolean => lacksLateInitialize(readPolicies(resource) ?? EVERYTHING);
