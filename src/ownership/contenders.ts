import { toApiGroup } from "../crossplane/api-group.ts";
import { type ManagedKind, readManagedKind } from "../crossplane/managed-resource.ts";
import { readAnnotation } from "../crossplane/metadata.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { findTwin } from "../crossplane/twin.ts";
import { stringAt } from "../model/document.ts";
import { DNS_LABEL, isPathSegment } from "../model/names.ts";
import type { LookupAnswer, Requirement, Requirements } from "../model/requirement.ts";
import { IDENTITY_LABEL, OBSERVES } from "./annotations.ts";
import { byPrecedence, type Contender, isAcknowledgedBy, toContender } from "./contender.ts";
import { type CloudResource, hasSameName, isKnown, isSame, readCloudResource } from "./identity.ts";

/** A managed resource, with the facts for the search for its contenders. */
export interface Candidate {
  readonly kind: ManagedKind;
  readonly facts: IdentityFacts;
  readonly declared: CloudResource;
  /** Undefined before it is created. */
  readonly own: Contender | undefined;
  /** Reads the tags of the cloud resource that its provider reports. */
  readonly reportedTags: () => ReadonlyMap<string, string> | undefined;
}

/**
 * Finds all managed resources that declare the cloud resource: those with the identity label, of the kind and of its twin, and the one
 * that wrote the cloud resource last, which lacks the label if its XR does not use this function. The writer is required only while
 * ours is not the owner.
 *
 * A settled observer requires its owner alone, as long as that lists it: Crossplane reconciles an XR when a resource changes that it
 * requires, so a change of one contender would wake all. The owner's change wakes all, which then require all.
 */
export function findContenders(candidate: Candidate, identity: string, known: KnownContenders): Contenders | undefined {
  const owner = toOwnerRequirement(candidate, identity);
  const settled = owner && known.findOwner(owner, candidate);
  if (settled !== "none" && owner !== undefined) return settled;
  const labelled = toLabelled(candidate.kind, identity);
  const listed = known.list(labelled, candidate, identity);
  const writer = listed && toWriterRequirement(candidate, listed);
  return listed && writer ? known.listWithWriter(listed, candidate, identity, writer) : listed;
}

function toLabelled({ apiVersion, kind }: ManagedKind, identity: string): Requirement {
  const match = { labels: { [IDENTITY_LABEL]: identity } };
  return toRequirement(`tags/${apiVersion}/${identity}`, { apiVersion, kind, match });
}

/** Requires the owner that a settled observer records, unless an operator gives ownership to ours. */
function toOwnerRequirement({ kind, own }: Candidate, identity: string): Requirement | undefined {
  const recorded = own && readAnnotation(own.document, OBSERVES);
  if (recorded === undefined || own?.identity !== identity || own.isMarked || own.isWriting || own.takeOwnership !== "")
    return undefined;
  const [name = "", namespace, ...more] = recorded.split("/").toReversed();
  const ofOwner = (namespace !== undefined) === kind.isNamespaced ? kind : findTwin(kind);
  const isValid = isPathSegment(name) && (namespace === undefined || DNS_LABEL.test(namespace)) && more.length === 0;
  if (ofOwner === undefined || !isValid) return undefined;
  const selector = { apiVersion: ofOwner.apiVersion, kind: kind.kind, namespace, match: { name } };
  return toRequirement(`tags/${ofOwner.apiVersion}/${kind.kind}/${recorded}`, selector);
}

type Asking = Pick<Requirements, "ask" | "askIfServed">;

/** The contenders in one request, each answer read once for all resources that declare the same cloud resource. */
export class KnownContenders {
  readonly #requirements: Asking;
  readonly #canAskSchemas: boolean;
  readonly #known = new Map<string, Contenders>();

  /** @param canAskSchemas true if Crossplane can say whether a kind is served. */
  constructor(requirements: Asking, canAskSchemas: boolean) {
    this.#requirements = requirements;
    this.#canAskSchemas = canAskSchemas;
  }

