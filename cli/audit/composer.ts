import type { Composite } from "../../src/crossplane/composite.ts";
import { COMPOSITE_LABEL_PATH, COMPOSITION_RESOURCE_NAME } from "../../src/crossplane/metadata.ts";
import {
  findProof,
  NestedComposites,
  type PossibleComposer,
  type Proof,
  toPossibleComposer,
} from "../../src/crossplane/proof.ts";
import { resourceKey, toReference } from "../../src/crossplane/references.ts";
import { groupBy } from "../../src/model/collections.ts";
import { type Document, stringAt } from "../../src/model/document.ts";

/** The XRs that may have composed a resource, as far as its metadata tells. */
export interface Composer {
  readonly composites: readonly Composite[];
  /** The XR that composed it, where that is sure. */
  readonly only: Composite | undefined;
}

/** An XR that may have composed orphans, read once for all of them. */
interface Candidate {
  readonly composite: Composite;
  readonly composer: PossibleComposer;
}

/** All XRs, to find the composers of orphans among them. */
export class Composers {
  /** By the root of their tree, which the label of all that they compose names: few are below one root. */
  readonly #byRoot: ReadonlyMap<string, readonly Candidate[]>;
  readonly #nested: NestedComposites;

  constructor(composites: readonly Composite[]) {
    const candidates = composites.map((composite) => ({ composite, composer: toPossibleComposer(composite) }));
    this.#byRoot = groupBy(candidates, ({ composer }) => composer.root);
    const byKey = new Map(composites.map(({ document }) => [resourceKey(toReference(document)), document]));
    this.#nested = new NestedComposites((reference) => {
      const found = byKey.get(resourceKey(reference)) ?? byKey.get(resourceKey({ ...reference, namespace: undefined }));
      return { is: "resolved", items: found === undefined ? [] : [found] };
    });
  }

  /**
   * Finds the XR by adoption's rules of proof: the label, the claim's labels, and Crossplane's field manager if there are managed
   * fields. A namespaced XR composes in its own namespace only. An XR whose nesting nothing confirms may have composed it all the
   * same, before it was restored: it is named, but never as the only one.
   */
  find(document: Document): Composer {
    // An Endpoints object copies its Service's labels, but not this annotation.
    if (stringAt(document, COMPOSITION_RESOURCE_NAME) === undefined) return { composites: [], only: undefined };
    const namespace = stringAt(document, ["metadata", "namespace"]);
    const possible = (this.#byRoot.get(stringAt(document, COMPOSITE_LABEL_PATH) ?? "") ?? [])
      .filter(({ composite }) => composite.namespace === undefined || composite.namespace === namespace)
      .map(({ composite, composer }) => ({ composite, proof: findProof(document, composer) }))
      .filter(({ proof }) => proof.is !== "unproven");
    const [first, ...others] = possible;
    const isSure = first !== undefined && others.length === 0 && this.#isComposer(first);
    return { composites: possible.map(({ composite }) => composite), only: isSure ? first.composite : undefined };
  }

  #isComposer({ composite, proof }: { readonly composite: Composite; readonly proof: Proof }): boolean {
    return proof.is === "proven" || this.#nested.confirm(composite.document).is === "confirmed";
  }
}
