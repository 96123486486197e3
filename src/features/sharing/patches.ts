import { qualifiedName } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import { attempt, FunctionError } from "../../errors.ts";
import { isRequired, type Patch } from "../../input/patch.ts";
import { type Document, TOO_DEEP, type ValueEdit } from "../../model/document.ts";
import { type Draft, withCompositeValues, withObjects, withResources } from "../../model/draft.ts";
import { formatFieldPath, valueAt, withValueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, MAX_DEPTH } from "../../model/json.ts";
import { observedAs } from "../desired.ts";
import type { Call } from "../feature.ts";
import { contains, explainLacking, fitStatus } from "../fit-status.ts";
import type { Delivered } from "./copies/deliver.ts";
import { isEmpty } from "./empty.ts";
import { bindsOne, type Fields, type Judged } from "./judgement.ts";
import { explainMisnamed } from "./misnamed.ts";
import type { PatchedField, SharingReason } from "./reasons.ts";
import { toFitting } from "./text-maps.ts";

/**
 * The decision on the field that a patch sets.
 *
 * - `set`: the field gets the shared resource's value.
 * - `keep`: it keeps its observed value. `default`: likewise, for an Optional patch whose value is not set.
 * - `leave`: it has the value of earlier steps, if any.
 */
type Verdict =
  | { readonly is: "set"; readonly value: JsonValue }
  | { readonly is: "keep" | "default" | "leave"; readonly reason?: SharingReason };

/** A share after its patches. `unpatched`: the reasons why some fields could not be set. */
export interface Patched extends Delivered {
  readonly unpatched: readonly SharingReason[];
}

interface Applied {
  readonly patch: Patch;
  /**
   * `set`: the field has its value, and nothing is reported. `kept`: it has its observed value, which is reported. `left`: it
   * has the value of earlier steps, if any. `heldBack`: its resource is not created yet.
   */
  readonly is: "set" | "kept" | "left" | "heldBack";
  readonly reason?: SharingReason | undefined;
  /** The bytes of the shared resource's value; 0 if that is not set. */
  readonly bytes: number;
}

/** The patched objects, by name in the Composition. The XR has the empty name, which no resource has. */
type Objects = Map<string, JsonObject>;
const COMPOSITE = "";

/** The most bytes that the patches of a share set: a response has 4 MiB, and a field's owner decides on its size. */
const MAX_PATCHED_BYTES = 512 * 1024;

/** Applies the patches of all shares. A patch that fails does not stop the others. */
export function withPatches(draft: Draft, shares: readonly Delivered[], call: Call) {
  const objects: Objects = new Map(); // `applyPatches` adds those that it edits
  const all: { readonly share: Delivered; readonly applied: readonly Applied[] }[] = [];
  for (const share of shares) all.push({ share, applied: applyPatches(share, objects) });
  const status = objects.get(COMPOSITE) ?? {};
  objects.delete(COMPOSITE);
  const fitted = all.map((one) => ({ ...one, ...fitStatus(toValues(status, one.applied), call) }));
  const patched = fitted.map(({ share, applied, lacking }): Patched => {
    // While the shared resource is looked up, the condition says only that.
    const outcome = share.judgement.copies.is === "unknown" ? [] : findOutcome(applied);
    const unfit = lacking.length > 0 ? [failed(explainLacking(lacking, call.composite))] : [];
    return { ...share, unpatched: [...applied.flatMap(({ reason }) => reason ?? []), ...outcome, ...unfit] };
  });
  const values = fitted.flatMap((share) => share.values);
  const heldBack = all.flatMap(({ applied }) => findFields("heldBack", applied));
  const removed = heldBack.map(({ name }) => [name, { is: "removed" }] as const);
  const edited = withObjects(withCompositeValues(draft, values), objects);
  return { draft: withResources(edited, removed), shares: patched };
}