  /** Finds the owner that lists ours, and ours; undefined while the answer is pending, "none" if it is not the owner any more. */
  findOwner(requirement: Requirement, candidate: Candidate): Contenders | "none" | undefined {
    const { own, kind } = candidate;
    const isTwin = requirement.selector.apiVersion !== kind.apiVersion;
    const found = toContenders(this.#requirements[isTwin ? "askIfServed" : "ask"](requirement));
    if (found === undefined) return undefined;
    const isOwner = (one: Contender): boolean =>
      one.isMarked &&
      !one.isDeleting &&
      own !== undefined &&
      isAcknowledgedBy(one, own) &&
      declares(one, candidate, isSame);
    const owner = found.find(isOwner);
    return owner && own ? new Contenders([owner, own]) : "none";
  }

  /** Lists the contenders with the identity label; undefined while an answer is pending. */
  list(labelled: Requirement, candidate: Candidate, identity: string): Contenders | undefined {
    return this.#once(labelled.name, () => {
      const twin = this.#canAskSchemas ? findTwin(candidate.kind) : undefined;
      const found = toContenders(this.#requirements.ask(labelled));
      const twins = twin && toContenders(this.#requirements.askIfServed(toLabelled(twin, identity)));
      if (found === undefined || (twin !== undefined && twins === undefined)) return undefined;
      return new Contenders([...found, ...(twins ?? [])].filter((one) => declares(one, candidate, isSame)));
    });
  }

  /** Lists these and the managed resource that wrote the cloud resource last. */
  listWithWriter(
    listed: Contenders,
    candidate: Candidate,
    identity: string,
    writer: Requirement,
  ): Contenders | undefined {
    return this.#once(`${identity} ${writer.name}`, () => {
      const isNew = (contender: Contender): boolean =>
        !listed.byUid.has(contender.uid) && declares(contender, candidate, hasSameName);
      const found = toContenders(this.#requirements.ask(writer));
      return found && new Contenders([...listed.all, ...found.filter(isNew)]);
    });
  }

  #once(key: string, read: () => Contenders | undefined): Contenders | undefined {
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const found = read();
    if (found !== undefined) this.#known.set(key, found);
    return found;
  }
}

const toContenders = (answer: LookupAnswer): readonly Contender[] | undefined =>
  answer.is === "pending" ? undefined : answer.items.map(toContender);

/**
 * Tells by its own document whether a managed resource declares the candidate's cloud resource. Its label may be forged, or of the
 * cloud resource that it declared before. Of the one that the cloud's tags name, only the name is compared: the place contains fields
 * that do not distinguish cloud resources of every kind, such as the region of a DNS zone.
 */
function declares(
  { document }: Contender,
  { facts, declared }: Candidate,
  compare: (a: CloudResource, b: CloudResource) => boolean,
): boolean {
  const read = readCloudResource({ kind: readManagedKind(document), desired: document, observed: document, facts });
  return isKnown(read) && compare(declared, read);
}

/**
 * Requires the managed resource that wrote the cloud resource, if it is neither ours nor listed. Upjet's providers name it in a tag
 * without its namespace, so only cluster-scoped resources can be looked up. An invalid name is not asked for: Crossplane would fail
 * the whole XR, and anyone may write tags in the cloud.
 */
function toWriterRequirement({ kind, own, reportedTags }: Candidate, listed: Contenders): Requirement | undefined {
  if (own === undefined || own.isMarked || kind.isNamespaced) return undefined;
  const reported = reportedTags();
  const name = reported?.get("crossplane-name");
  const writerKind = `${kind.kind.toLowerCase()}.${toApiGroup(kind.apiVersion)}`;
  if (name === undefined || !isPathSegment(name) || reported?.get("crossplane-kind") !== writerKind) return undefined;
  if (name === stringAt(own.document, ["metadata", "name"]) || listed.names.has(name)) return undefined;
  const { apiVersion } = kind;
  return toRequirement(`tags/${apiVersion}/${kind.kind}/${name}`, { apiVersion, kind: kind.kind, match: { name } });
}

/** All contenders of one cloud resource, sorted once for all resources of an XR that declare it. */
export class Contenders {
  readonly all: readonly Contender[];
  readonly byUid: ReadonlyMap<string, Contender>;
  /** The contenders that may own, the owner first. Without a controller only those that owned or wrote before a restore. */
  readonly living: readonly Contender[];
  #names: ReadonlySet<string> | undefined;
  #inTheWay: readonly Contender[] | undefined;
  #created: readonly Contender[] | undefined;
  #areInvolved: boolean | undefined;

  constructor(all: readonly Contender[]) {
    this.all = all;
    this.byUid = new Map(all.map((contender) => [contender.uid, contender]));
    this.living = all
      .filter((one) => !one.isDeleting && (one.isControlled || one.isMarked || one.isWriting))
      .sort(byPrecedence);
  }

  get names(): ReadonlySet<string> {
    this.#names ??= new Set(this.all.map(({ name }) => name));
    return this.#names;
  }

  /** The contenders that block a promotion: they write, or are being deleted together with the cloud resource. */
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

  /** True if one of them does more than observe the cloud resource. */
  get areInvolved(): boolean {
    this.#areInvolved ??= this.all.some(isInvolved);
    return this.#areInvolved;
  }
}

/** Finds the first contender with another UID. */
export const firstOther = (contenders: readonly Contender[], uid: string): Contender | undefined =>
  contenders.find((contender) => contender.uid !== uid);

/** Tells whether the contender created or writes the cloud resource, records its owner, or was chosen by an operator. */
export const isInvolved = ({ isWriting, isCreated, knowsOwner, takeOwnership }: Contender): boolean =>
  isWriting || isCreated || knowsOwner || takeOwnership !== "";
