import { toApiGroup } from "../../crossplane/api-group.ts";
import { type ManagedKind, toManagedKind } from "../../crossplane/managed-resource.ts";
import { findFacts, type IdentityFacts, type KindFacts } from "../../crossplane/providers/families.ts";
import type { ResourceRule } from "../../input/tags.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Call } from "../feature.ts";
import { fits } from "./glob.ts";

/** A kind, with its rule in the input and its facts in our tables. */
export interface KnownKind {
  readonly kind: ManagedKind;
  /** The entry of the input that selects the kind; undefined if none does. */
  readonly rule: ResourceRule | undefined;
  readonly facts: KindFacts;
  /** The identifying fields, those of the input included. */
  readonly identity: IdentityFacts;
}

/** The rule of an input without `resources`. */
const EVERY_KIND: ResourceRule = {
  apiGroup: "*",
  kind: "*",
  fieldPath: undefined,
  externalNameFieldPath: undefined,
  scopeFieldPaths: [],
  managementPolicies: true,
};

/** The kinds in one call, each looked up once: an XR composes many resources of few kinds. */
export class KnownKinds {
  readonly #rules: readonly ResourceRule[];
  /** By apiVersion, then by kind: a combined key would have to be built for each resource. */
  readonly #known = new Map<string, Map<string, KnownKind>>();

  constructor({ input }: Call) {
    this.#rules = input.spec.tags?.resources ?? [EVERY_KIND];
  }

  of(resource: Document): KnownKind {
    const apiVersion = stringAt(resource, ["apiVersion"]) ?? "";
    const kind = stringAt(resource, ["kind"]) ?? "";
    return this.#known.get(apiVersion)?.get(kind) ?? this.#remember(apiVersion, kind);
  }

  #remember(apiVersion: string, kind: string): KnownKind {
    const known = this.#lookUp(apiVersion, kind);
    const kinds = this.#known.get(apiVersion);
    if (kinds === undefined) this.#known.set(apiVersion, new Map([[kind, known]]));
    else kinds.set(kind, known);
    return known;
  }

  #lookUp(apiVersion: string, name: string): KnownKind {
    const kind = toManagedKind(apiVersion, name);
    const groups = [toApiGroup(apiVersion), kind.group];
    const rule = this.#rules.find(
      ({ apiGroup, kind: glob }) => groups.some((group) => fits(group, apiGroup)) && fits(name, glob),
    );
    const facts = findFacts(kind.group, name);
    return { kind, rule, facts, identity: withNamedFields(rule, facts.identity) };
  }
}

/** Adds the identifying fields that the input names. */
function withNamedFields(rule: ResourceRule | undefined, facts: IdentityFacts): IdentityFacts {
  if (rule === undefined) return facts;
  const { externalNameFieldPath, scopeFieldPaths } = rule;
  return {
    ...facts,
    name: externalNameFieldPath === undefined ? facts.name : { is: "association", paths: [externalNameFieldPath] },
    scope: [...facts.scope, ...scopeFieldPaths],
  };
}
