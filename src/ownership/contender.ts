import { createdAtOf, type Observation, observationOf } from "../crossplane/external-resource.ts";
import { mayDelete, mayWrite, policiesOf } from "../crossplane/management-policies.ts";
import {
  annotationOf,
  COMPOSITION_RESOURCE_NAME,
  isBeingDeleted,
  isPaused,
  labelOf,
  qualifiedName,
} from "../crossplane/metadata.ts";
import { type Document, stringAt } from "../model/document.ts";
import {
  ALLOW_DELETE,
  CONTENDERS,
  CREATED_BEFORE,
  contenderId,
  IDENTITY,
  ORIGIN,
  TAGS_OWNER,
  TAKE_OWNERSHIP,
} from "./marks.ts";
import { OWNER } from "./owner.ts";

/** A managed resource that stands for a cloud resource, perhaps beside others. */
export interface Contender {
  /** The owner and the resource's name in its Composition, as `contenderId` writes them. */
  readonly id: string;
  readonly owner: string;
  /** The managed resource's name, with its namespace where it has one. */
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  /** Empty, unless an operator moves ownership here. */
  readonly takeOwnership: string;
  /** True if it was promoted to owner. */
  readonly isMarked: boolean;
  /** The label by which the others find it; undefined before it has one. */
  readonly identity: string | undefined;
  readonly isDeleting: boolean;
  /** True if its provider may write the cloud resource now. */
  readonly isWriting: boolean;
  /** True if the cloud resource is deleted together with it. */
  readonly isDeletingWithIt: boolean;
  readonly observation: Observation;
  /** True if it, or an owner before it, created the cloud resource, or an operator says that it may be deleted all the same. */
  readonly isCreated: boolean;
  /** The names of the managed resources that it leaves the cloud resource to. */
  readonly acknowledged: readonly string[];
  readonly document: Document;
}

export function toContender(document: Document): Contender {
  const annotation = (key: string): string => annotationOf(document, key) ?? "";
  const owner = annotation(OWNER);
  const marker = annotation(TAGS_OWNER);
  // Crossplane names every composed resource; one that is written by hand is known by its marker.
  const resource = stringAt(document, COMPOSITION_RESOURCE_NAME) ?? "";
  const id = resource === "" && marker.startsWith(`${owner}#`) ? marker : contenderId(owner, resource);
  const isMarked = owner !== "" && marker === id;
  const isDeleting = isBeingDeleted(document);
  const policies = policiesOf(document);
  return {
    id,
    owner,
    name: qualifiedName(document),
    uid: stringAt(document, ["metadata", "uid"]) ?? qualifiedName(document),
    createdAt: stringAt(document, ["metadata", "creationTimestamp"]) ?? "",
    takeOwnership: annotation(TAKE_OWNERSHIP),
    isMarked,
    identity: labelOf(document, IDENTITY),
    isDeleting,
    isWriting: !isDeleting && !isPaused(document) && (policies === undefined ? isMarked : mayWrite(policies)),
    isDeletingWithIt: mayDelete(document),
    observation: observationOf(document),
    isCreated: isCreated(document),
    acknowledged: annotation(CONTENDERS).split(",").filter(Boolean),
    document,
  };
}

function isCreated(document: Document): boolean {
  const createdAt = createdAtOf(document);
  const isOwnCreation = createdAt !== undefined && createdAt !== annotationOf(document, CREATED_BEFORE);
  return (
    isOwnCreation || annotationOf(document, ORIGIN) === "Created" || annotationOf(document, ALLOW_DELETE) === "true"
  );
}

/** Sorts by precedence as owner: chosen by an operator, then promoted before, then oldest. */
export function byPrecedence(a: Contender, b: Contender): number {
  if (a.takeOwnership !== b.takeOwnership) return a.takeOwnership > b.takeOwnership ? -1 : 1;
  if (a.isMarked !== b.isMarked) return a.isMarked ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
