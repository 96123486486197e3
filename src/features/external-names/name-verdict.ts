import { type ManagedKind, readNamelessCreation } from "../../crossplane/managed-resource.ts";
import { ALL_ACTIONS, lacksLateInitialize, mayCreate, readPolicies } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";

interface Evidence {
  readonly desired: Document;
  /** Undefined if the resource is not created yet, or was lost. */
  readonly observed: Document | undefined;
  readonly recorded: string | undefined;
  /** True if the recorded name lies where no team can write it; a team's word alone names no lost cloud resource. */
  readonly isConfirmed: boolean;
  /** True if it is not created without a recorded name. */
  readonly isHeld: boolean;
  /** The fields with the name when the annotation is lost. */
  readonly rescuePaths: readonly FieldPath[];
}

/** A desired managed resource, and the verdict on its external name. */
export interface NamedResource extends Evidence {
  readonly name: string;
  readonly kind: ManagedKind;
  readonly verdict: NameVerdict;
}

/** The external name of a managed resource, and its source. */
export type NameVerdict =
  | { readonly is: "setByPipeline"; readonly name: string; readonly observed: string | undefined }
  | { readonly is: "observed" | "recorded" | "rescued"; readonly name: string }
  | { readonly is: "duplicate"; readonly name: string; readonly other: string }
  /** Not created: its name is not recorded (`requireRecord`), or is `unconfirmed`. */
  | { readonly is: "held"; readonly unconfirmed: string | undefined }
  /** `isAtRisk`: the name may get lost. */
  | { readonly is: "unnamed"; readonly isAtRisk: boolean }
  /** `createdAt`: its creation began, and its provider may have forgotten that. */
  | { readonly is: "notRecorded"; readonly createdAt: string };

/**
 * Chooses the external name, the first of these that exists:
 *
 * 1. the name that the pipeline sets;
 * 2. the observed name, which is never overridden, even if the record has another;
 * 3. the name in the record: it was observed before the loss, while the provider's id may already belong to a second cloud
 *    resource, created because the name was lost;
 * 4. the id that the provider reports, for kinds whose id is the name.
 *
 * If the record has another name than 2 or 4, there may be two cloud resources.
 */
export function judgeName(evidence: Evidence): NameVerdict {
  const { desired, observed, recorded, isHeld, rescuePaths } = evidence;
  const seen = observed && stringAt(observed, EXTERNAL_NAME);
  const wanted = stringAt(desired, EXTERNAL_NAME);
  if (wanted !== undefined) return { is: "setByPipeline", name: wanted, observed: seen };
  const id = observed && rescuePaths.map((path) => stringAt(observed, path)).find((found) => found !== undefined);
  const named = judgeNamed(evidence, seen, id);
  if (named !== undefined) return named;
  if (recorded !== undefined || (isHeld && observed === undefined)) return { is: "held", unconfirmed: recorded };
  return judgeNameless(desired, observed, rescuePaths.length > 0);
}

function judgeNamed({ recorded, isConfirmed }: Evidence, seen: string | undefined, id: string | undefined) {
  const confirmed = isConfirmed ? recorded : undefined;
  const name = seen ?? confirmed ?? id;
  const other = seen === undefined ? id : recorded;
  if (name === undefined) return undefined;
  if (other !== undefined && other !== name) return { is: "duplicate", name, other } as const;
  if (seen !== undefined) return { is: "observed", name } as const;
  return { is: confirmed === undefined ? "rescued" : "recorded", name } as const;
}

function judgeNameless(desired: Document, observed: Document | undefined, isAsynchronous: boolean): NameVerdict {
  const createdAt = observed && readNamelessCreation(observed);
  if (createdAt !== undefined && mayCreate(readPolicies(desired) ?? ALL_ACTIONS))
    return { is: "notRecorded", createdAt };
  // An asynchronous provider stores the name by late initialization only (crossplane#5918).
  const isAtRisk = isAsynchronous && lacksLateInitialize(readPolicies(observed ?? desired) ?? ALL_ACTIONS);
  return { is: "unnamed", isAtRisk };
}
