import { isCreationUnderWay, readCreationTime } from "../../crossplane/managed-resource.ts";
import { OBSERVE, OBSERVE_ANEW, type Policies } from "../../crossplane/management-policies.ts";
import { readAnnotation } from "../../crossplane/metadata.ts";
import { readGeneration, readSyncedGeneration } from "../../crossplane/observed-generation.ts";
import { shownCondition } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import type { Ready } from "../../model/request.ts";
import { CREATED_BEFORE, MOVED_AT } from "../../ownership/annotations.ts";
import type { Contender } from "../../ownership/contender.ts";

/** Annotations to set, by key. */
export type Annotations = Readonly<Record<string, string | undefined>>;

/** Policies, annotations and readiness that a managed resource gets as the owner of the cloud resource, or as an observer. */
export interface Part {
  /** The provider's actions. For a kind without management policies only Delete counts. */
  readonly policies: Policies;
  readonly annotations: Annotations;
  /**
   * "False" if the XR must not depend on the cloud resource yet, such as before the owner lists ours as a successor. "True" if an observer
   * counts as ready: some providers never set Ready on an observer (provider-aws v0.50.0). Undefined leaves the readiness as earlier steps
   * desire it.
   */
  readonly ready?: Ready | undefined;
}

/**
 * Holds back a managed resource that declares another cloud resource than before: it only observes until the provider has read the change.
 * Until then the provider's observations, and any creation that has begun, are about the former cloud resource. Undefined once the provider
 * has read the change, and without a change.
 *
 * The annotation MOVED_AT notes the present generation. Policies with the same meaning (OBSERVE, OBSERVE_ANEW) make a new generation. Once
 * the provider's Synced reports a generation after the noted one, the provider has read the change. If a provider reports no generations,
 * the wait ends with any creation under way. A pause would not do: a paused managed resource is never deleted.
 */
export function holdBackAfterMove(own: Contender | undefined, hasMoved: boolean): Part | undefined {
  const step = own && (hasMoved ? "renew" : findStep(own.document));
  if (own === undefined || step === undefined) return undefined;
  const { document, policies } = own;
  if (policies === undefined) return { policies: OBSERVE, annotations: {} };
  if (step === "wait") return { policies, annotations: { [MOVED_AT]: readAnnotation(document, MOVED_AT) } };
  const isObserving = policies.join() === OBSERVE.join();
  const annotations = { [MOVED_AT]: String(readGeneration(document)) };
  return { policies: isObserving ? OBSERVE_ANEW : OBSERVE, annotations };
}

/**
 * Tells whether to begin a new generation ("renew"), or to wait until the provider has read the noted one ("wait"); undefined afterwards.
 * A provider that reports a creation may claim a generation that it has not read (`isOfCreation`): then a new generation is needed.
 */
function findStep(document: Document): "renew" | "wait" | undefined {
  const noted = readAnnotation(document, MOVED_AT);
  if (noted === undefined) return undefined;
  const [generation, movedAt] = [readGeneration(document), Number(noted)];
  // A restore counts generations from 1 again: Synced might never report a later generation than the noted one.
  if (generation > 0 && generation <= movedAt) return "renew";
  if (shownCondition(document, "Synced") === undefined) return "wait";
  const synced = readSyncedGeneration(document);
  if (synced === undefined) return isCreationUnderWay(document) ? "wait" : undefined;
  if (synced.generation <= movedAt) return "wait";
  return synced.isOfCreation ? "renew" : undefined;
}

/**
 * Reads when the former cloud resource was created, even while ours is held back; undefined if that is not known.
 *
 * @param isMoving true if ours is held back from now on.
 */
export function readFormerCreation({ document }: Contender, isMoving: boolean): string | undefined {
  const isHeldBack = isMoving || readAnnotation(document, MOVED_AT) !== undefined;
  return (isHeldBack ? readCreationTime(document) : undefined) ?? readAnnotation(document, CREATED_BEFORE);
}
