import { readNamelessCreation } from "../../crossplane/managed-resource.ts";
import { ALL_ACTIONS, lacksLateInitialize, mayCreate, readPolicies } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";

interface Evidence {
  readonly desired: Document;
  /** The observed managed resource; undefined if it is not created yet, or was lost. */
  readonly observed: Document | undefined;
  readonly recorded: string | undefined;
  /** True if a record that teams cannot write has `recorded`. Only then is it set on a resource that has no name. */
  readonly isConfirmed: boolean;
  /** True if the resource is not created without a recorded name. */
  readonly isHeld: boolean;
  /** The fields from which a lost name can be read. */
  readonly rescuePaths: readonly FieldPath[];
}

/** The external name of a managed resource, and its source as the condition's reason. */
export type NameVerdict =
  | { readonly is: "SetByPipeline" }
  | { readonly is: "ChangedByPipeline"; readonly name: string; readonly seen: string }
  | { readonly is: "Pinned" | "RestoredFromRecord" | "Rescued"; readonly name: string }
  | { readonly is: "DuplicateSuspected"; readonly name: string; readonly other: string }
  /** Not created: no name is recorded (`requireRecord`), or only an `unconfirmed` one. */
  | { readonly is: "WaitingForRecord"; readonly unconfirmed: string | undefined }
  /** Not created again: the provider began a creation at `createdAt`, recorded no name, and may have forgotten the creation. */
  | { readonly is: "NameNotRecorded"; readonly createdAt: string }
  /** No name yet. With `LateInitializeMissing` the provider may lose it. */
  | { readonly is: "LateInitializeMissing" | "WaitingForNames" };

/**
 * Chooses the external name, the first of these that exists:
 *
 * 1. the name that the pipeline sets;
 * 2. the observed name, which is never overridden, even if the record has another;
 * 3. the recorded name: it was observed before the loss;
 * 4. the name in one of `rescuePaths`, such as the reported ID. It may be of a second cloud resource, so it comes last.
 *
 * If the record has another name than 2 or 4, there may be two cloud resources.
 */
export function judgeName(evidence: Evidence): NameVerdict {
  const { desired, observed, recorded, isConfirmed, rescuePaths } = evidence;
  const seen = observed && stringAt(observed, EXTERNAL_NAME);
  const wanted = stringAt(desired, EXTERNAL_NAME);
  if (wanted !== undefined) {
    const isChanged = seen !== undefined && seen !== wanted;
    return isChanged ? { is: "ChangedByPipeline", name: wanted, seen } : { is: "SetByPipeline" };
  }
  const id = observed && rescuePaths.map((path) => stringAt(observed, path)).find((found) => found !== undefined);
  const confirmed = isConfirmed ? recorded : undefined;
  const name = seen ?? confirmed ?? id;
  if (name === undefined) return judgeNameless(evidence);
  const other = seen === undefined ? id : recorded;
  if (other !== undefined && other !== name) return { is: "DuplicateSuspected", name, other };
  if (seen !== undefined) return { is: "Pinned", name };
  return { is: confirmed === undefined ? "Rescued" : "RestoredFromRecord", name };
}

function judgeNameless({ desired, observed, recorded, isHeld, rescuePaths }: Evidence): NameVerdict {
  if (recorded !== undefined || (isHeld && observed === undefined))
    return { is: "WaitingForRecord", unconfirmed: recorded };
  const createdAt = observed && readNamelessCreation(observed);
  if (createdAt !== undefined && mayCreate(readPolicies(desired) ?? ALL_ACTIONS))
    return { is: "NameNotRecorded", createdAt };
  // An asynchronous provider stores the name by late initialization only (crossplane#5918).
  const isAtRisk = rescuePaths.length > 0 && lacksLateInitialize(readPolicies(observed ?? desired) ?? ALL_ACTIONS);
  return { is: isAtRisk ? "LateInitializeMissing" : "WaitingForNames" };
}
