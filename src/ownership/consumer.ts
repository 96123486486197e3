import { toApiGroup, toGroupKind } from "../crossplane/api-group.ts";
import { findController } from "../crossplane/controller.ts";
import { type CopyKind, readCopiedSecret } from "../crossplane/copies.ts";
import { composerName, readComposers } from "../crossplane/field-managers.ts";
import { COMPOSITE_LABEL, readAnnotation, readLabel } from "../crossplane/metadata.ts";
import type { Grantee } from "../crossplane/reference-grant.ts";
import { compareTexts } from "../model/compare.ts";
import { type Document, stringAt } from "../model/document.ts";
import { DNS_LABEL, isName } from "../model/names.ts";
import { OWNER } from "./owner.ts";

/** An XR or claim that has a copy of a shared resource's connection Secret. */
export interface Consumer {
  /** The namespace that its grant is judged for. */
  readonly namespace: string;
  /** Kind.group of the XR or claim. */
  readonly kind: string;
  readonly name: string;
  /** The copy: its name, with its namespace before it where that is another one. */
  readonly secretName: string;
  /** All namespaces that need a grant. */
  readonly namespaces: readonly string[];
  /** What a ReferenceGrant may name for it. */
  readonly grantees: readonly Grantee[];
}

/**
 * Reads who a copy is for. Whatever lies in a team's namespace may be written by that team, labels and annotations included, so
 * a Secret or a namespaced Object stands for the namespace that it lies in, whatever it says; one that says it copies to another
 * namespace needs a grant for both. Cluster-scoped Objects are not for teams to write (docs/security.md).
 *
 * @returns undefined for what Crossplane did not compose, and for an Object that makes no Secret.
 */
export function toConsumer(copy: Document, kind: CopyKind): Consumer | undefined {
  const secret = readCopiedSecret(copy);
  if (secret === undefined || !isComposed(copy) || !DNS_LABEL.test(secret.namespace) || !isName(secret.name)) {
    return undefined;
  }
  const own = stringAt(copy, ["metadata", "namespace"]);
  const namespace = kind === "Object" ? secret.namespace : own;
  if (namespace === undefined) return undefined;
  const isElsewhere = secret.namespace !== namespace;
  const { namespace: ownerNamespace, ...owner } = readOwner(copy);
  return {
    namespace,
    ...owner,
    secretName: isElsewhere ? `${secret.namespace}/${secret.name}` : secret.name,
    namespaces: isElsewhere ? [namespace, secret.namespace] : [namespace],
    grantees: toGrantees(copy, owner.kind, kind === "Object" ? (ownerNamespace ?? namespace) : namespace),
  };
}

/** The written owner, and the XR in control: a ReferenceGrant may name the kind of a claim or that of its XR. */
function toGrantees(copy: Document, kind: string, namespace: string): readonly Grantee[] {
  const controller = findController(copy);
  const kinds = controller === undefined ? [] : [toGroupKind(controller.kind, toApiGroup(controller.apiVersion))];
  return [...new Set([kind, ...kinds])].map((name) => ({ namespace, kind: name }));
}

/**
 * Tells whether Crossplane composed it, as far as it proves that: the label of the XR, and the field manager by which Crossplane
 * applies what the XR in control composes. A restore may drop managed fields and controller; then the label alone has to do.
 */
function isComposed(copy: Document): boolean {
  if (readLabel(copy, COMPOSITE_LABEL) === undefined) return false;
  const composers = readComposers(copy);
  const controller = findController(copy);
  return composers.length === 0 || controller === undefined || composers.includes(composerName(controller));
}

/** Longer than a kind, a namespace and a name can be together. */
const MAX_OWNER = 1000;
const KIND = /^[A-Za-z][A-Za-z0-9]{0,62}(?:\.[-.a-z0-9]{1,253})?$/;

/** The owner that is written on it; the resource itself where that is nothing an XR or claim can be called. */
function readOwner(copy: Document): Pick<Consumer, "kind" | "name"> & { readonly namespace: string | undefined } {
  const owner = writtenOwnerOf(copy);
  const [kind = "", ...names] = owner !== undefined && owner.length < MAX_OWNER ? owner.split("/") : [];
  const name = names.at(-1) ?? "";
  if (KIND.test(kind) && names.length <= 2 && isName(name)) {
    return { namespace: names.length === 2 ? names[0] : undefined, kind, name };
  }
  const own = stringAt(copy, ["kind"]) ?? "";
  return {
    namespace: undefined,
    kind: toGroupKind(own, toApiGroup(stringAt(copy, ["apiVersion"]))),
    name: stringAt(copy, ["metadata", "name"]) ?? "",
  };
}

/** The owner that a copy names, as `formatOwner` writes it. */
export const writtenOwnerOf = (copy: Document): string | undefined =>
  readAnnotation(copy, OWNER) ?? stringAt(copy, ["spec", "forProvider", "manifest", "metadata", "annotations", OWNER]);

/** By namespace, kind, name and Secret. */
export const compareConsumers = (a: Consumer, b: Consumer): number =>
  compareTexts(a.namespace, b.namespace) ||
  compareTexts(a.kind, b.kind) ||
  compareTexts(a.name, b.name) ||
  compareTexts(a.secretName, b.secretName);
