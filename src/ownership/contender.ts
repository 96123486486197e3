import { type Observation, readCreationTime, readObservation } from "../crossplane/external-resource.ts";
import { mayDelete, mayWrite, type Policies, readPolicies } from "../crossplane/management-policies.ts";
import {
  COMPOSITION_RESOURCE_NAME,
  isBeingDeleted,
  isPaused,
  qualifiedName,
  readAnnotation,
  readLabel,
} from "../crossplane/metadata.ts";
import { type Document, stringAt } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
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
  /** True if it knows an owner of the cloud resource: itself, another one, or one that is gone. */
  readonly knowsOwner: boolean;
  /** The label by which the others find it; undefined before it has one. */
  readonly identity: string | undefined;
  readonly isDeleting: boolean;
  /** True if its provider may write the cloud resource now. */
  readonly isWriting: boolean;
  /** True if the cloud resource is deleted together with it. */
  readonly isDeletingWithIt: boolean;
  /** Undefined if the kind has no management policies. */
  readonly policies: Policies | undefined;
  readonly observation: Observation;
  /** True if it or an earlier owner created the cloud resource, or an operator allows its deletion. */
  readonly isCreated: boolean;
  /** The names of the managed resources that it leaves the cloud resource to. */
  readonly acknowledged: ReadonlySet<string>;
  readonly document: Document;
}

/** The length limit of a mark, which is repeated on other managed resources. Names are shorter. */
const MAX_MARK = 1024;

export function toContender(document: Document): Contender {
  const annotation = (key: string): string => readAnnotation(document, key) ?? "";
  const owner = annotation(OWNER).slice(0, MAX_MARK);
  const marker = annotation(TAGS_OWNER).slice(0, MAX_MARK);
  // Crossplane names every composed resource; one that is written by hand is known by its marker.
  const resource = (stringAt(document, COMPOSITION_RESOURCE_NAME) ?? "").slice(0, MAX_MARK);
  const id = resource === "" && marker.startsWith(`${owner}#`) ? marker : contenderId(owner, resource);
  const isMarked = owner !== "" && marker === id.slice(0, MAX_MARK);
  const isDeleting = isBeingDeleted(document);
  const policies = readPolicies(document);
  return {
    id,
    owner,
    name: qualifiedName(document),
    uid: stringAt(document, ["metadata", "uid"]) ?? qualifiedName(document),
    createdAt: stringAt(document, ["metadata", "creationTimestamp"]) ?? "",
    takeOwnership: annotation(TAKE_OWNERSHIP),
    isMarked,
    knowsOwner: marker !== "",
    identity: readLabel(document, IDENTITY),
    isDeleting,
    isWriting: !isDeleting && !isPaused(document) && (policies === undefined ? isMarked : mayWrite(policies)),
    // Computed on demand: expensive, and needed for few contenders.
    get isDeletingWithIt() {
      return mayDelete(document, policies);
    },
    get observation() {
      return readObservation(document);
    },
    policies,
    isCreated: isCreated(document),
    acknowledged: new Set(annotation(CONTENDERS).split(",").filter(Boolean)),
    document,
  };
}

/** The length limit of the names that an owner writes: a resource's annotations may have 256 KB in all. */
const MAX_NAMES = 64 * 1024;

/** The limit of hashes, which take 180 KB: more than one answer of Crossplane can list. */
const MAX_HASHES = 10_000;

/**
 * Writes the names of an owner's successors. If they are too long together, they become hashes, so that none is lost. Beyond 10,000
 * only the first are written; the others have to wait until they are among them.
 *
 * @param others by precedence.
 */
export function formatAcknowledged(others: readonly Contender[]): string {
  const names = others.map(({ name }) => name).sort();
  const text = names.join(",");
  if (text.length <= MAX_NAMES) return text;
  const hashes = others.slice(0, MAX_HASHES).map(({ name }) => hashName(name));
  return hashes.sort().join(",");
}

/** Tells whether an owner's list names a contender. */
export const isAcknowledgedBy = (owner: Contender, { name }: Contender): boolean =>
  owner.acknowledged.has(name) || owner.acknowledged.has(hashName(name));

/** Hashes a name. No resource's name contains `#`. */
const hashName = (name: string): string => `#${hashText(name, 16)}`;

function isCreated(document: Document): boolean {
  const createdAt = readCreationTime(document);
  const isOwnCreation = createdAt !== undefined && createdAt !== readAnnotation(document, CREATED_BEFORE);
  return (
    isOwnCreation || readAnnotation(document, ORIGIN) === "Created" || readAnnotation(document, ALLOW_DELETE) === "true"
  );
}

/** All contenders of one cloud resource, sorted once for all resources of an XR that stand for it. */
export interface Contenders {
  readonly all: readonly Contender[];
  readonly byUid: ReadonlyMap<string, Contender>;
  readonly names: ReadonlySet<string>;
  /** Those that may own, the owner first. */
  readonly living: readonly Contender[];
  /** Those that keep others from being promoted: they write, or are being deleted together with the cloud resource. */
  readonly inTheWay: readonly Contender[];
}

export const toContenders = (all: readonly Contender[]): Contenders => ({
  all,
  byUid: new Map(all.map((contender) => [contender.uid, contender])),
  names: new Set(all.map(({ name }) => name)),
  living: all.filter(({ isDeleting }) => !isDeleting).sort(byPrecedence),
  inTheWay: all.filter(({ isWriting, isDeleting, isDeletingWithIt }) => isWriting || (isDeleting && isDeletingWithIt)),
});

/** Finds the first contender with another UID. */
export const firstBut = (contenders: readonly Contender[], uid: string): Contender | undefined =>
  contenders.find((contender) => contender.uid !== uid);

/** Sorts by precedence as owner: chosen by an operator, then promoted before, then oldest. */
export function byPrecedence(a: Contender, b: Contender): number {
  if (a.takeOwnership !== b.takeOwnership) return a.takeOwnership > b.takeOwnership ? -1 : 1;
  if (a.isMarked !== b.isMarked) return a.isMarked ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
