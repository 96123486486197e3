import type { Document } from "./document.ts";

/** Selects the kind whose OpenAPI schema Crossplane looks up. */
export interface SchemaSelector {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Selects the resources that Crossplane looks up. Without a namespace, labels match in all namespaces. */
export interface ResourceSelector extends SchemaSelector {
  readonly namespace?: string | undefined;
  readonly match: { readonly name: string } | { readonly labels: Readonly<Record<string, string>> };
}

export interface Requirement {
  readonly name: string;
  readonly selector: ResourceSelector;
}

export interface SchemaRequirement extends SchemaSelector {
  readonly name: string;
}

/** The kind's OpenAPI v3 schema; "unknown" where Crossplane has none. */
export type SchemaAnswer =
  | { readonly is: "pending" | "unknown" }
  | { readonly is: "resolved"; readonly schema: Document };

/**
 * Crossplane's answer to a requirement. Pending is not empty: on the first call of a reconcile nothing has been looked
 * up. A function that took pending for empty would drop the resources that it composed before.
 */
export type LookupAnswer =
  | { readonly is: "pending" }
  | { readonly is: "resolved"; readonly items: readonly Document[] };

/** A request's answers, by the names of the requirements. */
export interface Answers {
  required(name: string): LookupAnswer;
  requiredSchema(name: string): SchemaAnswer;
}

const nameSchema = (prefix: string, { apiVersion, kind }: SchemaSelector): string => `${prefix}/${apiVersion}/${kind}`;

/** Asks Crossplane, and records each requirement for the response, so that no feature forgets one. */
export class Requirements {
  readonly resources = new Map<string, ResourceSelector>();
  readonly schemas = new Map<string, SchemaSelector>();
  /** True once a requirement was asked that Crossplane has not looked up yet. */
  isPending = false;
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  ask({ name, selector }: Requirement): LookupAnswer {
    this.resources.set(name, selector);
    return this.#noted(this.#answers.required(name));
  }

  askSchema({ name, apiVersion, kind }: SchemaRequirement): SchemaAnswer {
    this.schemas.set(name, { apiVersion, kind });
    return this.#noted(this.#answers.requiredSchema(name));
  }

  /**
   * Finds the first of these kinds that the cluster serves, by requiring their schemas (Crossplane v2.2 and later).
   * @param prefix begins the names of these requirements.
   */
  findServed<Kind extends SchemaSelector>(prefix: string, kinds: readonly Kind[]): Kind | "pending" | undefined {
    const answers = kinds.map(
      (kind) => [kind, this.askSchema({ ...kind, name: nameSchema(prefix, kind) }).is] as const,
    );
    const [kind, is] = answers.find(([, answer]) => answer !== "unknown") ?? [];
    return is === "pending" ? is : kind;
  }

  /**
   * Asks for resources of a kind that the cluster may not serve, in the first of these versions that it serves. Requiring
   * resources of a version that is not served fails the XR, so the schemas are required first. A version whose resources
   * are answered while its schema is pending is served, too: v2.4 begins a reconcile with the resources that the last one
   * required, but without the schemas.
   */
  askServed(prefix: string, ...versions: readonly Requirement[]): LookupAnswer | { readonly is: "notServed" } {
    const isAnswered = ({ name, selector }: Requirement): boolean =>
      this.#answers.requiredSchema(nameSchema(prefix, selector)).is === "pending" &&
      this.#answers.required(name).is === "resolved";
    const kinds = versions.map((version) => ({ ...version, ...version.selector }));
    const served = versions.find(isAnswered) ?? this.findServed(prefix, kinds);
    if (served === undefined) return { is: "notServed" };
    return served === "pending" ? { is: "pending" } : this.ask(served);
  }

  /** Asks for resources of a kind that the cluster may not serve. If it does not, the answer has no items. */
  askIfServed(requirement: Requirement): LookupAnswer {
    const answer = this.askServed("served", requirement);
    return answer.is === "notServed" ? { is: "resolved", items: [] } : answer;
  }

  /** Reads an answer without recording a requirement. */
  recall(name: string): LookupAnswer {
    return this.#answers.required(name);
  }

  /** Makes Requirements with the same answers. The response has their requirements only if `add` takes them over. */
  fork(): Requirements {
    return new Requirements(this.#answers);
  }

  add({ resources, schemas, isPending }: Requirements): void {
    for (const [name, selector] of resources) this.resources.set(name, selector);
    for (const [name, selector] of schemas) this.schemas.set(name, selector);
    this.isPending ||= isPending;
  }

  #noted<T extends LookupAnswer | SchemaAnswer>(answer: T): T {
    this.isPending ||= answer.is === "pending";
    return answer;
  }
}
