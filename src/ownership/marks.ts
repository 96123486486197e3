import { DOMAIN } from "../model/names.ts";

// Labels and annotations that the function writes on managed resources. The managed resources are the registry of who owns
// what: there is no second store.

/** Label: the hash of the cloud resource, the same on all managed resources that stand for it. */
export const IDENTITY = `${DOMAIN}/identity`;
/** Label: the hash of the cloud resource's API group, kind and name, by which `registry who-owns` finds it. */
export const EXTERNAL_NAME_LABEL = `${DOMAIN}/external-name`;
/** Annotation: the name of the control plane, where the input gives one. */
export const CLUSTER = `${DOMAIN}/cluster`;
/** Annotation: the contender that owns the cloud resource and its tags, as `contenderId` writes it; on the owner's own, itself. */
export const TAGS_OWNER = `${DOMAIN}/tags-owner`;
/** Annotation of the owner: the managed resources that it leaves the cloud resource to, separated by commas. */
export const CONTENDERS = `${DOMAIN}/contenders`;
/** Annotation: `Created` where this managed resource, or an owner before it, created the cloud resource. */
export const ORIGIN = `${DOMAIN}/origin`;
/** Annotation: the time of a creation that was not of this cloud resource, but of the one that it stood for before. */
export const CREATED_BEFORE = `${DOMAIN}/created-before`;
/** Annotation by which an operator says that a cloud resource that existed before is deleted with its owner: "true". */
export const ALLOW_DELETE = `${DOMAIN}/allow-delete`;
/** Annotation by which an operator says that the last managed resource may go without its cloud resource: "true". */
export const LEAVE_BEHIND = `${DOMAIN}/leave-behind`;
/** Annotation by which an operator moves ownership here; of several, the value that sorts last wins, such as the latest time. */
export const TAKE_OWNERSHIP = `${DOMAIN}/take-ownership`;

/** The tag that names the control plane that writes a cloud resource, where the input gives its name. */
export const CLUSTER_TAG = "crossplane-cluster";

/** Tells the managed resources of one owner apart by their names in the Composition, which survive a restore. */
export const contenderId = (owner: string, resource: string): string => `${owner}#${resource}`;