/** Applies the patches of a share in order, each to the result of those before. */
function applyPatches(share: Judged, objects: Objects): readonly Applied[] {
  const all: Applied[] = [];
  let room = MAX_PATCHED_BYTES;
  for (const patch of share.shared.patches) {
    const applied = apply(patch, share, room, objects);
    room -= applied.bytes;
    all.push(applied);
  }
  return all;
}

/** Reads the values that a share's patches set in the XR. A patch of a list's item sets the whole list. */
const toValues = (status: JsonObject, applied: readonly Applied[]): readonly ValueEdit[] =>
  applied.flatMap(({ patch: { toCompositeFieldPath: path = [] }, is }) => {
    const list = path.findIndex((step) => typeof step === "number");
    const whole = list < 0 ? path : path.slice(0, list);
    const value = is === "left" || path.length === 0 ? undefined : valueAt(status, whole);
    return value === undefined ? [] : [{ path: whole, value }];
  });

/** Reports composed resources that are held back, and fields that keep their value because there is no new one. */
function findOutcome(applied: readonly Applied[]): readonly SharingReason[] {
  const [heldBack, kept] = [findFields("heldBack", applied), findFields("kept", applied)];
  return [
    ...(heldBack.length > 0 ? [{ is: "ResourcesHeldBack", fields: heldBack } as const] : []),
    ...(kept.length > 0 ? [{ is: "FieldsKept", fields: kept } as const] : []),
  ];
}

const findFields = (outcome: Applied["is"], applied: readonly Applied[]): readonly PatchedField[] =>
  applied.flatMap(({ patch: { toResource }, is }) => (is === outcome ? (toResource ?? []) : []));

/** Applies a patch to its object. @param room the bytes that this share's patches may still set. */
function apply(patch: Patch, share: Judged, room: number, objects: Objects): Applied {
  const { call } = share;
  const verdict = judgePatch(patch, share);
  if (verdict.is !== "set")
    return verdict.is === "leave" ? leave(patch, verdict.reason, call) : keep(patch, verdict, objects, call);
  const bytes = Buffer.byteLength(JSON.stringify(verdict.value));
  const fault =
    bytes > room
      ? `cannot set ${formatFieldPath(targetOf(patch).fieldPath)}: its value has ${bytes} bytes, and the patches of one shared resource may set ${MAX_PATCHED_BYTES} bytes together`
      : edit(patch, verdict.value, objects, call);
  return fault === undefined
    ? { patch, is: "set", bytes }
    : keep(patch, { is: "keep", reason: failed(fault) }, objects, call);
}

/**
 * Decides on one patch. While there is no value to set,
 *
 * - a composed resource keeps its field: a database keeps its subnets when the grant of the network is taken back;
 * - the XR's status keeps its field if the shared resource is gone or unknown. It loses the field if access is refused,
 *   if the resource is gone with `onSourceMissing: Delete`, or if the XR is bound to nothing and finds nothing.
 */
function judgePatch(patch: Patch, { shared, before, judgement, call }: Judged): Verdict {
  const { toResource } = patch;
  const { copies, fields } = judgement;
  const { resources } = call.request.desired;
  if (toResource !== undefined && !resources.has(toResource.name)) {
    if (!isRequired(patch)) return { is: "leave" };
    return { is: "leave", reason: failed(`cannot patch a resource: ${explainMisnamed(toResource.name, resources)}`) };
  }
  const isGone = fields.is === "held" && fields.bound?.is === "gone";
  const isDropped = isGone && shared.connection?.onSourceMissing === "Delete";
  if (fields.is === "refused" || isDropped) return { is: toResource === undefined ? "leave" : "keep" };
  const resource = findReadable(patch, fields);
  if (resource !== undefined) return read(patch, resource, shared.kind);
  // A team may have removed the record. Then nothing tells which grant allows the values in the status.
  const isUnbound = bindsOne(shared) && before.length === 0 && copies.is !== "unknown";
  return { is: isUnbound && toResource === undefined ? "leave" : "keep" };
}

