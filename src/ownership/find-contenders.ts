import { readAccountOf, selectProviderConfig } from "../crossplane/account.ts";
import { findTwin, type ManagedKind, readManagedKind, readProviderConfig } from "../crossplane/managed-resource.ts";
import { isObserver, mayWrite } from "../crossplane/management-policies.ts";
import type { Cloud } from "../crossplane/providers/families.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import type { Document } from "../model/document.ts";
import { isPathSegment } from "../model/names.ts";
import { cache, once } from "../model/once.ts";
import type { Requirements } from "../model/requirement.ts";
import { CONTENDS_LABEL, EXTERNAL_NAME_LABEL, IDENTITY_LABEL, WRITES_LABEL } from "./annotations.ts";
import type { Contender } from "./contender.ts";
import {
  chooseLabel,
  findFirst,
  isAhead,
  isNamedByOurs,
  looksByName,
  orOwn,
  toContenders,
  toFirst,
  toFirstName,
  toLabelled,
  toLostRequirements,
  toWriterRequirement,
} from "./contender-requirements.ts";
import { asListed, asObserved, type Contenders, type Found, indexByUid, isLiving } from "./contenders.ts";
import {
  type Candidate,
  type CloudResource,
  hasSameName,
  isKnown,
  isSame,
  isSameInAnyAccount,
  readByItself,
} from "./identity.ts";

/** A managed resource with the same external name as ours, in any account, and the cloud resource that it declares. */
export interface Namesake {
  readonly one: Contender;
  readonly read: CloudResource;
}

interface Listed {
  readonly asked: Requirements;
  /** The contenders that answer `asked`; undefined while an answer is pending. */
  readonly found: Contenders | undefined;
}

/** Finds contenders in one request. Reads each answer once for all resources that declare the same cloud resource. */
export class KnownContenders {
  readonly #requirements: Requirements;
  readonly #canAskSchemas: boolean;
  readonly #listed = cache<Listed>();
  readonly #named = cache<Contenders | undefined>();
  readonly #namesakes = cache<readonly Namesake[] | undefined>();
  readonly #withWriter = cache<Contenders | undefined>();

  /** @param canAskSchemas true if Crossplane can say whether a kind is served. */
  constructor(requirements: Requirements, canAskSchemas: boolean) {
    this.#requirements = requirements;
    this.#canAskSchemas = canAskSchemas;
  }

