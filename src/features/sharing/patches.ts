import { qualifiedName } from "../../crossplane/metadata.ts";
import type { Patch } from "../../input/patch.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, TOO_DEEP, type ValueEdit } from "../../model/document.ts";
import { type Draft, withCompositeValues, withObject, withResource } from "../../model/draft.ts";
import { EVERY, type FieldPath, formatFieldPath, valueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, MAX_DEPTH } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import { cannotSet, type Edit, type Edited, editAt, newRoom, type Room, setting } from "./edit-fields.ts";
import type { Judgement, SharingReason } from "./verdict.ts";

/** The fields that come from shared resources. */
export interface Patches {
  readonly composite: readonly ValueEdit[];
  /** Composed resources as they are with their fields, by name. */
  readonly resources: ReadonlyMap<string, JsonObject>;
  /** Composed resources that must not be created before their fields are set. */
  readonly heldBack: ReadonlySet<string>;
  /** By share. */
  readonly reasons: ReadonlyMap<string, readonly SharingReason[]>;
}

interface Judged {
  readonly shared: SharedResource;
  readonly judgement: Judgement;
}

/** The outcome for a patch's field. `keep`: the field stays as it is observed; `leave`: as earlier steps desire it. */
type Verdict =
  | { readonly is: "set"; readonly value: JsonValue }
  | { readonly is: "keep" | "leave"; readonly reason?: SharingReason };

interface Applied {
  readonly isEdited: boolean;
  readonly reason?: SharingReason | undefined;
}

/** The objects with their fields as far as they are patched, by the resource's name. */
interface Progress {
  readonly objects: Map<string, JsonObject>;
  readonly call: Call;
}

/** The key of the XR among patched objects: no resource has an empty name. */
const COMPOSITE = "";

const objectOf = ({ toResource }: Patch): string => toResource?.name ?? COMPOSITE;

/** The path of the field that a patch sets: the input gives one of the two. */
const targetOf = ({ toResource, toCompositeFieldPath }: Patch): FieldPath =>
  toResource?.fieldPath ?? toCompositeFieldPath ?? [];

/** Patches all fields that shared resources hand out. One that fails leaves the others as they are. */
export function toPatches(shares: readonly Judged[], call: Call): Patches {
  const objects = new Map<string, JsonObject>();
  const written: FieldPath[] = [];
  const heldBack = new Set<string>();
  const reasons = new Map<string, readonly SharingReason[]>();
  for (const { shared, judgement } of shares) {
    const room = newRoom();
    const applied = shared.patches.map((patch) => {
      const { isEdited, reason } = apply(patch, judge(patch, shared, judgement, call), room, { objects, call });
      if (isEdited && patch.toCompositeFieldPath !== undefined) written.push(patch.toCompositeFieldPath);
      if (!isEdited && isNeeded(patch, call)) heldBack.add(objectOf(patch));
      return reason;
    });
    reasons.set(
      shared.name,
      applied.filter((reason) => reason !== undefined),
    );
  }
  const composite = toValues(objects.get(COMPOSITE) ?? {}, written);
  objects.delete(COMPOSITE);
  return { composite, resources: objects, heldBack, reasons };
}

/** Reads the values that were written to the XR. Where a list's item was written, the value is the whole list. */
const toValues = (object: JsonObject, written: readonly FieldPath[]): readonly ValueEdit[] =>
  written.flatMap((path) => {
    const list = path.findIndex((step) => typeof step === "number" || step === EVERY);
    const whole = list < 0 ? path : path.slice(0, list);
    const value = valueAt(object, whole);
    return value === undefined ? [] : { path: whole, value };
  });

/** Without a field that it needs, a resource could be created in a way that cannot be mended (subnets, encryption keys). */
const isNeeded = ({ toResource, policy }: Patch, { request }: Call): boolean =>
  toResource !== undefined && policy.fromFieldPath === "Required" && !request.observed.resources.has(toResource.name);

