import { toApiGroup, toGroupKind } from "../crossplane/api-group.ts";
import { type CopyKind, readCopiedSecret } from "../crossplane/copies.ts";
import type { Grantee } from "../crossplane/grants.ts";
import { formatGrantee } from "../crossplane/grants.ts";
import {
  COMPOSITE_LABEL,
  composerName,
  findController,
  readAnnotation,
  readComposers,
  readLabel,
} from "../crossplane/metadata.ts";
import { compareTexts } from "../model/collections.ts";
import { type Document, stringAt } from "../model/document.ts";
import { DNS_LABEL, isName } from "../model/names.ts";
import { OWNER } from "./annotations.ts";

/** An XR or claim that has a copy of a shared resource's connection Secret. */
export interface Consumer {
  /** The namespace that its grant is judged for. */
  readonly namespace: string;
  /** Kind.group of the XR or claim. */
  readonly kind: string;
  readonly name: string;
  /** The copy's name, prefixed with its namespace if that differs from `namespace`. */
  readonly secretName: string;
  /** All namespaces that need a grant. */
  readonly namespaces: readonly string[];
  /** The kinds and namespaces by which a ReferenceGrant may name it. */
  readonly grantees: readonly Grantee[];
}

/** A consumer, granted if all its namespaces are, or its kind by a ReferenceGrant. */
export interface JudgedConsumer extends Consumer {
  readonly isGranted: boolean;
}

/** Judges consumers by the granted namespaces and the grantees of ReferenceGrants. */
export function judgeConsumers(
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

/**
 * Reads the consumer of a copy. A team may write any label and annotation in its namespace. So a Secret or a namespaced Object
 * always counts for its own namespace; one that copies to another namespace needs a grant for both. Teams must not have the right
 * to write cluster-scoped Objects (docs/security.md).
 *
 * @returns undefined if Crossplane did not compose it, or if an Object makes no Secret.
 */
export function toConsumer(copy: Document, kind: CopyKind): Consumer | undefined {
  const secret = readCopiedSecret(copy);
  if (secret === undefined || !isComposedCopy(copy) || !DNS_LABEL.test(secret.namespace) || !isName(secret.name)) {
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

/** Lists the kinds that a ReferenceGrant may name for a copy: that of its owner, a claim or XR, and that of the XR in control. */
function toGrantees(copy: Document, kind: string, namespace: string): readonly Grantee[] {
  const controller = findController(copy);
  const kinds = controller === undefined ? [] : [toGroupKind(controller.kind, toApiGroup(controller.apiVersion))];
  return [...new Set([kind, ...kinds])].map((name) => ({ namespace, kind: name }));
}

/**
 * Tells whether the copy's metadata proves that Crossplane composed it: the XR's label, and the field manager of the controlling
 * XR. A restore may drop managed fields and controller; then the label suffices.
 */
function isComposedCopy(copy: Document): boolean {
  if (readLabel(copy, COMPOSITE_LABEL) === undefined) return false;
  const composers = readComposers(copy);
  const controller = findController(copy);
  return composers.length === 0 || controller === undefined || composers.includes(composerName(controller));
}

/** Longer than a kind, a namespace and a name together. */
const MAX_OWNER = 1000;
const KIND_NAME = /^[A-Za-z][A-Za-z0-9]{0,62}(?:\.[-.a-z0-9]{1,253})?$/;

/** Reads the owner that the copy names; the copy itself if that name is invalid. */
function readOwner(copy: Document): Pick<Consumer, "kind" | "name"> & { readonly namespace: string | undefined } {
  const owner = readWrittenOwner(copy);
  const [kind = "", ...names] = owner !== undefined && owner.length < MAX_OWNER ? owner.split("/") : [];
  const name = names.at(-1) ?? "";
  if (KIND_NAME.test(kind) && names.length <= 2 && isName(name)) {
    return { namespace: names.length === 2 ? names[0] : undefined, kind, name };
  }
  const own = stringAt(copy, ["kind"]) ?? "";
  return {
    namespace: undefined,
    kind: toGroupKind(own, toApiGroup(stringAt(copy, ["apiVersion"]))),
    name: stringAt(copy, ["metadata", "name"]) ?? "",
  };
}

/** Reads the owner that a copy names, in the format of `formatOwner`. */
export const readWrittenOwner = (copy: Document): string | undefined =>
  readAnnotation(copy, OWNER) ?? stringAt(copy, ["spec", "forProvider", "manifest", "metadata", "annotations", OWNER]);

/** Compares by namespace, kind, name and Secret. */
export const compareConsumers = (a: Consumer, b: Consumer): number =>
  compareTexts(a.namespace, b.namespace) ||
  compareTexts(a.kind, b.kind) ||
  compareTexts(a.name, b.name) ||
  compareTexts(a.secretName, b.secretName);
