import { type Observation, readCreationTime, readObservation } from "../crossplane/managed-resource.ts";
import { mayDelete, mayWrite, type Policies, readPolicies } from "../crossplane/management-policies.ts";
import {
  COMPOSITION_RESOURCE_NAME,
  EXTERNAL_NAME,
  findController,
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
  CONTENDS_LABEL,
  CREATED_BEFORE,
  contenderId,
  IDENTITY_LABEL,
  ORIGIN,
  OWNER,
  TAGS_OWNER,
  TAKE_OWNERSHIP,
} from "./annotations.ts";

/** A managed resource that declares a cloud resource, possibly one of several. */
export interface Contender {
  /** The owner and the resource's name in the Composition, formatted by `contenderId`. */
  readonly id: string;
  readonly owner: string;
  /** The managed resource's name, with its namespace where it has one. */
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  /** The annotation by which an operator moves ownership here; "" where it is not set. */
  readonly takeOwnership: string;
  /** True if it was promoted to owner. */
  readonly isMarked: boolean;
  /** True if it records an owner of the cloud resource: itself, another contender, or a former one. */
  readonly knowsOwner: boolean;
  /** The identity label; undefined before it has one. */
  readonly identity: string | undefined;
  /** The identity under which the owner has to know it; undefined for a newcomer. */
  readonly contends: string | undefined;
  readonly isDeleting: boolean;
  /** False if no XR controls it. A restored one is controlled as soon as its XR is reconciled. */
  readonly isControlled: boolean;
  /** True if its provider may write the cloud resource now. */
  readonly isWriting: boolean;
  /** True if the cloud resource is deleted together with it. */
  readonly isDeletingWithIt: boolean;
  /** Undefined if the kind has no management policies. */
  readonly policies: Policies | undefined;
  readonly observation: Observation;
  /** True if it or an earlier owner created the cloud resource, or an operator allows the deletion. */
  readonly isCreated: boolean;
  /** The names of its successors, to which it leaves the cloud resource. */
  readonly acknowledged: ReadonlySet<string>;
  readonly document: Document;
}

/** The longest mark: marks are repeated on other managed resources. Names are shorter. */
const MAX_MARK = 1024;

export const toContender = (document: Document): Contender => new ManagedContender(document);

/** Reads a contender from its managed resource lazily: most facts are needed for few contenders. */
class ManagedContender implements Contender {
  readonly document: Document;
  readonly uid: string;
  readonly identity: string | undefined;
  readonly isDeleting: boolean;
  #marks: Marks | undefined;
  #name: string | undefined;
  #createdAt: string | undefined;
  #takeOwnership: string | undefined;
  #isWriting: boolean | undefined;
  #isCreated: boolean | undefined;
  #acknowledged: ReadonlySet<string> | undefined;

  constructor(document: Document) {
    this.document = document;
    this.uid = stringAt(document, UID_PATH) ?? qualifiedName(document);
    this.identity = readLabel(document, IDENTITY_LABEL);
    this.isDeleting = isBeingDeleted(document);
  }

  get id(): string {
    return this.#readMarks().id;
  }

  get owner(): string {
    return this.#readMarks().owner;
  }

  get isMarked(): boolean {
    return this.#readMarks().isMarked;
  }

  get knowsOwner(): boolean {
    return this.#readMarks().knowsOwner;
  }

  get name(): string {
    this.#name ??= qualifiedName(this.document);
    return this.#name;
  }

  get createdAt(): string {
    this.#createdAt ??= stringAt(this.document, CREATION_TIMESTAMP) ?? "";
    return this.#createdAt;
  }

  get takeOwnership(): string {
    this.#takeOwnership ??= readAnnotation(this.document, TAKE_OWNERSHIP) ?? "";
    return this.#takeOwnership;
  }

  get policies(): Policies | undefined {
    return readPolicies(this.document);
  }

  get isWriting(): boolean {
    this.#isWriting ??= !this.isDeleting && !isPaused(this.document) && this.#mayWrite();
    return this.#isWriting;
  }

