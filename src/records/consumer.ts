import { groupKindOf } from "../crossplane/api-group.ts";
import { claimNamespace } from "../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../crossplane/copies.ts";
import { FOR_ALL, formatGrantee, type Grantee, isReferenceGranted } from "../crossplane/grants.ts";
import {
  COMPOSITE_LABEL,
  type Controller,
  fieldManagerOf,
  findController,
  readAnnotation,
  readComposers,
  readLabel,
} from "../crossplane/metadata.ts";
import type { Reference } from "../crossplane/references.ts";
import { compareTexts } from "../model/collections.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { JsonObject } from "../model/json.ts";
import { isName } from "../model/names.ts";
import { OWNER } from "../ownership/annotations.ts";
import { admissionSubject } from "./answer.ts";
import { RECORD_LABEL, type ReadLimits, readBindings } from "./record.ts";

/** An XR or claim that uses a shared resource, or asks for it. */
export interface Consumer {
  /** The namespace that needs the grant; undefined for a cluster-scoped XR without a claim and without copies. */
  readonly namespace: string | undefined;
  /** Kind.group of the XR or claim. */
  readonly kind: string;
  readonly name: string;
  /** The copy's name, with its namespace if that is not `namespace`; undefined if the consumer takes fields only. */
  readonly secretName: string | undefined;
  /** Its composed resources that exist only with access, by name in the Composition. */
  readonly dependents: readonly string[];
  /** All namespaces that need a grant. "*" needs a grant to all namespaces. */
  readonly namespaces: readonly string[];
  /** The kinds (XR's and claim's) in the namespace: a ReferenceGrant may name either of them. */
  readonly grantees: readonly Grantee[];
  /** The namespace whose own credential it copies; undefined for the common Secret, or none. */
  readonly credentialFor: string | undefined;
  /** The Secret of the credential for `credentialFor` whose values all copies have; undefined until there is one. */
  readonly copied: SecretName | undefined;
  /** False if no XR controls its record, as right after a restore. The consumer keeps its access then, and gets nothing new. */
  readonly isControlled: boolean;
  /** The place in a pool that the consumer has or asks for. */
  readonly place: Place;
}

/** A place in a pool. Each share of an XR takes one, however many copies it has. */
interface Place {
  /** The subject of the answer that admits the share. */
  readonly subject: string;
  /** Undefined if the share does not ask to be admitted. */
  readonly ticket: string | undefined;
  /** True if the record says that the share has access. */
  readonly isBound: boolean;
  /** The creation time of the record. */
  readonly since: string;
}

export interface JudgedConsumer extends Consumer {
  readonly isGranted: boolean;
}

/** Judges which consumers have a grant: for all their namespaces, or by a ReferenceGrant that lists their kind in `from`. */
export function judgeConsumers(
  consumers: readonly Consumer[],
  isGranted: (namespace: string) => boolean,
  grantees: readonly Grantee[],
): readonly JudgedConsumer[] {
  const referred = [new Set(grantees.map(formatGrantee))];
  return consumers.map((consumer) => ({
    ...consumer,
    isGranted: consumer.namespaces.every(isGranted) || isReferenceGranted(consumer.grantees, referred),
  }));
}

/**
 * Reads the consumers of a shared resource from an XR's record: one for each copy, or one for a share without copies. None if
 * Crossplane did not compose the record.
 *
 * A team may write any ConfigMap into its namespace. So the consumer's namespace is the one that contains the record, whatever the record
 * says. A copy in another namespace needs a grant to both.
 *
 * @param most the most copies to list for each share.
 */
export const toConsumers = (record: Document, shared: Reference, most?: number): readonly Consumer[] =>
  toUses(record, { to: shared, most }).map(({ consumer }) => consumer);

/** Reads the consumers of all shared resources from an XR's record, within the limits. */
export function toUses(record: Document, limits?: ReadLimits) {
  const controller = findController(record);
  if (!isComposed(record, controller)) return [];
  const recordNamespace = stringAt(record, ["metadata", "namespace"]);
  const own = recordNamespace ?? claimNamespace(record);
  const owner = readOwner(record);
  const kinds = new Set([owner.kind, ...(controller === undefined ? [] : [groupKindOf(controller)])]);
  const since = stringAt(record, ["metadata", "creationTimestamp"]) ?? "";
  return [...readBindings(record, limits)].flatMap(([share, bindings]) => {
    const subject = admissionSubject(recordNamespace, readLabel(record, RECORD_LABEL) ?? "", share);
    return bindings.flatMap(({ resource: shared, access, secrets, dependents, credentialFor, copied, ticket }) => {
      const place = { subject, ticket, isBound: access === "Granted", since };
      const copies = secrets.length === 0 ? [undefined] : secrets;
      return copies.map((secret) => {
        const namespace = own ?? secret?.namespace ?? credentialFor;
        const needed = [namespace ?? FOR_ALL, secret?.namespace, credentialFor].filter((each) => each !== undefined);
        const consumer: Consumer = {
          namespace,
          ...owner,
          secretName: secret && (secret.namespace === namespace ? secret.name : formatSecret(secret)),
          dependents,
          namespaces: [...new Set(needed)],
          grantees: [...kinds].map((kind) => ({ namespace: namespace ?? "", kind })),
          ...{ credentialFor, copied, isControlled: controller !== undefined, place },
        };
        return { shared, consumer };
      });
    });
  });
}

/**
 * Tells whether Crossplane composed the record, for the XR that controls it. The label COMPOSITE_LABEL and the field manager of that XR
 * prove it. A restore may drop the managed fields or the controller; then the label suffices.
 */
function isComposed(record: Document, controller: Controller | undefined): boolean {
  if (readLabel(record, COMPOSITE_LABEL) === undefined) return false;
  const composers = readComposers(record);
  return composers.length === 0 || controller === undefined || composers.includes(fieldManagerOf(controller));
}

const KIND_NAME = /^[A-Za-z][A-Za-z0-9]{0,62}(?:\.[-.a-z0-9]{1,253})?$/;

/** Reads the XR or claim from the record's owner annotation. If that is invalid, the record itself is the consumer. */
function readOwner(record: Document): Pick<Consumer, "kind" | "name"> {
  const [kind = "", ...names] = readAnnotation(record, OWNER)?.split("/", 4) ?? [];
  const name = names.at(-1) ?? "";
  if (KIND_NAME.test(kind) && names.length <= 2 && isName(name)) return { kind, name };
  return { kind: stringAt(record, ["kind"]) ?? "", name: stringAt(record, ["metadata", "name"]) ?? "" };
}

/** Formats a consumer for the status of the shared resource. */
export const toListed = ({ namespace, kind, name, secretName, isGranted }: JudgedConsumer): JsonObject => ({
  ...(namespace !== undefined && { namespace }),
  kind,
  name,
  ...(secretName !== undefined && { secretName }),
  granted: isGranted,
});

export const compareConsumers = (a: Consumer, b: Consumer): number =>
  compareTexts(a.namespace ?? "", b.namespace ?? "") ||
  compareTexts(a.kind, b.kind) ||
  compareTexts(a.name, b.name) ||
  compareTexts(a.secretName ?? "", b.secretName ?? "");
