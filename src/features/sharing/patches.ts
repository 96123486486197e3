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
import { failed, findMisnamed, type Judged, judgePatch, NESTED_TOO_DEEP, type PatchVerdict } from "./judge-patch.ts";
import type { PatchedField, SharingReason } from "./reasons.ts";

export interface Patches {
  readonly composite: readonly ValueEdit[];
  /** Composed resources as they are with their fields, by name. */
  readonly resources: ReadonlyMap<string, JsonObject>;
  /** Composed resources that must not be created before their fields are set. */
  readonly heldBack: readonly string[];
  readonly reasons: ReadonlyMap<string, readonly SharingReason[]>;
  /** The Composition's mistakes. */
  readonly faults: readonly Fault[];
}

interface Applied {
  readonly patch: Patch;
  /** `kept`: with the value that is observed, which needs a remark. `left`: as earlier steps desire it. */
  readonly is: "set" | "kept" | "left" | "heldBack";
  readonly reason?: SharingReason | undefined;
}

/** The patched objects by the name of the composed resource; the XR has none, and no resource has an empty one. */
type Objects = Map<string, JsonObject>;
const COMPOSITE = "";

const objectOf = ({ toResource }: Patch): string => toResource?.name ?? COMPOSITE;

/** The path of the field that a patch sets: the input gives one of the two. */
const targetOf = ({ toResource, toCompositeFieldPath }: Patch): FieldPath =>
  toResource?.fieldPath ?? toCompositeFieldPath ?? [];

/** A response has 4 MiB, which other steps share, and the owner of a field decides how large it is. */
const MAX_BYTES = 512 * 1024;

/**
 * Patches all fields that shared resources hand out. One that fails leaves the others as they are.
 *
 * @param hasCopies true if the XR has copies of Secrets, of this step or another.
 */
export function toPatches(shares: readonly Judged[], hasCopies: boolean, call: Call): Patches {
  const objects: Objects = new Map();
  const byShare = shares.map((share) => {
    const room = { left: MAX_BYTES };
    return { ...share, applied: share.shared.patches.map((patch) => apply(patch, share, room, objects)) };
  });
  const all = byShare.flatMap(({ applied }) => applied);
  const status = fitStatus(toValues(objects.get(COMPOSITE) ?? {}, all), call);
  objects.delete(COMPOSITE);
  const reasons = byShare.map(({ shared, judgement, applied }) => {
    const said = applied.flatMap(({ reason }) => reason ?? []);
    // While the shared resource is looked up, the outcome is not known, and the condition says so.
    const outcome = judgement.is === "unknown" ? [] : findOutcome(applied);
    return [shared.name, [...said, ...outcome, ...findLacking(applied, status.lacking, call)]] as const;
  });
  return {
    composite: status.values,
    resources: objects,
    heldBack: fieldsThatAre("heldBack", all).map(({ resource }) => resource),
    reasons: new Map(reasons),
    faults: hasCopies ? [] : findMisnamed(shares, call),
  };
}

/** Reads the values that were written to the XR. */
const toValues = (object: JsonObject, applied: readonly Applied[]): readonly ValueEdit[] =>
  applied.flatMap(({ patch, is }) => {
    const path = toStatusPath(patch);
    const value = path && is !== "left" ? valueAt(object, path) : undefined;
    return path === undefined || value === undefined ? [] : [{ path, value }];
  });

/** Finds the path of the value that is sent to the XR: for a list's item the whole list. */
function toStatusPath({ toCompositeFieldPath: path }: Patch): FieldPath | undefined {
  const list = path?.findIndex((step) => typeof step === "number") ?? -1;
  return list < 0 ? path : path?.slice(0, list);
}

/** Finds the composed resources that are held back, and those that keep fields for which there is no value now. */
function findOutcome(applied: readonly Applied[]): readonly SharingReason[] {
  const [heldBack, kept] = [fieldsThatAre("heldBack", applied), fieldsThatAre("kept", applied)];
  return [
    ...(heldBack.length > 0 ? [{ is: "ResourcesHeldBack", fields: heldBack } as const] : []),
    ...(kept.length > 0 ? [{ is: "FieldsKept", fields: kept } as const] : []),
  ];
}

