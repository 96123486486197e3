import type { Composite } from "../crossplane/composite.ts";
import { readAnnotation } from "../crossplane/metadata.ts";
import { formatReference } from "../crossplane/references.ts";
import type { Document } from "../model/document.ts";
import { DOMAIN } from "../model/names.ts";

/** Annotation of a composed resource: the claim to which it belongs, or the XR if there is no claim, as Kind.group/namespace/name. */
export const OWNER = `${DOMAIN}/owner`;

/** Annotation of a copy: its source Secret, as namespace/name. */
export const SHARED_FROM = `${DOMAIN}/shared-from`;

/** Formats the annotation OWNER for what an XR composes. The text contains no UID, so a restore does not change it. */
export const formatOwner = ({ claim, ...composite }: Composite): string => formatReference({ ...composite, ...claim });

/** Annotation of a dependent, a composed resource that exists only with access: its shared resources, by share, as JSON. */
export const DEPENDS_ON = `${DOMAIN}/depends-on`;

export const isDependent = (resource: Document): boolean => readAnnotation(resource, DEPENDS_ON) !== undefined;

// The labels and annotations below, on managed resources, are the only registry of ownership.

/** The identity label: a hash of the cloud resource's kind, account, place and name. It proves nothing: the specs are compared, too. */
export const IDENTITY_LABEL = `${DOMAIN}/identity`;
/** The identity again, on each contender whose provider may find what the owner's provider finds. The owner looks for this label. */
export const CONTENDS_LABEL = `${DOMAIN}/contends`;
/** The identity again, on each contender that writes, or that an operator chose as the owner. Contenders find the owner by this label. */
export const WRITES_LABEL = `${DOMAIN}/writes`;
/**
 * The hash of API group, kind and external name (`hashExternalName`). `registry who-owns` looks for this label, and so does an XR: see
 * `isUnshared` and `looksByName`.
 */
export const EXTERNAL_NAME_LABEL = `${DOMAIN}/external-name`;

/** Annotation: the name of this control plane, as the cloud's tags have it, else as the owner notes it, else as the input sets it. */
export const CLUSTER = `${DOMAIN}/cluster`;
/** Annotation: the id (`contenderId`) of the contender that owns the cloud resource and its tags; on the owner its own id. */
export const TAGS_OWNER = `${DOMAIN}/tags-owner`;
/** Annotation of the owner: names of the contenders that succeed it, or hashes of the names (`formatAcknowledged`), separated by commas. */
export const CONTENDERS = `${DOMAIN}/contenders`;
/** Annotation: `Created` if this managed resource's provider, or another contender's, created the cloud resource. */
export const ORIGIN = `${DOMAIN}/origin`;
/**
 * Annotation: the cloud account, as `formatAccount` writes it, by which this managed resource is compared with others. Without the
 * annotation, ProviderConfigs are compared.
 */
export const ACCOUNT = `${DOMAIN}/account`;
/** Annotation: the fields that were hashed to the identity label beside those of our tables (`AddedScope`), separated by commas. */
export const SCOPE = `${DOMAIN}/scope`;
/** Annotation: the creation time of the cloud resource that this managed resource declared earlier. */
export const CREATED_BEFORE = `${DOMAIN}/created-before`;
/**
 * Annotation while this managed resource is held back because it declares another cloud resource: its generation just before this function
 * last changed its policies for that. Once Synced reports a later one, the provider has read the change (`holdBackAfterMove`).
 */
export const MOVED_AT = `${DOMAIN}/moved-at`;
/** Annotation, set by an operator: "true" has the cloud resource deleted with its owner, although no contender created it. */
export const ALLOW_DELETE = `${DOMAIN}/allow-delete`;
/** Annotation, set by an operator: "true" lets the last managed resource be deleted while the cloud resource stays (cli/admission). */
export const LEAVE_BEHIND = `${DOMAIN}/leave-behind`;
/** Annotation, set by an operator to move ownership here; the value that sorts last wins, such as the latest time. */
export const TAKE_OWNERSHIP = `${DOMAIN}/take-ownership`;

/**
 * Annotation of a managed resource that only observes since a restore: the policies from before, such as `*`, or `?` if Velero's modifier
 * does not know them. This function rewrites the value as `held=…`: Crossplane could not remove Velero's own value later.
 */
export const RESTORED = `${DOMAIN}/restored`;

/**
 * Annotation of a resource that `adoption` desires after a restore although no step does: `pending`, then `looked` once providers have
 * looked at all resources of the XR.
 */
export const ADOPTION = `${DOMAIN}/adoption`;

/** Annotation, set by an operator: "true" leaves tags and ownership of this managed resource alone. */
export const IGNORE_TAGS = `${DOMAIN}/ignore-tags`;

/** The labels and annotations that `tags` writes on managed resources. */
export const MARKS: ReadonlySet<string> = new Set([
  ...[IDENTITY_LABEL, CONTENDS_LABEL, WRITES_LABEL, EXTERNAL_NAME_LABEL],
  ...[OWNER, ACCOUNT, CLUSTER, TAGS_OWNER, CONTENDERS, ORIGIN, CREATED_BEFORE, MOVED_AT, SCOPE],
]);

/** The annotations of operators and of a restore. `tags` removes them where a step desires them (`withoutMarks`). */
export const DECISIONS: ReadonlySet<string> = new Set([
  ALLOW_DELETE,
  LEAVE_BEHIND,
  TAKE_OWNERSHIP,
  IGNORE_TAGS,
  RESTORED,
]);

/** The tag with the control plane's name, if the input sets one. */
export const CLUSTER_TAG = "crossplane-cluster";

/** Formats a contender's id: its owner and its name in the Composition, which survive a restore. */
export const contenderId = (owner: string, resource: string): string => `${owner}#${resource}`;

/** Annotation: the consumers with access to a password when the field that rotates it was last set. */
export const ROTATION = `${DOMAIN}/rotation`;
