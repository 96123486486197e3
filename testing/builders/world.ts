import { findComposerIn } from "../../cli/audit/read.ts";
import type { World } from "../../cli/audit/world.ts";
import { toComposite } from "../../src/crossplane/composite.ts";
import { resourceKey, toReference } from "../../src/crossplane/references.ts";
import { type Document, documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** XRs, composed resources with Crossplane's label, and what else an audit reads. */
export interface WorldParts {
  readonly stores?: readonly JsonObject[];
  readonly buckets?: readonly JsonObject[];
  readonly unregistered?: readonly JsonObject[];
  readonly referred?: readonly (readonly [string, Document | "missing" | "kindMissing"])[];
  readonly leaving?: readonly string[];
}

/** Builds the state of a cluster as the audit has read it. */
export function worldOf({ stores = [], buckets = [], ...more }: WorldParts): World {
  const { unregistered = [], referred = [], leaving = [] } = more;
  const documents = [...stores, ...buckets].map(documentOf);
  const composites = stores.map((object) => toComposite(documentOf(object)));
  return {
    composites,
    findComposer: findComposerIn(composites),
    labelled: new Map(documents.map((document) => [resourceKey(toReference(document)), document])),
    unregistered: unregistered.map(documentOf),
    referred: new Map(referred),
    leaving: new Set(leaving),
    notLookedAt: [],
    kinds: 2,
  };
}
