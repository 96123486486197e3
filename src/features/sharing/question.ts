import type { Answer, ResourceSelector } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

/** One requirement, and what Crossplane answered. It is returned for as long as it is needed: Crossplane watches it. */
export interface Question {
  readonly name: string;
  readonly selector: ResourceSelector;
  readonly answer: Answer;
}

export const ask = (name: string, selector: ResourceSelector, { request }: Call): Question => ({
  name,
  selector,
  answer: request.required(name),
});

/** The requirement of one Secret. */
export const askForSecret = (name: string, secret: { readonly namespace: string; readonly name: string }, call: Call) =>
  ask(name, { apiVersion: "v1", kind: "Secret", namespace: secret.namespace, match: { name: secret.name } }, call);
