import { type Observation, readCreationTime, readObservation } from "../crossplane/managed-resource.ts";
import { mayDelete, mayWrite, type Policies, readPolicies } from "../crossplane/management-policies.ts";
import {
  COMPOSITION_RESOURCE_NAME,
  findController,
  isBeingDeleted,
  isPaused,
  qualifiedName,
  readAnnotation,
  readLabel,
  readUid,
} from "../crossplane/metadata.ts";
import { type Document, stringAt } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import { once } from "../model/once.ts";
import {
  ALLOW_DELETE,
  CONTENDERS,
  CONTENDS_LABEL,
  CREATED_BEFORE,
  contenderId,
  IDENTITY_LABEL,
  MOVED_AT,
  ORIGIN,
  OWNER,
  TAGS_OWNER,
  TAKE_OWNERSHIP,
} from "./annotations.ts";

/** The longest owner or id in UTF-16 units; the rest is cut off, since other contenders repeat the text. Names are shorter. */
const MAX_MARK = 1024;

/** A managed resource that declares a cloud resource, as others may. The getters read facts that few contenders need. */
class ManagedContender {
  #name: string | undefined;
  readonly document: Document;
  readonly uid: string;
  /** The annotation OWNER, cut to MAX_MARK; "" if it is not set. */
  readonly owner: string;
  /** The owner and the resource's name in the Composition, formatted by `contenderId`. */
  readonly id: string;
  /** True if it is marked as the owner: TAGS_OWNER is its own id. */
  readonly isMarked: boolean;
  /** True if TAGS_OWNER records any owner of the cloud resource, such as itself or a former one. */
  readonly knowsOwner: boolean;
  /** The identity label; undefined before it has one. */
  readonly identity: string | undefined;
  readonly isDeleting: boolean;
  /** The management policies; undefined if the kind has none. */
  readonly policies: Policies | undefined;
  /** True if its provider may write the cloud resource now. */
  readonly isWriting: boolean;
  /** True if its provider created the cloud resource (`isCreator`), or it records that another contender's did (ORIGIN). */
  readonly isCreated: boolean;
  /** The creation time of the managed resource; "" if it is not known. */
  readonly createdAt: string;
  /** The annotation TAKE_OWNERSHIP; "" if it is not set. */
  readonly takeOwnership: string;

  constructor(document: Document) {
    const mark = (text: string | undefined): string => (text ?? "").slice(0, MAX_MARK);
    this.document = document;
    this.uid = readUid(document) ?? qualifiedName(document);
    this.owner = mark(readAnnotation(document, OWNER));
    const marker = mark(readAnnotation(document, TAGS_OWNER));
    // Crossplane annotates composed resources with the name in the Composition. One that is written by hand has its id in TAGS_OWNER.
    const resource = mark(stringAt(document, COMPOSITION_RESOURCE_NAME));
    this.id = resource === "" && marker.startsWith(`${this.owner}#`) ? marker : contenderId(this.owner, resource);
    this.isMarked = this.owner !== "" && marker === mark(this.id);
    this.knowsOwner = marker !== "";
    this.identity = readLabel(document, IDENTITY_LABEL);
    this.isDeleting = isBeingDeleted(document);
    this.policies = readPolicies(document);
    const isAllowed = this.policies === undefined ? this.isMarked : mayWrite(this.policies);
    this.isWriting = isAllowed && !this.isDeleting && !isPaused(document);
    this.isCreated = readAnnotation(document, ORIGIN) === "Created" || isCreator(document); // most owners have the annotation
    this.createdAt = stringAt(document, ["metadata", "creationTimestamp"]) ?? "";
    this.takeOwnership = readAnnotation(document, TAKE_OWNERSHIP) ?? "";
  }

  /** The managed resource's name; namespace/name in a namespace. */
  get name(): string {
    this.#name ??= qualifiedName(this.document);
    return this.#name;
  }

