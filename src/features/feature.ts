import type { Composite } from "../crossplane/composite.ts";
import { couldNotBeRead } from "../crossplane/requirement-names.ts";
import type { Input } from "../input/schema.ts";
import type { Draft } from "../model/draft.ts";
import { hashText } from "../model/hash.ts";
import { once } from "../model/once.ts";
import type { Request } from "../model/request.ts";
import type { Requirement, Requirements } from "../model/requirement.ts";

export interface Call {
  readonly request: Request;
  readonly input: Input;
  readonly composite: Composite;
  /** Looks up resources and schemas, and records the requirements for the response. */
  readonly requirements: Requirements;
  /** Names under which a restore has left several composed resources, and how a person chooses: see predecessors.ts. */
  readonly duplicates?: readonly { readonly resource: string; readonly sentence: string }[];
}

/**
 * Identifies this step by its input. Crossplane may call a step again with the context of its own response: the id separates what this step
 * left there from what earlier steps left. Two steps with the same input count as one.
 */
export const identifyStep = once((input: Input): string => hashText(JSON.stringify(input), 16));

/** One feature of the function: deterministic, and pure except for recording its requirements. */
export type Feature = (call: Call, draft: Draft) => Draft;

/** Tells whether Crossplane could not read a requirement with this prefix. Requiring it again would fail the XR. */
export const isUnreadable = ({ name }: Requirement, prefix: string, { request, composite }: Call): boolean =>
  couldNotBeRead(prefix, composite.document) && request.required(name).is === "pending";
