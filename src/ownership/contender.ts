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

export const toContender = (document: Document): Contender => new ManagedContender(document);

/** A contender that is read from its managed resource: each fact when it is first needed, since most are needed of few. */
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
    this.uid = stringAt(document, UID) ?? qualifiedName(document);
    this.identity = readLabel(document, IDENTITY);
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

const UID = ["metadata", "uid"];
const CREATION_TIMESTAMP = ["metadata", "creationTimestamp"];

/** The facts about ownership that annotations hold. */
type Marks = Pick<Contender, "id" | "owner" | "isMarked" | "knowsOwner">;

function readMarks(document: Document): Marks {
  const owner = (readAnnotation(document, OWNER) ?? "").slice(0, MAX_MARK);
  const marker = (readAnnotation(document, TAGS_OWNER) ?? "").slice(0, MAX_MARK);
  // Crossplane names every composed resource; one that is written by hand is known by its marker.
  const resource = (stringAt(document, COMPOSITION_RESOURCE_NAME) ?? "").slice(0, MAX_MARK);
  const id = resource === "" && marker.startsWith(`${owner}#`) ? marker : contenderId(owner, resource);
  return { id, owner, isMarked: owner !== "" && marker === id.slice(0, MAX_MARK), knowsOwner: marker !== "" };
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
export class Contenders {
  readonly all: readonly Contender[];
  readonly byUid: ReadonlyMap<string, Contender>;
  /** Those that may own, the owner first. */
  readonly living: readonly Contender[];
  #names: ReadonlySet<string> | undefined;
  #inTheWay: readonly Contender[] | undefined;
  #created: readonly Contender[] | undefined;
  #areInvolved: boolean | undefined;

  constructor(all: readonly Contender[]) {
    this.all = all;
    this.byUid = new Map(all.map((contender) => [contender.uid, contender]));
    this.living = all.filter(({ isDeleting }) => !isDeleting).sort(byPrecedence);
  }

  get names(): ReadonlySet<string> {
    this.#names ??= new Set(this.all.map(({ name }) => name));
    return this.#names;
  }

  /** Those that keep others from being promoted: they write, or are being deleted together with the cloud resource. */
  get inTheWay(): readonly Contender[] {
    this.#inTheWay ??= this.all.filter(
      (contender) => contender.isWriting || (contender.isDeleting && contender.isDeletingWithIt),
    );
    return this.#inTheWay;
  }

  get created(): readonly Contender[] {
    this.#created ??= this.all.filter(({ isCreated }) => isCreated);
    return this.#created;
  }

  /** True if one of them has to do with the cloud resource more than observing it. */
  get areInvolved(): boolean {
    this.#areInvolved ??= this.all.some(isInvolved);
    return this.#areInvolved;
  }
}

/** Tells whether it created or wrote the cloud resource, knows an owner of it, or was chosen by an operator. */
export const isInvolved = ({ isWriting, isCreated, knowsOwner, takeOwnership }: Contender): boolean =>
  isWriting || isCreated || knowsOwner || takeOwnership !== "";

/** Finds the first contender with another UID. */
export const firstBut = (contenders: readonly Contender[], uid: string): Contender | undefined =>
  contenders.find((contender) => contender.uid !== uid);

/** The facts that decide precedence. */
type Ranked = Pick<Contender, "takeOwnership" | "isMarked" | "createdAt" | "uid">;

/** Sorts by precedence as owner: chosen by an operator, then promoted before, then oldest. */
export function byPrecedence(a: Ranked, b: Ranked): number {
  if (a.takeOwnership !== b.takeOwnership) return a.takeOwnership > b.takeOwnership ? -1 : 1;
  if (a.isMarked !== b.isMarked) return a.isMarked ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
