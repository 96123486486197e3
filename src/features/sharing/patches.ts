import { qualifiedName } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import { attempt, FunctionError } from "../../errors.ts";
import { isRequired, type Patch } from "../../input/patch.ts";
import { type Document, TOO_DEEP, type ValueEdit } from "../../model/document.ts";
import { type Draft, type ResourceEdit, withCompositeValues, withObjects, withResources } from "../../model/draft.ts";
import { formatFieldPath, valueAt, withValueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, MAX_DEPTH } from "../../model/json.ts";
import { asObserved, controlledAs, observedAs } from "../desired.ts";
import type { Call } from "../feature.ts";
import { contains, explainLacking, fitStatus } from "../fit-status.ts";
import { isEmpty } from "./context.ts";
import type { Delivered } from "./copies/deliver.ts";
import { bindsOne, type Fields, type Judged } from "./judgement.ts";
import { explainMisnamed } from "./misnamed.ts";
import type { PatchedField, SharingReason } from "./reasons.ts";
import { toFitting } from "./text-maps.ts";

/**
 * The decision on the field that a patch sets.
 *
 * - `set`: the field gets the shared resource's value.
 * - `keep`: the field keeps its observed value. `default`: likewise, for an Optional patch whose value is not set.
 * - `leave`: the field has the value of earlier steps, if any.
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
   * `set`: the field has a value, and nothing is reported. `kept`: it keeps its observed value, which is reported. `left`: it
   * has the value of earlier steps, if any. `heldBack`: the resource with the field is not created yet.
   */
  readonly is: "set" | "kept" | "left" | "heldBack";
  readonly reason?: SharingReason | undefined;
  /** The bytes of the value that was copied from the shared resource, as JSON; 0 if none was. */
  readonly bytes: number;
}

/** The patched objects, by name in the Composition. The XR has the empty name, which no resource has. */
type Objects = Map<string, JsonObject>;
const COMPOSITE = "";

/** The most bytes that the patches of a share set. A response has 4 MiB, and an owner may write a field of any size. */
const MAX_PATCHED_BYTES = 512 * 1024;

/** Applies the patches of all shares. A patch that fails does not stop the others. */
export function withPatches(draft: Draft, shares: readonly Delivered[], call: Call) {
  const objects: Objects = new Map(); // `apply` adds those that it edits
  const all = shares.map((share) => {
    let room = MAX_PATCHED_BYTES;
    const applied = share.shared.patches.map((patch) => {
      const one = apply(patch, share, room, objects);
      room -= one.bytes;
      return one;
    });
    return { share, applied };
  });
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
  const unmade = heldBack.map(({ name }) => [name, withoutNew(name, call)] as const);
  const edited = withObjects(withCompositeValues(draft, values), objects);
  return { draft: withResources(edited, unmade), shares: patched };
}

/**
 * Leaves out a resource that is held back. If the Composition desired another kind under its name before, that resource stays as it
 * is: Crossplane deletes each resource that it controls and that is not desired.
 */
function withoutNew(name: string, call: Call): ResourceEdit {
  const former = controlledAs(name, call);
  return former === undefined ? { is: "removed" } : { is: "set", object: asObserved(former) };
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
  const heldBack = { is: "ResourcesHeldBack", fields: findFields("heldBack", applied) } as const;
  const kept = { is: "FieldsKept", fields: findFields("kept", applied) } as const;
  return [heldBack, kept].filter(({ fields }) => fields.length > 0);
}

const findFields = (outcome: Applied["is"], applied: readonly Applied[]): readonly PatchedField[] =>
  applied.flatMap(({ patch: { toResource }, is }) => (is === outcome ? (toResource ?? []) : []));

/** Applies a patch to its object. @param room the bytes that this share's patches may still set. */
function apply(patch: Patch, share: Judged, room: number, objects: Objects): Applied {
  const field = toField(patch, objects, share.call);
  let verdict = judgePatch(patch, share);
  if (verdict.is === "set") {
    const bytes = Buffer.byteLength(JSON.stringify(verdict.value));
    const fault =
      bytes > room
        ? `cannot set ${formatFieldPath(field.path)}: its value has ${bytes} bytes, and the patches of one shared resource may set ${MAX_PATCHED_BYTES} bytes together`
        : field.set(verdict.value);
    if (fault === undefined) return { patch, is: "set", bytes };
    verdict = { is: "keep", reason: failed(fault) };
  }
  const { is, reason } = verdict;
  const value = is === "leave" ? undefined : field.observed?.at(field.path);
  const desired = is === "default" ? field.desired() : undefined;
  if (value === undefined || field.set(value) !== undefined)
    // A Required patch holds a new resource back: the field may be immutable once it is created.
    return { patch, is: field.isNew && isRequired(patch) ? "heldBack" : "left", reason, bytes: 0 };
  // An Optional patch whose value is not set reports its kept field only if earlier steps desire another value there.
  const isExpected = is === "default" && (desired === undefined || contains(value, desired));
  return { patch, is: isExpected ? "set" : "kept", reason, bytes: 0 };
}

/** Finds the field that a patch sets, in a composed resource or in the XR. */
function toField({ toResource, toCompositeFieldPath = [] }: Patch, objects: Objects, call: Call) {
  const { name, fieldPath: path } = toResource ?? { name: COMPOSITE, fieldPath: toCompositeFieldPath };
  const { composite, resources } = call.request.desired;
  const before = (toResource ? resources.get(name) : composite)?.document;
  const composed = toResource && before && observedAs(name, toReference(before), call);
  /** Reads the object as earlier steps and earlier patches desire it. */
  const readObject = () => objects.get(name) ?? before?.at([], TOO_DEEP) ?? {};
  return {
    path,
    observed: toResource ? composed : call.composite.document,
    /** True if the field is in a composed resource that does not exist yet. */
    isNew: toResource !== undefined && before !== undefined && composed === undefined,
    desired() {
      const object = readObject();
      return isObject(object) ? valueAt(object, path) : undefined;
    },
    /** Sets the field. @returns the fault if that is not possible. */
    set(value: JsonValue): string | undefined {
      const object = readObject();
      if (!isObject(object)) return `cannot set ${formatFieldPath(path)}: the object around it is ${NESTED_TOO_DEEP}`;
      const edited = attempt(() => withValueAt(object, path, toFitting(value, path, object)));
      if (edited instanceof FunctionError) return edited.message;
      objects.set(name, edited);
      return undefined;
    },
  };
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
    const fault = explainMisnamed(toResource.name, "patch", resources);
    return { is: "leave", reason: failed(`cannot patch a resource: ${fault}`) };
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

/** Finds the resource whose fields a patch may read. Only a patch of the XR's status may read the `bound` resource. */
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