const fieldsThatAre = (outcome: Applied["is"], applied: readonly Applied[]): readonly PatchedField[] =>
  applied.flatMap(({ patch: { toResource }, is }) =>
    is === outcome && toResource ? [{ resource: toResource.name, path: toResource.fieldPath }] : [],
  );

/** Finds the fields of a share's patches that the schema of the XR's status lacks. */
function findLacking(applied: readonly Applied[], lacking: readonly FieldPath[], { composite }: Call) {
  const targets = applied.map(({ patch }) => toStatusPath(patch));
  const own = lacking.filter((path) => targets.some((target) => target?.every((step, index) => step === path[index])));
  return own.length === 0 ? [] : [failed(explainLacking(own, composite))];
}

function apply(patch: Patch, share: Judged, room: Room, objects: Objects): Applied {
  const { call } = share;
  const verdict = judgePatch(patch, share);
  if (verdict.is === "leave") return leave(patch, verdict.reason, call);
  if (verdict.is === "keep") return keep(patch, verdict, objects, call);
  const bytes = Buffer.byteLength(JSON.stringify(verdict.value));
  const fault =
    bytes > room.left
      ? `cannot set ${formatFieldPath(targetOf(patch))}: the value has ${bytes} bytes; at most ${MAX_BYTES} are set in all`
      : edit(patch, verdict.value, objects, call);
  if (fault !== undefined) return keep(patch, { reason: failed(fault) }, objects, call);
  room.left -= bytes;
  return { patch, is: "set" };
}

/** Edits a patch's field in its object, which has the edits of the patches before it. @returns the fault where that is not possible. */
function edit(patch: Patch, value: JsonValue, objects: Objects, call: Call): string | undefined {
  const whole = soFar(patch, objects, call);
  if (!isObject(whole)) return `cannot set ${formatFieldPath(targetOf(patch))}: its object is ${NESTED_TOO_DEEP}`;
  const edited = attempt(() => withValueAt(whole, targetOf(patch), value));
  if (edited instanceof FunctionError) return edited.message;
  objects.set(objectOf(patch), edited);
  return undefined;
}

function soFar(patch: Patch, objects: Objects, { request }: Call): JsonValue | typeof TOO_DEEP {
  const { composite, resources } = request.desired;
  const desired = patch.toResource === undefined ? composite : resources.get(patch.toResource.name);
  return objects.get(objectOf(patch)) ?? desired?.document.at([], TOO_DEEP) ?? {};
}

/** Keeps the value that the patched field has now, if it has one. */
function keep(patch: Patch, { reason, isDefaulting = false }: Keeping, objects: Objects, call: Call): Applied {
  const { toResource } = patch;
  const shown = toResource === undefined ? call.composite : call.request.observed.resources.get(toResource.name);
  const value = shown?.document.at(targetOf(patch));
  const whole = soFar(patch, objects, call);
  const before = isObject(whole) ? valueAt(whole, targetOf(patch)) : undefined;
  if (value === undefined || edit(patch, value, objects, call) !== undefined) return leave(patch, reason, call);
  const isExpected = isDefaulting && (before === undefined || contains(value, before));
  return { patch, is: isExpected ? "set" : "kept", reason };
}

type Keeping = Omit<Extract<PatchVerdict, { is: "keep" }>, "is">;

/** Leaves a field. A resource is not created without one that is Required: that may be irreparable (subnets, encryption keys). */
function leave(patch: Patch, reason: SharingReason | undefined, { request: { desired, observed } }: Call): Applied {
  const name = patch.toResource?.name;
  const isNew = name !== undefined && desired.resources.has(name) && !observed.resources.has(name);
  return { patch, is: isNew && isRequired(patch) ? "heldBack" : "left", reason };
}

export function withPatches(draft: Draft, { composite, resources, heldBack }: Patches): Draft {
  let patched = withCompositeValues(draft, composite);
  for (const [name, object] of resources) patched = withObject(patched, name, object);
  for (const name of heldBack) patched = withResource(patched, name, { is: "removed" });
  return patched;
}
