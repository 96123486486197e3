import type { Document } from "./document.ts";

/** The resources that Crossplane is to find. Without a namespace, labels match in all namespaces. */
export interface ResourceSelector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly match: { readonly name: string } | { readonly labels: Readonly<Record<string, string>> };
}

/** A resource that Crossplane is asked for, and the name under which the answer comes. */
export interface Requirement {
  readonly name: string;
  readonly selector: ResourceSelector;
}

/** A kind whose OpenAPI schema Crossplane is asked for. */
export interface SchemaSelector {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A schema that Crossplane is asked for, and the name under which the answer comes. */
export interface SchemaRequirement extends SchemaSelector {
  readonly name: string;
}

/** The kind's OpenAPI v3 schema; "unknown" where Crossplane has none. */
export type SchemaAnswer =
  | { readonly is: "pending" | "unknown" }
  | { readonly is: "resolved"; readonly schema: Document };

/**
 * Crossplane's answer to a requirement. Pending is not empty: on the first call of a reconcile nothing has been looked up, and
 * a function that takes that for an empty answer drops what it had composed before.
 */
export type Answer = { readonly is: "pending" } | { readonly is: "resolved"; readonly items: readonly Document[] };

/** A request's answers, by the names of the requirements. */
export interface Answers {
  /** The answer to the requirement of that name, in whichever field this generation of Crossplane answers. */
  required(name: string): Answer;
  /** The answer to the schema requirement of that name. */
  requiredSchema(name: string): SchemaAnswer;
}

/**
 * Asks Crossplane, and records what was asked: that is what the response requires, so no feature can forget a requirement that
 * its answer depends on. (Requirements that come and go make Crossplane fail the XR after five rounds.)
 */
export class Requirements {
  readonly resources = new Map<string, ResourceSelector>();
  readonly schemas = new Map<string, SchemaSelector>();
  readonly #answers: Answers;
  #isPending = false;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** True once something was asked that Crossplane has not looked up yet. */
  get isPending(): boolean {
    return this.#isPending;
  }

  ask({ name, selector }: Requirement): Answer {
    this.resources.set(name, selector);
    return this.#noted(this.#answers.required(name));
  }

  askSchema({ name, apiVersion, kind }: SchemaRequirement): SchemaAnswer {
    this.schemas.set(name, { apiVersion, kind });
    return this.#noted(this.#answers.requiredSchema(name));
  }

  #noted<T extends Answer | SchemaAnswer>(answer: T): T {
    this.#isPending ||= answer.is === "pending";
    return answer;
  }
}
