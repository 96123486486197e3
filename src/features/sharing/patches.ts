import { qualifiedName } from "../../crossplane/metadata.ts";
import { FunctionError } from "../../errors.ts";
import type { Patch } from "../../input/patch.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { type Draft, type ValueEdit, withCompositeValues, withObject, withResource } from "../../model/draft.ts";
import { type FieldPath, formatFieldPath, withValueAt } from "../../model/field-path.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import type { SharingReason } from "./reason.ts";
import { transform } from "./transform.ts";
import type { Judgement } from "./verdict.ts";

/** The outcome of one patch: a value, a reason why there is none, or both where an earlier value is kept. */
interface Patched {
  readonly patch: Patch;
  readonly value?: JsonValue | undefined;
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
  const composite: ValueEdit[] = [];
  const heldBack = new Set<string>();
  const reasons = new Map<string, readonly SharingReason[]>();
  for (const { shared, judgement } of shares) {
    const patched = patchFrom(shared, judgement, call).map((one) => apply(one, objects, call));
    for (const one of patched) {
      const { toCompositeFieldPath: path } = one.patch;
      if (path !== undefined && one.value !== undefined) composite.push({ path, value: one.value });
      for (const name of findHeldBack(one, call)) heldBack.add(name);
    }
    reasons.set(
      shared.name,
      patched.flatMap(({ reason }) => reason ?? []),
    );
  }
  objects.delete(COMPOSITE);
  return { composite, resources: objects, heldBack, reasons };
}

/** The key of the XR among patched objects: no resource has an empty name. */
const COMPOSITE = "";

/** Sets a patch's value in its object; where that cannot be, it comes to a reason. */
function apply(one: Patched, objects: Map<string, JsonObject>, { request }: Call): Patched {
  const { toResource, toCompositeFieldPath } = one.patch;
  const path = toResource?.fieldPath ?? toCompositeFieldPath;
  if (one.value === undefined || path === undefined) return one;
  const name = toResource?.name ?? COMPOSITE;
  const { composite, resources } = request.desired;
  const desired = toResource === undefined ? composite : resources.get(toResource.name);
  const changed = trySet(objects.get(name) ?? desired?.document.toObject() ?? {}, path, one.value);
  if (changed === undefined) return unsettable(one.patch, path);
  objects.set(name, changed);
  return one;
}

/** Undefined where something else is on the way: the values come from other teams, and must not stop this XR. */
function trySet(object: JsonObject, path: FieldPath, value: JsonValue): JsonObject | undefined {
  try {
    return withValueAt(object, path, value);
  } catch (error) {
    if (error instanceof FunctionError && error.code === "InvalidFieldPath") return undefined;
    throw error;
  }
}

const unsettable = (patch: Patch, path: FieldPath): Patched => ({
  patch,
  reason: { is: "PatchFailed", fault: `cannot set ${formatFieldPath(path)}: something else is on the way` },
});

/** Without a field that it needs, a resource could be created in a way that cannot be mended (subnets, encryption keys). */
function findHeldBack({ patch, value }: Patched, { request }: Call): readonly string[] {
  const { toResource, policy } = patch;
  if (toResource === undefined || value !== undefined || policy.fromFieldPath !== "Required") return [];
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
    resource === undefined ? { patch, value: findShown(patch, call) } : fromResource(patch, resource, shared, call),
  );
}

function fromResource(patch: Patch, resource: Document, { kind }: SharedResource, call: Call): Patched {
  const { fromFieldPath, policy, transforms, toResource } = patch;
  const found = resource.at(fromFieldPath);
  const field = `${formatFieldPath(fromFieldPath)} of ${kind} ${qualifiedName(resource)}`;
  if (found === undefined) {
    if (policy.fromFieldPath === "Optional") return { patch };
    return { patch, value: findShown(patch, call), reason: { is: "FieldNotSet", field } };
  }
  if (toResource !== undefined && !call.request.desired.resources.has(toResource.name)) {
    const fault = `cannot patch resource ${toResource.name}: no earlier step desires it`;
    return { patch, reason: { is: "PatchFailed", fault } };
  }
  const transformed = transform(found, transforms);
  if (transformed.is === "transformed") return { patch, value: transformed.value };
  const fault = `cannot transform ${field}: ${transformed.fault}`;
  return { patch, value: findShown(patch, call), reason: { is: "PatchFailed", fault } };
}

/** The value that the patched field has now. */
function findShown({ toCompositeFieldPath, toResource }: Patch, { composite, request }: Call): JsonValue | undefined {
  if (toResource === undefined) return composite.document.at(toCompositeFieldPath ?? []);
  if (!request.desired.resources.has(toResource.name)) return undefined;
  return request.observed.resources.get(toResource.name)?.document.at(toResource.fieldPath);
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