  /**
   * Finds the contenders that our resource has to know; undefined while an answer is pending. Requires no others: Crossplane reconciles an
   * XR whenever a resource that the XR requires changes, and if N XRs required all N contenders, a change of one would reconcile N XRs.
   *
   * | our resource                                       | requires                                                            |
   * | -------------------------------------------------- | ------------------------------------------------------------------- |
   * | takes on another contender's account (see `Join`)  | all with the identity label                                         |
   * | owns, or its provider chose the name               | those with `contends`, which an owner has to know                   |
   * | is behind the first contender                      | the first by name; until the first owns, also those with `writes`   |
   * | is first, and becomes the owner                    | itself by name, and those with `contends`: many may be created now  |
   * | may be promoted, and no first is known             | all with the identity label, which each has from its creation       |
   * | is new                                             | those with `writes`, to find the owner                              |
   *
   * To the last two it adds the managed resource that wrote the cloud resource last, which has no labels if its XR lacks this step.
   *
   * @param joins true for the first row.
   */
  find(candidate: Candidate, joins = false): Found | undefined {
    const { own } = candidate;
    if (joins) return asListed(this.#require(IDENTITY_LABEL, candidate), own);
    if (isNamedByOurs(candidate)) return asObserved(this.#require(CONTENDS_LABEL, candidate), own);

    const before = this.recallFirst(candidate);
    const label = chooseLabel(before, candidate);
    const first = before?.isMarked ? before : findFirst(before, candidate, this.#list(label, candidate).found);
    if (first === undefined) return asListed(this.#withLastWriter(this.#require(label, candidate), candidate), own);

    this.#requirements.ask(toFirst(first, candidate)); // to be recalled in the next reconcile
    if (first.uid === own?.uid) return asObserved(this.#require(CONTENDS_LABEL, candidate), own);
    if (!first.isMarked) this.#require(WRITES_LABEL, candidate);
    return asObserved([first], own);
  }

  /** Lists the managed resources with the hash of an external name, in any account and scope; undefined while an answer is pending. */
  listNamesakes(kind: ManagedKind, externalName: string): Contenders | undefined {
    return this.#named(`${kind.apiVersion} ${externalName}`, () =>
      this.#ask(kind, EXTERNAL_NAME_LABEL, externalName, undefined, this.#requirements),
    );
  }

  /** Finds the managed resources with the candidate's external name and resolved references; undefined while an answer is pending. */
  findNamesakes({ kind, externalName, declared: { facts } }: Candidate): readonly Namesake[] | undefined {
    const key = [kind.apiVersion, externalName, ...(facts.added ?? [])].join(" ");
    return this.#namesakes(key, () =>
      this.listNamesakes(kind, externalName)?.flatMap((one) => {
        const read = readByItself(one.document, facts);
        return isKnown(read) ? [{ one, read }] : [];
      }),
    );
  }

  /** Reads the account in a managed resource's ProviderConfig; undefined if this cannot be looked up, or names no account. */
  findAccount(managed: Document, cloud: Cloud | undefined, namespace?: string): string | "pending" | undefined {
    const selector = selectProviderConfig(readManagedKind(managed), readProviderConfig(managed, namespace));
    if (!this.#canAskSchemas || selector === undefined || !isPathSegment(selector.match.name)) return undefined;
    const answer = this.#requirements.askIfServed(toRequirement(`tags/account/${selector.kind}`, selector));
    if (answer.is === "pending") return answer.is;
    const [config] = answer.items;
    return config && readAccountOf(config, cloud);
  }

  /** Recalls the first contender of an earlier reconcile; undefined if there was none, or another contender may be first now. */
  recallFirst(candidate: Candidate): Contender | undefined {
    const { own, identity } = candidate;
    const recall = (isOwn = false): Contender | undefined =>
      toContenders(this.#requirements.recall(toFirstName(candidate, isOwn)), own)?.[0];
    const other = recall();
    if (
      other !== undefined &&
      isLiving(other) &&
      !onlyObserves(other) &&
      isAhead(other, candidate) &&
      declares(other, candidate, isSame)
    ) {
      return other;
    }
    if (own === undefined || own.isMarked || own.identity !== identity) return undefined;
    return recall(true)?.uid === own.uid ? own : undefined;
  }

  /** Lists the contenders with the label, and requires them, so that Crossplane reconciles the XR when one changes. */
  #require(label: string, candidate: Candidate): Contenders | undefined {
    const { asked, found } = this.#list(label, candidate);
    this.#requirements.add(asked);
    return found;
  }

  /** Lists the contenders with the label, without requiring them in the response yet. */
  #list(label: string, candidate: Candidate): Listed {
    const isWide = label === IDENTITY_LABEL && looksByName(candidate);
    const { kind, own, forms } = candidate;
    const identities = forms.map(({ identity }) => identity);
    const key = [kind.apiVersion, isWide, label, ...identities].join(" ");
    return this.#listed(key, () => {
      const asked = this.#requirements.fork();
      if (isWide) return { asked, found: this.#listInAnyAccount(candidate) };
      const answers = identities.map((identity) => this.#ask(kind, label, identity, own, asked));
      const isPending = !answers.every((answer) => answer !== undefined);
      const found = isPending ? undefined : answers.flat().filter((one) => declares(one, candidate, isSame));
      return { asked, found };
    });
  }

  /**
   * Lists the contenders behind any ProviderConfig. Compares the candidate with all managed resources of its external name, each of which
   * is read once. An XR has some thousand candidates at most, since its response is limited to 4 MiB.
   */
  #listInAnyAccount(candidate: Candidate): Contenders | undefined {
    const { own } = candidate;
    return this.findNamesakes(candidate)
      ?.filter(({ one, read }) => declares(orOwn(one, own), candidate, isSame, read))
      .map(({ one }) => orOwn(one, own));
  }

  /** Asks for the managed resources with the label, of this kind and of its twin in the other scope. */
  #ask(kind: ManagedKind, label: string, value: string, own: Contender | undefined, requirements: Requirements) {
    const twin = this.#canAskSchemas ? twinOf(kind) : undefined;
    const found = toContenders(requirements.ask(toLabelled(kind, label, value)), own);
    const twins = twin === undefined ? [] : toContenders(requirements.askIfServed(toLabelled(twin, label, value)), own);
    return found && twins && [...found, ...twins];
  }

  /** Adds the managed resource that wrote the cloud resource last, if it is not listed. */
  #withLastWriter(listed: Contenders | undefined, candidate: Candidate): Contenders | undefined {
    const writer = listed && toWriterRequirement(candidate, listed);
    if (listed === undefined || writer === undefined) return listed;
    const isNew = (contender: Contender): boolean =>
      !indexByUid(listed).has(contender.uid) && !onlyObserves(contender) && declares(contender, candidate, hasSameName);
    return this.#withWriter(`${candidate.identity} ${writer.name}`, () => {
      const found = toContenders(this.#requirements.ask(writer), candidate.own);
      return found && [...listed, ...found.filter(isNew)];
    });
  }

  /**
   * Finds successors of ours that have lost our labels and may write the cloud resource; undefined while an answer is pending. They are no
   * contenders: without this step, their XRs do not know who owns it.
   */
  findLost(candidate: Candidate, listed: Contenders): Contenders | undefined {
    const answers = toLostRequirements(candidate, listed).map((one) =>
      toContenders(this.#requirements.ask(one), candidate.own),
    );
    const isLost = (one: Contender): boolean =>
      one.identity === undefined && mayWriteUnlabelled(one) && declares(one, candidate, isSameInAnyAccount);
    return answers.includes(undefined) ? undefined : answers.flatMap((found) => found ?? []).filter(isLost);
  }
}

