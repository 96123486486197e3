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
  /** The copy's name, after its namespace if that differs from `namespace`. */
  readonly secretName: string;
  /** All namespaces that need a grant. */
  readonly namespaces: readonly string[];
  /** The kinds and namespaces by which a ReferenceGrant may name it. */
  readonly grantees: readonly Grantee[];
}

/** A consumer, and whether it is granted: all namespaces that it needs, or its kind by a ReferenceGrant. */
export interface JudgedConsumer extends Consumer {
  readonly isGranted: boolean;
}

/** Judges consumers by the namespaces that are granted, and by those whom ReferenceGrants name. */
export function judge(
  consumers: readonly Consumer[],
  isGranted: (namespace: string) => boolean,
  grantees: readonly Grantee[],
): readonly JudgedConsumer[] {
  const referred = new Set(grantees.map(formatGrantee));
  return consumers.map((consumer) => ({
    ...consumer,
    isGranted:
      consumer.namespaces.every(isGranted) || consumer.grantees.some((grantee) => referred.has(formatGrantee(grantee))),
  }));
}

const formatGrantee = ({ namespace, kind }: Grantee): string => `${namespace}/${kind}`;

/**
 * Reads the consumer of a copy. A team may write anything in its namespace, labels and annotations included. So a Secret or a
 * namespaced Object always stands for its own namespace; if it copies to another one, it needs a grant for both. Teams must not
 * have the right to write cluster-scoped Objects (docs/security.md).
 *
 * @returns undefined if Crossplane did not compose it, or if an Object makes no Secret.
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
 * Tells whether its metadata proves that Crossplane composed it: by the XR's label, and by the field manager with which Crossplane
 * applies the controlling XR's resources. A restore may drop managed fields and controller; then the label has to suffice.
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

/** Reads the owner that the copy names; the copy itself if that is not a valid name of an XR or claim. */
function readOwner(copy: Document): Pick<Consumer, "kind" | "name"> & { readonly namespace: string | undefined } {
  const owner = readWrittenOwner(copy);
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
export const readWrittenOwner = (copy: Document): string | undefined =>
  readAnnotation(copy, OWNER) ?? stringAt(copy, ["spec", "forProvider", "manifest", "metadata", "annotations", OWNER]);

/** Compares by namespace, kind, name and Secret. */
export const compareConsumers = (a: Consumer, b: Consumer): number =>
  compareTexts(a.namespace, b.namespace) ||
  compareTexts(a.kind, b.kind) ||
  compareTexts(a.name, b.name) ||
  compareTexts(a.secretName, b.secretName);
