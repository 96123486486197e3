import type { Document } from "../../model/document.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Original } from "./copies/composed.ts";
import type { SourceSecret } from "./copies/contents.ts";
import type { Destination } from "./copies/destination.ts";
import type { Access } from "./grant.ts";
import type { SharingReason } from "./reason.ts";

/** The decision on the copies of one shared resource's connection Secret. */
type SharingVerdict =
  | Copying
  | { readonly is: "nothing" } // the input asks for no copies
  | NotCopying;

/**
 * Nothing new can be copied.
 *
 * - `unknown`: an answer is still missing. What is there stays exactly as it is.
 * - `broken`: what the consumer or the Composition says leads nowhere. The copies live as long as the grants that they were
 *   made under (copies/kept.ts), so that nobody escapes a revocation by breaking his own XR.
 * - `gone`: the shared resource, its Secret or its reference to one is not there. The same, and `onSourceMissing` decides.
 */
export interface NotCopying {
  readonly is: "unknown" | "broken" | "gone";
  /** Undefined where the input is content with nothing. */
  readonly reason: SharingReason | undefined;
}

/** The destinations of copies; each is judged for itself (copies/write.ts). */
export interface Copying {
  readonly is: "copy";
  readonly original: Original;
  readonly secret: SourceSecret;
  readonly destinations: readonly JudgedDestination[];
  /** New copies are not made of what is about to go. */
  readonly isBeingDeleted: boolean;
  readonly reasons: readonly SharingReason[];
}

export interface JudgedDestination {
  readonly destination: Destination;
  readonly leave: "granted" | "unknown" | "unreadable" | "notGranted" | "notAccepted" | "tooLarge";
}

/** Which of the resources that were found may hand out their fields: to patches, the environment and the context. */
export interface Judgement {
  readonly verdict: SharingVerdict;
  readonly readable: readonly Document[];
  /** True if fields were refused, so that values taken from them are removed. */
  readonly isRefused: boolean;
  readonly requirements: readonly Requirement[];
}

/** Copies nothing. */
export const without = (
  is: NotCopying["is"],
  reason: SharingReason | undefined,
  requirements: readonly Requirement[] = [],
): Judgement => ({ verdict: { is, reason }, readable: [], isRefused: false, requirements });

export type KnownAccess = Extract<Access, { is: "known" }>;

/** A shared resource whose grants are known. */
export interface Accessible {
  readonly resource: Document;
  /** The name by which the consumer asked; nothing else of a resource is told before access to it is granted. */
  readonly name: string;
  readonly access: KnownAccess;
}
