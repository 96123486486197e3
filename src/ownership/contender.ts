import { mayDelete, mayWrite, policiesOf } from "../crossplane/management-policies.ts";
import { type Document, stringAt } from "../model/document.ts";
import { CONTENDERS, contenderId, IDENTITY, TAGS_OWNER, TAKE_OWNERSHIP } from "./marks.ts";
import { OWNER } from "./owner.ts";

/** A managed resource that stands for the same cloud resource as others may. */
export interface Contender {
  /** Whose it is: what owners are known by. */
  readonly id: string;
  readonly owner: string;
  /** The managed resource's name, with its namespace where it has one. */
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  /** Empty, unless an operator moves ownership here. */
  readonly takeOwnership: string;
  /** Whether it was promoted to owner. */
  readonly isMarked: boolean;
  /** The label that has it in everybody's list; undefined where it is in none. */
  readonly identity: string | undefined;
  readonly isDeleting: boolean;
  /** Whether its provider may write the cloud resource now. */
  readonly isWriting: boolean;
  /** Whether the cloud resource goes when it goes. */
  readonly isDeletingWithIt: boolean;
  /** Names of those that it leaves the cloud resource to. */
  readonly acknowledged: readonly string[];
  readonly document: Document;
}

const annotation = (resource: Document, key: string): string =>
  stringAt(resource, ["metadata", "annotations", key]) ?? "";

export function toContender(document: Document): Contender {
  const owner = annotation(document, OWNER);
  const marker = annotation(document, TAGS_OWNER);
  // Crossplane names every composed resource; one that is written by hand is known by its marker.
  const resource = annotation(document, "crossplane.io/composition-resource-name");
  const id = resource === "" && marker.startsWith(`${owner}#`) ? marker : contenderId(owner, resource);
  const isMarked = owner !== "" && marker === id;
  const isPaused = annotation(document, "crossplane.io/paused") === "true";
  const isDeleting = document.at(["metadata", "deletionTimestamp"]) !== undefined;
  const policies = policiesOf(document);
  return {
    id,
    owner,
    name: nameOf(document),
    uid: stringAt(document, ["metadata", "uid"]) ?? nameOf(document),
    createdAt: stringAt(document, ["metadata", "creationTimestamp"]) ?? "",
    takeOwnership: annotation(document, TAKE_OWNERSHIP),
    isMarked,
    identity: stringAt(document, ["metadata", "labels", IDENTITY]),
    isDeleting,
    isWriting: !isDeleting && !isPaused && (policies === undefined ? isMarked : mayWrite(policies)),
    isDeletingWithIt: mayDelete(document),
    acknowledged: annotation(document, CONTENDERS).split(",").filter(Boolean),
    document,
  };
}

export function nameOf(resource: Document): string {
  const namespace = stringAt(resource, ["metadata", "namespace"]);
  const name = stringAt(resource, ["metadata", "name"]) ?? "";
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Who is to own, first: whom an operator chose, who was promoted before, who is oldest. */
export function byPrecedence(a: Contender, b: Contender): number {
  if (a.takeOwnership !== b.takeOwnership) return a.takeOwnership > b.takeOwnership ? -1 : 1;
  if (a.isMarked !== b.isMarked) return a.isMarked ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