  get contends(): string | undefined {
    return readLabel(this.document, CONTENDS_LABEL);
  }

  get isControlled(): boolean {
    return findController(this.document) !== undefined;
  }

  get isDeletingWithIt(): boolean {
    return mayDelete(this.document);
  }

  get observation(): Observation {
    return readObservation(this.document);
  }

  get isCreated(): boolean {
    this.#isCreated ??= isCreated(this.document);
    return this.#isCreated;
  }

  get acknowledged(): ReadonlySet<string> {
    this.#acknowledged ??= new Set((readAnnotation(this.document, CONTENDERS) ?? "").split(",").filter(Boolean));
    return this.#acknowledged;
  }

  #mayWrite(): boolean {
    const { policies } = this;
    return policies === undefined ? this.isMarked : mayWrite(policies);
  }

  #readMarks(): Marks {
    this.#marks ??= readMarks(this.document);
    return this.#marks;
  }
}

const UID_PATH = ["metadata", "uid"];
const CREATION_TIMESTAMP = ["metadata", "creationTimestamp"];

/** The facts about ownership in annotations. */
type Marks = Pick<Contender, "id" | "owner" | "isMarked" | "knowsOwner">;

function readMarks(document: Document): Marks {
  const owner = (readAnnotation(document, OWNER) ?? "").slice(0, MAX_MARK);
  const marker = (readAnnotation(document, TAGS_OWNER) ?? "").slice(0, MAX_MARK);
  // Crossplane annotates every composed resource with its name; a resource written by hand is identified by its marker.
  const resource = (stringAt(document, COMPOSITION_RESOURCE_NAME) ?? "").slice(0, MAX_MARK);
  const id = resource === "" && marker.startsWith(`${owner}#`) ? marker : contenderId(owner, resource);
  return { id, owner, isMarked: owner !== "" && marker === id.slice(0, MAX_MARK), knowsOwner: marker !== "" };
}

/** The longest list of names that an owner writes: a resource's annotations have 256 KB in all. */
const MAX_ACKNOWLEDGED = 64 * 1024;

/** The most hashes, 180 KB: more than an answer of Crossplane can list. */
const MAX_HASHES = 10_000;

/**
 * Formats the names of an owner's successors, as hashes if the names are too long together. Of more than 10,000 successors only the
 * first are listed; the others wait.
 *
 * @param others sorted by precedence.
 */
export function formatAcknowledged(others: readonly Contender[]): string {
  const names = others.map(({ name }) => name).sort();
  const text = names.join(",");
  if (text.length <= MAX_ACKNOWLEDGED) return text;
  const hashes = others.slice(0, MAX_HASHES).map(({ name }) => hashName(name));
  return hashes.sort().join(",");
}

/** Tells whether an owner lists a contender as its successor. */
export const isAcknowledgedBy = (owner: Contender, { name }: Contender): boolean =>
  owner.acknowledged.has(name) || owner.acknowledged.has(hashName(name));

/** Hashes a name, marked by `#`, which no resource's name contains. */
const hashName = (name: string): string => `#${hashText(name, 16)}`;

/** Tells whether a contender has an external name. */
export const isNamed = ({ document }: Contender): boolean => stringAt(document, EXTERNAL_NAME) !== undefined;

function isCreated(document: Document): boolean {
  const createdAt = readCreationTime(document);
  const isOwnCreation = createdAt !== undefined && createdAt !== readAnnotation(document, CREATED_BEFORE);
  return (
    isOwnCreation || readAnnotation(document, ORIGIN) === "Created" || readAnnotation(document, ALLOW_DELETE) === "true"
  );
}

/** The facts that decide precedence. */
type Ranked = Pick<Contender, "takeOwnership" | "isMarked" | "createdAt" | "uid">;

/** Compares by precedence: chosen by an operator, then promoted before, then oldest. */
export function byPrecedence(a: Ranked, b: Ranked): number {
  if (a.takeOwnership !== b.takeOwnership) return a.takeOwnership > b.takeOwnership ? -1 : 1;
  if (a.isMarked !== b.isMarked) return a.isMarked ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