/** Finds the resource whose fields a patch may read. The XR's status may also read one that served the XR before. */
function findReadable({ toResource }: Patch, fields: Fields): Document | undefined {
  if (fields.is !== "held") return fields.resources[0];
  return toResource === undefined ? fields.bound?.found : undefined;
}

function read(patch: Patch, resource: Document, kind: string): Verdict {
  const { fromFieldPath, toResource } = patch;
  const field = `${formatFieldPath(fromFieldPath)} of ${kind} ${qualifiedName(resource)}`;
  const value = resource.at(fromFieldPath, TOO_DEEP);
  if (isRequired(patch) && (value === undefined || isEmpty(value)))
    return { is: "keep", reason: { is: "FieldNotSet", field, isEmpty: value !== undefined } };
  if (value === undefined) return toResource === undefined ? { is: "leave" } : { is: "default" };
  if (value === TOO_DEEP) return { is: "keep", reason: failed(`cannot read ${field}: it is ${NESTED_TOO_DEEP}`) };
  if (typeof value !== "number" || Number.isFinite(value)) return { is: "set", value };
  return { is: "keep", reason: failed(`cannot read ${field}: it is a number that JSON cannot hold`) };
}

const failed = (fault: string): SharingReason => ({ is: "PatchFailed", fault });

const NESTED_TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/** Finds the object and the field that a patch sets. The input has either of them. */
const targetOf = ({ toResource, toCompositeFieldPath: fieldPath = [] }: Patch) =>
  toResource ?? { name: COMPOSITE, fieldPath };

/** Sets a patch's field in its object. @returns the fault if the field cannot be set. */
function edit(patch: Patch, value: JsonValue, objects: Objects, call: Call): string | undefined {
  const { name, fieldPath } = targetOf(patch);
  const whole = soFar(name, objects, call);
  if (!isObject(whole)) return `cannot set ${formatFieldPath(fieldPath)}: its object is ${NESTED_TOO_DEEP}`;
  const edited = attempt(() => withValueAt(whole, fieldPath, toFitting(value, fieldPath, whole)));
  if (edited instanceof FunctionError) return edited.message;
  objects.set(name, edited);
  return undefined;
}

/** Reads an object as earlier steps and earlier patches desire it. */
function soFar(name: string, objects: Objects, { request: { desired } }: Call): JsonValue | typeof TOO_DEEP {
  const before = name === COMPOSITE ? desired.composite : desired.resources.get(name);
  return objects.get(name) ?? before?.document.at([], TOO_DEEP) ?? {};
}

/** Keeps the observed value of a field, if there is one. */
function keep(patch: Patch, { is, reason }: Exclude<Verdict, { is: "set" }>, objects: Objects, call: Call): Applied {
  const { name, fieldPath } = targetOf(patch);
  const observed = name === COMPOSITE ? call.composite.document : findObserved(name, call);
  const value = observed?.at(fieldPath);
  const whole = soFar(name, objects, call);
  const desired = isObject(whole) ? valueAt(whole, fieldPath) : undefined;
  if (value === undefined || edit(patch, value, objects, call) !== undefined) return leave(patch, reason, call);
  // A patch that may be without a value reports only that its field differs from what earlier steps desire.
  const isExpected = is === "default" && (desired === undefined || contains(value, desired));
  return { patch, is: isExpected ? "set" : "kept", reason, bytes: 0 };
}

function findObserved(name: string, call: Call): Document | undefined {
  const desired = call.request.desired.resources.get(name)?.document;
  return desired && observedAs(name, toReference(desired), call);
}

/** Leaves a field to earlier steps. A Required one holds its new resource back: it may be immutable once created. */
function leave(patch: Patch, reason: SharingReason | undefined, call: Call): Applied {
  const { name } = targetOf(patch);
  const isNew = call.request.desired.resources.has(name) && findObserved(name, call) === undefined;
  return { patch, is: isNew && isRequired(patch) ? "heldBack" : "left", reason, bytes: 0 };
}