/**
 * Decides about one patch. While the shared resource is not there, or we cannot tell, its field stays as it was: a field left
 * out is a field taken away. Where access is refused, it goes.
 */
function judge(patch: Patch, shared: SharedResource, judgement: Judgement, call: Call): Verdict {
  const { verdict, readable, isRefused } = judgement;
  const isDropped = verdict.is === "gone" && shared.connection?.onSourceMissing === "Delete";
  if (isRefused || isDropped) return { is: "leave" };
  const [resource] = readable;
  return resource === undefined ? { is: "keep" } : read(patch, resource, shared, call);
}

function read(patch: Patch, resource: Document, { kind }: SharedResource, { request }: Call): Verdict {
  const { fromFieldPath, toResource, policy } = patch;
  const field = `${formatFieldPath(fromFieldPath)} of ${kind} ${qualifiedName(resource)}`;
  const value = resource.at(fromFieldPath, TOO_DEEP);
  if (value === undefined) {
    return policy.fromFieldPath === "Optional" ? { is: "leave" } : { is: "keep", reason: { is: "FieldNotSet", field } };
  }
  if (toResource !== undefined && !request.desired.resources.has(toResource.name)) {
    const fault = `cannot patch resource ${toResource.name}: no earlier step desires it`;
    return { is: "leave", reason: { is: "PatchFailed", fault } };
  }
  if (value === TOO_DEEP) return unreadable(field, NESTED_TOO_DEEP);
  const isJson = typeof value !== "number" || Number.isFinite(value);
  return isJson ? { is: "set", value } : unreadable(field, "a number that JSON cannot hold");
}

const NESTED_TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

const unreadable = (field: string, why: string): Verdict => ({
  is: "keep",
  reason: { is: "PatchFailed", fault: `cannot read ${field}: it is ${why}` },
});

/** Edits a patch's field in its object. Where a value cannot be set, the field keeps the one that it has. */
function apply(patch: Patch, verdict: Verdict, room: Room, progress: Progress): Applied {
  if (verdict.is !== "set") return { isEdited: verdict.is === "keep" && keep(patch, progress), reason: verdict.reason };
  const { left } = room;
  const edited = edit(patch, setting(verdict.value, patch.policy.toFieldPath, room), progress);
  if (edited.is === "edited") return { isEdited: true };
  room.left = left;
  return { isEdited: keep(patch, progress), reason: { is: "PatchFailed", fault: edited.fault } };
}

function edit(patch: Patch, change: Edit, { objects, call: { request } }: Progress): Edited {
  const path = targetOf(patch);
  const { composite, resources } = request.desired;
  const desired = patch.toResource === undefined ? composite : resources.get(patch.toResource.name);
  const whole = objects.get(objectOf(patch)) ?? desired?.document.at([], TOO_DEEP) ?? {};
  if (!isObject(whole)) return cannotSet(path, `what it is in is ${NESTED_TOO_DEEP}`);
  const edited = editAt(whole, path, change);
  if (edited.is === "edited") objects.set(objectOf(patch), edited.object);
  return edited;
}

/** Keeps the value that the patched field has now; false if it has none. */
function keep(patch: Patch, progress: Progress): boolean {
  const { toResource } = patch;
  const { composite, request } = progress.call;
  const isDesired = toResource === undefined || request.desired.resources.has(toResource.name);
  const shown = toResource === undefined ? composite : request.observed.resources.get(toResource.name);
  if (shown === undefined || !isDesired) return false;
  const change = keeping(shown.document, targetOf(patch));
  return change !== undefined && edit(patch, change, progress).is === "edited";
}

/** Of each field at a path with `[*]`, its own value. The list or map that holds them is read once: it may be long. */
function keeping(shown: Document, path: FieldPath): Edit | undefined {
  const every = path.indexOf(EVERY);
  const value = shown.at(every < 0 ? path : path.slice(0, every));
  if (value === undefined) return undefined;
  return every < 0 ? () => value : (before, at) => valueAt(value, at.slice(every)) ?? before ?? null;
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