  /** The label CONTENDS_LABEL; undefined if the owner need not know this contender. */
  get contends(): string | undefined {
    return readLabel(this.document, CONTENDS_LABEL);
  }

  /** False if no XR controls it, as after a restore until the XR is reconciled. */
  get isControlled(): boolean {
    return findController(this.document) !== undefined;
  }

  /** True if its policies have the provider delete the cloud resource when this managed resource is deleted. */
  get mayDelete(): boolean {
    return mayDelete(this.document);
  }

  get observation(): Observation {
    return readObservation(this.document);
  }

  /** True if an operator allows (ALLOW_DELETE) to delete the cloud resource with it, although no contender created that. */
  get isDeletionAllowed(): boolean {
    return readAnnotation(this.document, ALLOW_DELETE) === "true";
  }

  /** The names of its successors, to which it leaves the cloud resource, or hashes of the names. */
  get acknowledged(): ReadonlySet<string> {
    return acknowledgedIn(this.document);
  }
}

/** The facts about a contender. Tests make them without a managed resource. */
export type Contender = Pick<ManagedContender, keyof ManagedContender>;

export const toContender = (document: Document): Contender => new ManagedContender(document);

/** Tells whether the cloud resource may be deleted with this contender, by its origin or by an operator's word. */
export const allowsDeletion = ({ isCreated, isDeletionAllowed }: Contender): boolean => isCreated || isDeletionAllowed;

/**
 * Tells whether the provider created the cloud resource for this managed resource: at another time than CREATED_BEFORE. With MOVED_AT the
 * managed resource is held back, and creates nothing: a creation that ends then is the creation of the former cloud resource.
 */
export function isCreator(document: Document): boolean {
  const createdAt = readCreationTime(document);
  const isFormer = readAnnotation(document, MOVED_AT) !== undefined;
  return !isFormer && createdAt !== undefined && createdAt !== readAnnotation(document, CREATED_BEFORE);
}

/** Reads the list of successors once: it may have thousands. */
const acknowledgedIn = once(
  (document: Document) => new Set((readAnnotation(document, CONTENDERS) ?? "").split(",").filter(Boolean)),
);

/** The longest list of names that an owner writes, in characters of one byte: a resource's annotations have at most 256 KiB in all. */
const MAX_ACKNOWLEDGED = 64 * 1024;

/** The most hashes in place of names, of 18 bytes each: 180 kB. An answer of Crossplane lists fewer resources. */
const MAX_HASHES = 10_000;

/**
 * Formats the annotation CONTENDERS: the names of an owner's successors or, if they are longer than MAX_ACKNOWLEDGED in all, hashes of the
 * first MAX_HASHES; other contenders wait. "" for no successor.
 *
 * @param others sorted by precedence.
 */
export function formatAcknowledged(others: readonly Contender[]): string {
  const join = (names: readonly string[]): string => names.toSorted().join(",");
  const names = others.map(({ name }) => name);
  const text = join(names);
  return text.length <= MAX_ACKNOWLEDGED ? text : join(names.slice(0, MAX_HASHES).map(hashName));
}

/** Tells whether an owner lists a contender as its successor. */
export const isAcknowledgedBy = ({ acknowledged }: Contender, one: Contender | undefined): boolean =>
  one !== undefined && (acknowledged.has(one.name) || acknowledged.has(hashName(one.name)));

/** Hashes a name, marked by `#`, which no resource's name contains. */
const hashName = (name: string): string => `#${hashText(name, 16)}`;

type Ranked = Pick<Contender, "takeOwnership" | "isMarked" | "createdAt" | "uid">;

/** Compares by precedence: the latest choice of an operator, then the mark of an owner, then age, then the UID. */
export function byPrecedence(a: Ranked, b: Ranked): number {
  if (a.takeOwnership !== b.takeOwnership) return a.takeOwnership > b.takeOwnership ? -1 : 1;
  if (a.isMarked !== b.isMarked) return a.isMarked ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
