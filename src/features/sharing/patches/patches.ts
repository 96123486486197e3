import { qualifiedName } from "../../../crossplane/metadata.ts";
import type { Patch } from "../../../input/patch.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { type Document, TOO_DEEP, type ValueEdit } from "../../../model/document.ts";
import { type Draft, withCompositeValues, withObject, withResource } from "../../../model/draft.ts";
import { EVERY, type FieldPath, formatFieldPath, valueAt } from "../../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../model/json.ts";
import type { Call } from "../../feature.ts";
import type { Judgement, SharingReason } from "../verdict.ts";
import { cannotSet, type Edit, type Edited, editAt, limited, newRoom, type Room } from "./edit.ts";
import { toEdit } from "./merge.ts";
import { NESTED_TOO_DEEP, readFields } from "./read.ts";
import { toValue } from "./transform.ts";

/** The outcome of one patch: what is done to its field, a reason why nothing is, or both where an earlier value is kept. */
interface Patched {
  readonly patch: Patch;
  readonly edit?: Edit | undefined;
  /** The value that the edit sets or merges, where it comes from the shared resource. */
  readonly value?: JsonValue;
  readonly reason?: SharingReason | undefined;
}

/** The fields that come from shared resources. */
export interface Patches {
  readonly composite: readonly ValueEdit[];
  /** Composed resources as they are with their fields, by name. */
  readonly resources: ReadonlyMap<string, JsonObject>;
  /** Composed resources that must not come to be before their fields are set. */
  readonly heldBack: ReadonlySet<string>;
  /** By share. */
  readonly reasons: ReadonlyMap<string, readonly SharingReason[]>;
}

interface Judged {
  readonly shared: SharedResource;
  readonly judgement: Judgement;
}

/** Patches all fields that shared resources hand out. One that fails leaves the others as they are. */
export function toPatches(shares: readonly Judged[], call: Call): Patches {
  const objects = new Map<string, JsonObject>();
  const written: FieldPath[] = [];
  const heldBack = new Set<string>();
  const reasons = new Map<string, readonly SharingReason[]>();
  for (const { shared, judgement } of shares) {
    const room = newRoom();
    const patched = patchFrom(shared, judgement, call).map((one) => apply(one, { objects, room, call }));
    for (const { patch, edit } of patched) {
      if (patch.toCompositeFieldPath !== undefined && edit !== undefined) written.push(patch.toCompositeFieldPath);
    }
    for (const name of patched.flatMap((one) => findHeldBack(one, call))) heldBack.add(name);
    reasons.set(
      shared.name,
      patched.flatMap(({ reason }) => reason ?? []),
    );
  }
  const composite = toValues(objects.get(COMPOSITE) ?? {}, written);
  objects.delete(COMPOSITE);
  return { composite, resources: objects, heldBack, reasons };
}

/** The key of the XR among patched objects: no resource has an empty name. */
const COMPOSITE = "";

/** Reads the values that were written to the XR. Where a list's item was written, the value is the whole list. */
const toValues = (object: JsonObject, written: readonly FieldPath[]): readonly ValueEdit[] =>
  written.flatMap((path) => {
    const list = path.findIndex((step) => typeof step === "number" || step === EVERY);
    const whole = list < 0 ? path : path.slice(0, list);
    const value = valueAt(object, whole);
    return value === undefined ? [] : { path: whole, value };
  });

/** The path of the field that a patch sets: the input gives one of the two. */
const targetOf = ({ toResource, toCompositeFieldPath }: Patch): FieldPath =>
  toResource?.fieldPath ?? toCompositeFieldPath ?? [];

interface Progress {
  readonly objects: Map<string, JsonObject>;
  readonly room: Room;
  readonly call: Call;
}

/** Edits a patch's field in its object; where that cannot be, it comes to a reason, and the field keeps its value. */
function apply(one: Patched, progress: Progress): Patched {
  if (one.edit === undefined) return one;
  const { patch, edit, value } = one;
  const { objects, room, call } = progress;
  const { left } = room;
  const edited = editObject(patch, value === undefined ? edit : limited(edit, value, room), progress);
  if (edited.is === "edited") {
    objects.set(objectOf(patch), edited.object);
    return one;
  }
  room.left = left;
  const reason = { is: "PatchFailed", fault: edited.fault } as const;
  const kept = value === undefined ? undefined : keepShown(patch, call);
  return { ...apply({ patch, edit: kept }, progress), reason };
}

