import { attempt, FunctionError } from "../../errors.ts";
import type { Fault } from "../../input/faults.ts";
import { isRequired, type Patch } from "../../input/patch.ts";
import { TOO_DEEP, type ValueEdit } from "../../model/document.ts";
import { type Draft, withCompositeValues, withObject, withResource } from "../../model/draft.ts";
import { type FieldPath, formatFieldPath, valueAt, withValueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import { contains, explainLacking, fitStatus } from "../fit-status.ts";
import type { Room } from "./copies/contents.ts";
import { findMisnamed, type Judged, judgePatch, NESTED_TOO_DEEP, type PatchVerdict } from "./judge-patch.ts";
import type { PatchedField, SharingReason } from "./reasons.ts";

export interface Patches {
  readonly composite: readonly ValueEdit[];
  /** Composed resources as they are with their fields, by name. */
  readonly resources: ReadonlyMap<string, JsonObject>;
  /** Composed resources that must not be created before their fields are set. */
  readonly heldBack: ReadonlySet<string>;
  readonly reasons: ReadonlyMap<string, readonly SharingReason[]>;
  /** The Composition's mistakes. */
  readonly faults: readonly Fault[];
}

interface Applied {
  readonly patch: Patch;
  /** `kept`: with the value that is observed. `untouched`: as earlier steps desire it. */
  readonly is: "set" | "kept" | "untouched";
  /** True if keeping it needs no remark: the shared resource has no value for an Optional patch, and earlier steps no other. */
  readonly isFine?: boolean;
  readonly reason?: SharingReason | undefined;
}

/** The objects with their fields as far as they are patched, by the resource's name. */
interface Progress {
  readonly objects: Map<string, JsonObject>;
  readonly call: Call;
}

/** A response has 4 MiB, which other steps share, and the owner of a field decides how large it is. */
const MAX_BYTES = 512 * 1024;

/** The key of the XR among patched objects: no resource has an empty name. */
const COMPOSITE = "";

const objectOf = ({ toResource }: Patch): string => toResource?.name ?? COMPOSITE;

/** The path of the field that a patch sets: the input gives one of the two. */
const targetOf = ({ toResource, toCompositeFieldPath }: Patch): FieldPath =>
  toResource?.fieldPath ?? toCompositeFieldPath ?? [];

/**
 * Patches all fields that shared resources hand out. One that fails leaves the others as they are.
 *
 * @param hasCopies true if the XR has copies of Secrets, of this step or another.
 */
export function toPatches(shares: readonly Judged[], hasCopies: boolean, call: Call): Patches {
  const progress: Progress = { objects: new Map(), call };
  const applied = shares.map((share) => {
    const room = { left: MAX_BYTES };
    return share.shared.patches.map((patch) => apply(patch, judgePatch(patch, share, call), room, progress));
  });
  const { objects } = progress;
  const status = fitStatus(toValues(objects.get(COMPOSITE) ?? {}, applied.flat()), call);
  objects.delete(COMPOSITE);
  const heldBack = applied.flat().filter(isHeldBack(call));
  const reasons = shares.map(({ shared, judgement }, index) => {
    const own = applied[index] ?? [];
    // While the shared resource is looked up, the outcome is not known, and the condition says so.
    const outcome = judgement.is === "unknown" ? [] : findOutcome(own, call);
    const said = own.flatMap(({ reason }) => reason ?? []);
    return [shared.name, [...said, ...outcome, ...findLacking(own, status.lacking, call)]] as const;
  });
  return {
    composite: status.values,
    resources: objects,
    heldBack: new Set(heldBack.map(({ patch }) => objectOf(patch))),
    reasons: new Map(reasons),
    faults: hasCopies ? [] : findMisnamed(shares, call),
  };
}

/** Reads the values that were written to the XR. */
const toValues = (object: JsonObject, applied: readonly Applied[]): readonly ValueEdit[] =>
  applied.flatMap(({ patch, is }) => {
    const path = toStatusPath(patch);
    const value = path && is !== "untouched" ? valueAt(object, path) : undefined;
    return path === undefined || value === undefined ? [] : [{ path, value }];
  });

/** Finds the path of the value that is sent to the XR: for a list's item the whole list. */
function toStatusPath({ toCompositeFieldPath: path }: Patch): FieldPath | undefined {
  const list = path?.findIndex((step) => typeof step === "number") ?? -1;
  return list < 0 ? path : path?.slice(0, list);
}

/** Tells whether a patch holds its resource back: one created without a required field may be irreparable (subnets, encryption keys). */
const isHeldBack =
  ({ request: { desired, observed } }: Call) =>
  ({ patch, is }: Applied): boolean => {
    const { toResource } = patch;
    if (toResource === undefined || is !== "untouched" || !isRequired(patch)) return false;
    return desired.resources.has(toResource.name) && !observed.resources.has(toResource.name);
  };

/** Finds the composed resources that are held back, and those that keep fields for which there is no value now. */
function findOutcome(applied: readonly Applied[], call: Call): readonly SharingReason[] {
  const heldBack = applied.filter(isHeldBack(call)).flatMap(toField);
  const kept = applied.filter(({ is, isFine }) => is === "kept" && !isFine).flatMap(toField);
  return [
    ...(heldBack.length > 0 ? [{ is: "ResourcesHeldBack", fields: heldBack } as const] : []),
    ...(kept.length > 0 ? [{ is: "FieldsKept", fields: kept } as const] : []),
  ];
}

const toField = ({ patch: { toResource } }: Applied): readonly PatchedField[] =>
  toResource === undefined ? [] : [{ resource: toResource.name, path: toResource.fieldPath }];

/** Finds the fields of a share's patches that the schema of the XR's status lacks. */
function findLacking(applied: readonly Applied[], lacking: readonly FieldPath[], { composite }: Call) {
  const targets = applied.map(({ patch }) => toStatusPath(patch));
  const own = lacking.filter((path) => targets.some((target) => target?.every((step, index) => step === path[index])));
  return own.length === 0 ? [] : [{ is: "PatchFailed", fault: explainLacking(own, composite) } as const];
}

/** Edits a patch's field in its object. Where a value cannot be set, the field keeps the one that it has. */
function apply(patch: Patch, verdict: PatchVerdict, room: Room, progress: Progress): Applied {
  if (verdict.is === "leave") return { patch, is: "untouched", reason: verdict.reason };
  if (verdict.is === "keep") return keep(patch, verdict, progress);
  const bytes = Buffer.byteLength(JSON.stringify(verdict.value));
  const fault =
    bytes > room.left
      ? `cannot set ${formatFieldPath(targetOf(patch))}: the value has ${bytes} bytes; at most ${MAX_BYTES} are set in all`
      : edit(patch, verdict.value, progress);
  if (fault !== undefined) return keep(patch, { is: "keep", reason: { is: "PatchFailed", fault } }, progress);
  room.left -= bytes;
  return { patch, is: "set" };
}

/** Sets a patch's field. @returns the fault where that is not possible. */
function edit(patch: Patch, value: JsonValue, progress: Progress): string | undefined {
  const path = targetOf(patch);
  const whole = soFar(patch, progress);
  if (!isObject(whole)) return `cannot set ${formatFieldPath(path)}: its object is ${NESTED_TOO_DEEP}`;
  const edited = attempt(() => withValueAt(whole, path, value));
  if (edited instanceof FunctionError) return edited.message;
  progress.objects.set(objectOf(patch), edited);
  return undefined;
}

/** The object that a patch edits, with the edits of the patches before it. */
function soFar(patch: Patch, { objects, call: { request } }: Progress): JsonValue | typeof TOO_DEEP {
  const { composite, resources } = request.desired;
  const desired = patch.toResource === undefined ? composite : resources.get(patch.toResource.name);
  return objects.get(objectOf(patch)) ?? desired?.document.at([], TOO_DEEP) ?? {};
}

/** Keeps the value that the patched field has now, if it has one. */
function keep(patch: Patch, { reason, isDefaulting = false }: Keeping, progress: Progress): Applied {
  const { toResource } = patch;
  const { composite, request } = progress.call;
  const shown = toResource === undefined ? composite : request.observed.resources.get(toResource.name);
  const value = shown?.document.at(targetOf(patch));
  const whole = soFar(patch, progress);
  const before = isObject(whole) ? valueAt(whole, targetOf(patch)) : undefined;
  if (value === undefined || edit(patch, value, progress) !== undefined) return { patch, is: "untouched", reason };
  const isFine = isDefaulting && (before === undefined || contains(value, before));
  return { patch, is: "kept", isFine, reason };
}

type Keeping = Extract<PatchVerdict, { is: "keep" }>;

export function withPatches(draft: Draft, { composite, resources, heldBack }: Patches): Draft {
  let patched = withCompositeValues(draft, composite);
  for (const [name, object] of resources) patched = withObject(patched, name, object);
  for (const name of heldBack) patched = withResource(patched, name, { is: "removed" });
  return patched;
}