/** Tells whether a managed resource without our labels writes, or will once it is no longer paused. */
const mayWriteUnlabelled = ({ policies, isDeleting }: Contender): boolean =>
  policies !== undefined && mayWrite(policies) && !isDeleting;

/**
 * Tells whether a contender only observes as its Composition desires: it has such policies, and this function has neither labelled it nor
 * marked it as the owner.
 */
const onlyObserves = ({ isMarked, identity, policies }: Contender): boolean =>
  !isMarked && identity === undefined && policies !== undefined && isObserver(policies);

/** Finds the twin of each kind once: an XR composes many resources of few kinds. */
const twinOf = once(findTwin);

/**
 * Tells whether the fields of a managed resource declare the candidate's cloud resource. The label by which the managed resource was found
 * proves nothing: the label may be forged, or be left from another cloud resource.
 *
 * @param compare `isSame`; but `hasSameName` for the last writer, which the cloud's tags name: its place may differ, such as the region of a DNS zone.
 */
function declares(
  one: Contender,
  { own, observed, declared, forms }: Candidate,
  compare: typeof isSame,
  read = one === own ? observed : readByItself(one.document, declared.facts),
): boolean {
  if (!isKnown(read)) return false;
  if (one === own) return isSameInAnyAccount(declared, read); // it may take on another account
  return forms.some((form) => compare(form.declared, read)) && (read.config === declared.config || hasLooked(one));
}

/**
 * Tells whether the provider of a managed resource has looked for the cloud resource. Only then does a managed resource with another
 * ProviderConfig than ours count: otherwise a team could keep others from a name by a ProviderConfig that leads nowhere.
 */
export const hasLooked = ({ isMarked, isWriting, observation }: Contender): boolean =>
  isMarked || isWriting || observation !== "unknown";