const objectOf = ({ toResource }: Patch): string => toResource?.name ?? COMPOSITE;

function editObject(patch: Patch, edit: Edit, { objects, call: { request } }: Progress): Edited {
  const path = targetOf(patch);
  const { composite, resources } = request.desired;
  const desired = patch.toResource === undefined ? composite : resources.get(patch.toResource.name);
  const whole = objects.get(objectOf(patch)) ?? desired?.document.at([], TOO_DEEP) ?? {};
  return isObject(whole) ? editAt(whole, path, edit) : cannotSet(path, `what it is in is ${NESTED_TOO_DEEP}`);
}

/** Without a field that it needs, a resource could be created in a way that cannot be mended (subnets, encryption keys). */
function findHeldBack({ patch, edit }: Patched, { request }: Call): readonly string[] {
  const { toResource, policy } = patch;
  if (toResource === undefined || edit !== undefined || policy.fromFieldPath !== "Required") return [];
  return request.observed.resources.has(toResource.name) ? [] : [toResource.name];
}

/**
 * The fields that come from one shared resource. While it is not there, or we cannot tell, they stay as they were: a field
 * left out is a field taken away. Where access is refused, they go.
 */
function patchFrom(
  shared: SharedResource,
  { verdict, readable, isRefused }: Judgement,
  call: Call,
): readonly Patched[] {
  const isDropped = verdict.is === "gone" && shared.connection?.onSourceMissing === "Delete";
  if (isRefused || isDropped) return shared.patches.map((patch) => ({ patch }));
  const [resource] = readable;
  return shared.patches.map((patch) =>
    resource === undefined ? { patch, edit: keepShown(patch, call) } : fromResource(patch, resource, shared, call),
  );
}

function fromResource(patch: Patch, resource: Document, { kind }: SharedResource, call: Call): Patched {
  const { policy, toResource } = patch;
  const read = readFields(patch, resource);
  const field = `${formatFieldPath(read.path)} of ${kind} ${qualifiedName(resource)}`;
  if (read.is === "unset") {
    if (policy.fromFieldPath === "Optional") return { patch };
    return { patch, edit: keepShown(patch, call), reason: { is: "FieldNotSet", field } };
  }
  if (toResource !== undefined && !call.request.desired.resources.has(toResource.name)) {
    const fault = `cannot patch resource ${toResource.name}: no earlier step desires it`;
    return { patch, reason: { is: "PatchFailed", fault } };
  }
  const result = read.is === "set" ? toValue(read.value, patch.transforms) : read;
  if (result.is === "failed") {
    const fault = `cannot ${read.is === "set" ? "transform" : "read"} ${field}: ${result.fault}`;
    return { patch, edit: keepShown(patch, call), reason: { is: "PatchFailed", fault } };
  }
  const edit = toEdit(result.value, policy.toFieldPath);
  return { patch, edit, value: result.value };
}

/** Keeps the value that the patched field has now. */
function keepShown(patch: Patch, { composite, request }: Call): Edit | undefined {
  const { toResource } = patch;
  if (toResource === undefined) return keep(composite.document, targetOf(patch));
  const observed = request.observed.resources.get(toResource.name);
  if (observed === undefined || !request.desired.resources.has(toResource.name)) return undefined;
  return keep(observed.document, targetOf(patch));
}

/** Of each field that `[*]` stands for, its own value. What they are in is read once: there may be many. */
function keep(shown: Document, path: FieldPath): Edit | undefined {
  const every = path.indexOf(EVERY);
  const value = shown.at(every < 0 ? path : path.slice(0, every));
  if (value === undefined) return undefined;
  return every < 0 ? () => value : (before, at) => valueAt(value, at.slice(every)) ?? before;
}

/** Adds all patches to the draft. */
export function withPatches(draft: Draft, { composite, resources, heldBack }: Patches, { request }: Call): Draft {
  let patched = withCompositeValues(draft, composite);
  for (const [name, object] of resources) patched = withObject(patched, name, object);
  for (const name of heldBack) {
    if (request.desired.resources.has(name)) patched = withResource(patched, name, { is: "removed" });
  }
  return patched;
}
