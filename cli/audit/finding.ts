import type { Reference } from "../../src/crossplane/references.ts";

/**
 * Faults between an XR and what it composes, in the order in which they are shown.
 *
 * - `Unadopted`: the XR refers to the resource, and nobody controls it, as after a restore.
 * - `Orphaned`: an XR that exists composed it, nobody controls it, and no XR refers to it: Crossplane has
 *   forgotten it (v2.4 does, crossplane#5875) and will never delete it.
 * - `StaleController`: its controller has the UID that this XR had before a restore.
 * - `ControlledByAnother`: the XR refers to a resource that somebody else controls.
 * - `Dangling`: the XR refers to a resource that is not there.
 * - `Unmanaged`: managed resources stand for a cloud resource that one of them created, and none of them owns it any more.
 * - `Unregistered`: a managed resource has the external name of one that this function has registered, and lacks its label.
 * - `SharedResourceGone`: it makes a copy of the connection Secret of an XR that is not there (any more).
 * - `NeverReconciled`: the XR has no `Synced` condition: Crossplane has not called a function for it.
 */
export const FINDINGS = [
  "Unadopted",
  "Orphaned",
  "StaleController",
  "ControlledByAnother",
  "Dangling",
  "Unmanaged",
  "Unregistered",
  "SharedResourceGone",
  "NeverReconciled",
] as const;

type FindingType = (typeof FINDINGS)[number];

export interface Finding {
  readonly is: FindingType;
  /** The composed resource; for `NeverReconciled`, the XR. */
  readonly resource: Reference;
  /** Undefined where several XRs could have composed the resource. */
  readonly composite: Reference | undefined;
  /** The resource's name in the Composition, where it carries one. */
  readonly compositionResourceName: string | undefined;
  /** The fault, and its consequence. */
  readonly message: string;
}
