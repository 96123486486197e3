import { DOMAIN } from "../model/names.ts";

/** What we write on a managed resource. The managed resources are the registry of who owns what: there is no other. */

/** Label: the hash of the cloud resource that it stands for, the same on all that stand for it. */
export const IDENTITY = `${DOMAIN}/identity`;
/** Label: the hash of its API group, kind and name, wherever it is: what `registry who-owns` finds it by. */
export const EXTERNAL_NAME_LABEL = `${DOMAIN}/external-name`;
/** Annotation: the control plane that it is in, where the input names one. */
export const CLUSTER = `${DOMAIN}/cluster`;
/** Annotation: who owns the cloud resource and its tags, as `contenderId` says; on the owner's own, that is itself. */
export const TAGS_OWNER = `${DOMAIN}/tags-owner`;
/** Annotation of the owner's: the managed resources that it leaves the cloud resource to, separated by commas. */
export const CONTENDERS = `${DOMAIN}/contenders`;
/** Annotation that an operator sets to move ownership here; of several, the one that sorts last, such as the latest time. */
export const TAKE_OWNERSHIP = `${DOMAIN}/take-ownership`;
/** Annotation of a desired resource whose tags are not for us. */
export const IGNORE_TAGS = `${DOMAIN}/ignore-tags`;

/** The tag that says which control plane writes a cloud resource, where the input names one. */
export const CLUSTER_TAG = "crossplane-cluster";

/** Tells the managed resources of one owner apart: by their names in the Composition, which a restore keeps as well. */
export const contenderId = (owner: string, resource: string): string => `${owner}#${resource}`;
