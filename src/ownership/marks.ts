import { DOMAIN } from "../model/names.ts";

// Labels and annotations that the function writes on managed resources. They are the only registry of ownership: there is no
// other store.

/** Label: the hash of the cloud resource, the same on all managed resources that stand for it. */
export const IDENTITY = `${DOMAIN}/identity`;
/** Label: the hash of the cloud resource's API group, kind and name, by which `registry who-owns` finds it. */
export const EXTERNAL_NAME_LABEL = `${DOMAIN}/external-name`;
/** Annotation: the name of the control plane, where the input gives one. */
export const CLUSTER = `${DOMAIN}/cluster`;
/** Annotation: the id of the contender that owns the cloud resource and its tags; the owner carries its own. */
export const TAGS_OWNER = `${DOMAIN}/tags-owner`;
/** Annotation of the owner: its successors, which keep the cloud resource after it, separated by commas. */
export const CONTENDERS = `${DOMAIN}/contenders`;
/** Annotation: `Created` where this managed resource, or an owner before it, created the cloud resource. */
export const ORIGIN = `${DOMAIN}/origin`;
/** Annotation: the creation time of the cloud resource that this managed resource stood for before. */
export const CREATED_BEFORE = `${DOMAIN}/created-before`;
/** Annotation by which an operator has a cloud resource that existed before deleted with its owner: "true". */
export const ALLOW_DELETE = `${DOMAIN}/allow-delete`;
/** Annotation by which an operator allows the last managed resource to leave its cloud resource behind: "true". */
export const LEAVE_BEHIND = `${DOMAIN}/leave-behind`;
/** Annotation by which an operator moves ownership here; of several, the value that sorts last wins, such as the latest time. */
export const TAKE_OWNERSHIP = `${DOMAIN}/take-ownership`;

/** The tag that names the control plane that writes a cloud resource, where the input gives its name. */
export const CLUSTER_TAG = "crossplane-cluster";

/** Tells the managed resources of one owner apart by their names in the Composition, which survive a restore. */
export const contenderId = (owner: string, resource: string): string => `${owner}#${resource}`;
