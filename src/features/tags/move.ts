import { isCreationUnderWay, readCreationTime } from "../../crossplane/managed-resource.ts";
import { OBSERVE, OBSERVE_ANEW, type Policies } from "../../crossplane/management-policies.ts";
import { readAnnotation } from "../../crossplane/metadata.ts";
import { readGeneration, readSyncedGeneration } from "../../crossplane/observed-generation.ts";
import { shownCondition } from "../../model/condition.ts";
import type { Ready } from "../../model/request.ts";
import { CREATED_BEFORE, MOVED_AT } from "../../ownership/annotations.ts";
import type { Contender } from "../../ownership/contender.ts";

/** Annotations to set, by key. */
export type Annotations = Readonly<Record<string, string | undefined>>;

/** The part that a managed resource plays as a contender. */
export interface Part {
  /** The provider's actions. For a kind without management policies only Delete counts. */
  readonly policies: Policies;
  readonly annotations: Annotations;
  /**
   * "False" if the XR must not depend on the cloud resource yet, because it may be deleted before the owner lists the XR as a successor.
   * "True" if an observer counts as ready: some providers never set Ready on an observer (provider-aws v0.50.0). Else as before.
   */
  readonly ready?: Ready | undefined;
}

/** Tells whether the noted generation is from before a restore, which began the generations anew: it would never pass. */
function isOfBackup({ document }: Contender): boolean {
  const movedAt = readAnnotation(document, MOVED_AT);
  if (movedAt === undefined) return false;
  const generation = readGeneration(document);
  return generation > 0 && generation <= Number(movedAt);
}

/**
 * Holds back a managed resource that declares another cloud resource than before, until its provider has read the change: until then its
 * observations, and a creation that has begun, are about the former one. The resource only observes, in a new generation of its spec,
 * until the provider's Synced reports that generation; without generations, until a creation under way has ended. It is not paused,
 * since a paused one is never deleted. Undefined if the provider knows what the resource declares.
 */
export function findMove(own: Contender | undefined, hasMoved: boolean): Part | undefined {
  const progress = own && (hasMoved || isOfBackup(own) ? "begun" : readProgress(own));
  return own && progress && toMove(own, progress);
}

function toMove({ document, policies }: Contender, progress: "begun" | "unread"): Part {
  const creation = readCreationTime(document) ?? readAnnotation(document, CREATED_BEFORE);
  const toPart = (actions: Policies, movedAt?: string): Part => ({
    policies: actions,
    annotations: { [CREATED_BEFORE]: creation, [MOVED_AT]: movedAt },
  });
  if (policies === undefined) return toPart(OBSERVE);
  if (progress === "unread") return toPart(policies, readAnnotation(document, MOVED_AT));
  const isObserving = policies.join() === OBSERVE.join();
  return toPart(isObserving ? OBSERVE_ANEW : OBSERVE, String(readGeneration(document)));
}

/** Reads how far the provider is: "begun" if a new generation has to begin, "unread" until the provider has read it. */
function readProgress({ document }: Contender): "begun" | "unread" | undefined {
  const movedAt = readAnnotation(document, MOVED_AT);
  if (movedAt === undefined) return undefined;
  if (shownCondition(document, "Synced") === undefined) return "unread";
  const synced = readSyncedGeneration(document);
  if (synced === undefined) return isCreationUnderWay(document) ? "unread" : undefined;
  if (synced.generation <= Number(movedAt)) return "unread";
  return synced.isOfCreation ? "begun" : undefined;
}

/** Reads the creation time of the former cloud resource: nothing else is created while ours is held back. */
export function readFormerCreation({ document }: Contender): string | undefined {
  const isHeldBack = readAnnotation(document, MOVED_AT) !== undefined;
  return (isHeldBack ? readCreationTime(document) : undefined) ?? readAnnotation(document, CREATED_BEFORE);
}
