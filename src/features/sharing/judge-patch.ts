import { qualifiedName } from "../../crossplane/metadata.ts";
import type { Fault } from "../../input/faults.ts";
import { isRequired, type Patch } from "../../input/patch.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { compareTexts } from "../../model/collections.ts";
import { brief, listSome, MAX_NAMES, quote } from "../../model/condition.ts";
import { didYouMean } from "../../model/did-you-mean.ts";
import { type Document, TOO_DEEP } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { type JsonValue, MAX_DEPTH } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import type { JudgedShare } from "./copies/rows.ts";
import type { SharingReason } from "./reasons.ts";
import type { Share } from "./verdict.ts";

export type Judged = Share & JudgedShare;

/**
 * The outcome for a patch's field.
 *
 * - `set`: to the shared resource's value.
 * - `keep`: as it is observed. `isDefaulting`: earlier steps may have a value of their own for it.
 * - `leave`: as earlier steps desire it.
 */
export type PatchVerdict =
  | { readonly is: "set"; readonly value: JsonValue }
  | { readonly is: "keep"; readonly isDefaulting?: boolean; readonly reason?: SharingReason }
  | { readonly is: "leave"; readonly reason?: SharingReason };

export const failed = (fault: string): SharingReason => ({ is: "PatchFailed", fault });

/**
 * Decides about one patch. A composed resource that exists keeps its field whenever the value is not available: the subnets of a
 * database are not taken away because a grant is. The XR's status follows the grant: its field stays while the shared resource is
 * not there, or we cannot tell, and goes where access is refused.
 */
export function judgePatch(patch: Patch, { shared, judgement, call }: Judged): PatchVerdict {
  const { toResource } = patch;
  const { is, readable, isRefused } = judgement;
  const { resources } = call.request.desired;
  if (toResource !== undefined && !resources.has(toResource.name)) {
    if (!isRequired(patch)) return { is: "leave" };
    return { is: "leave", reason: failed(`cannot patch a resource: ${explainMisnamed(toResource.name, resources)}`) };
  }
  const isDropped = is === "gone" && shared.connection?.onSourceMissing === "Delete";
  if (isRefused || isDropped) return { is: toResource === undefined ? "leave" : "keep" };
  const [resource] = readable;
  return resource === undefined ? { is: "keep" } : read(patch, resource, shared);
}

function read(patch: Patch, resource: Document, { kind }: SharedResource): PatchVerdict {
  const { fromFieldPath, toResource } = patch;
  const field = `${formatFieldPath(fromFieldPath)} of ${kind} ${qualifiedName(resource)}`;
  const value = resource.at(fromFieldPath, TOO_DEEP);
  if (value === undefined) {
    if (isRequired(patch)) return { is: "keep", reason: { is: "FieldNotSet", field } };
    return toResource === undefined ? { is: "leave" } : { is: "keep", isDefaulting: true };
  }
  if (value === TOO_DEEP) return { is: "keep", reason: failed(`cannot read ${field}: it is ${NESTED_TOO_DEEP}`) };
  if (typeof value !== "number" || Number.isFinite(value)) return { is: "set", value };
  return { is: "keep", reason: failed(`cannot read ${field}: it is a number that JSON cannot hold`) };
}

export const NESTED_TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/**
 * Finds the Required patches of resources that are neither desired by an earlier step nor observed: a wrong name, or steps in the wrong
 * order. An observed resource was desired before and is being deleted. Beside copies of Secrets, also of other steps, such a patch fails
 * alone: a field of the XR may decide what an earlier step desires, and a Fatal result would keep a copy whose grant is revoked.
 */
export function findMisnamed(shares: readonly Judged[], { request: { desired, observed } }: Call): readonly Fault[] {
  const isThere = (name: string): boolean => desired.resources.has(name) || observed.resources.has(name);
  if (shares.some(({ shared }) => shared.connection !== undefined)) return [];
  return shares.flatMap(({ shared }, share) =>
    shared.patches.flatMap((patch, index): readonly Fault[] => {
      const name = patch.toResource?.name;
      if (name === undefined || isThere(name) || !isRequired(patch)) return [];
      const path = `spec.sharedResources[${share}].patches[${index}].toResource.name`;
      return [{ path, message: explainMisnamed(name, desired.resources) }];
    }),
  );
}

function explainMisnamed(name: string, desired: ReadonlyMap<string, unknown>): string {
  const names = [...desired.keys()].sort(compareTexts);
  return names.length === 0
    ? `no earlier step desires ${quote(name)}, or any other resource: this step has to come after the one that does`
    : `no earlier step desires ${quote(name)}; they desire ${listSome(names, MAX_NAMES, brief)}${didYouMean(name, names)}`;
}
