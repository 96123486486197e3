import type { Patch } from "../../input/patch.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, documentOf } from "../../model/document.ts";
import { type Draft, withObject } from "../../model/draft.ts";
import { formatFieldPath, withValueAt } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { type Finding, nameOf } from "./find.ts";
import type { Standing } from "./standing.ts";
import { transform } from "./transform.ts";
import type { Verdict } from "./verdict.ts";

/** What comes of one patch. */
type Patched =
  | { readonly is: "set"; readonly patch: Patch; readonly value: JsonValue }
  | { readonly is: "failed"; readonly standing: Standing };

export interface Patches {
  readonly set: readonly Extract<Patched, { is: "set" }>[];
  readonly standings: readonly Standing[];
}

/**
 * The fields that come from a shared resource. While it is not there, or we cannot tell, they stay as they were: a field
 * left out is a field taken away.
 */
export function patchesOf(shared: SharedResource, finding: Finding, verdict: Verdict, call: Call): Patches {
  if (verdict.is === "drop") return { set: [], standings: [] };
  const [resource] = finding.is === "found" ? finding.resources : [];
  const patched = shared.patches.flatMap((patch) =>
    resource === undefined ? asShown(patch, call) : fromResource(patch, resource, shared, call),
  );
  return {
    set: patched.flatMap((one) => (one.is === "set" ? [one] : [])),
    standings: patched.flatMap((one) => (one.is === "failed" ? [one.standing] : [])),
  };
}

function fromResource(patch: Patch, resource: Document, { kind }: SharedResource, call: Call): readonly Patched[] {
  const { fromFieldPath, policy, transforms } = patch;
  const found = resource.at(fromFieldPath);
  const field = `${formatFieldPath(fromFieldPath)} of ${kind} ${nameOf(resource)}`;
  if (found === undefined) {
    if (policy.fromFieldPath === "Optional") return [];
    return [{ is: "failed", standing: { is: "FieldNotSet", field } }, ...asShown(patch, call)];
  }
  const { toResource } = patch;
  if (toResource !== undefined && !call.request.desired.resources.has(toResource.name)) {
    const fault = `cannot patch resource ${toResource.name}: no earlier step desires it`;
    return [{ is: "failed", standing: { is: "PatchFailed", fault } }];
  }
  const transformed = transform(found, transforms);
  if (transformed.is === "transformed") return [{ is: "set", patch, value: transformed.value }];
  const fault = `cannot transform ${field}: ${transformed.fault}`;
  return [{ is: "failed", standing: { is: "PatchFailed", fault } }, ...asShown(patch, call)];
}

/** The value that the patched field has now. */
function asShown(patch: Patch, { composite, request }: Call): readonly Patched[] {
  const { toCompositeFieldPath, toResource } = patch;
  const value =
    toResource === undefined
      ? composite.document.at(toCompositeFieldPath ?? [])
      : request.observed.resources.get(toResource.name)?.document.at(toResource.fieldPath);
  const isDesired = toResource === undefined || request.desired.resources.has(toResource.name);
  return value === undefined || !isDesired ? [] : [{ is: "set", patch, value }];
}

/** The draft with all patches in it. */
export function withPatches(draft: Draft, patches: readonly Patches["set"][number][], call: Call): Draft {
  const values = patches.flatMap(({ patch: { toCompositeFieldPath: path }, value }) =>
    path === undefined ? [] : [{ path, value }],
  );
  return patches.reduce<Draft>(
    (before, { patch: { toResource }, value }) =>
      toResource === undefined ? before : withField(before, toResource, value, call),
    { ...draft, composite: [...draft.composite, ...values] },
  );
}

function withField(
  draft: Draft,
  { name, fieldPath }: NonNullable<Patch["toResource"]>,
  value: JsonValue,
  call: Call,
): Draft {
  const desired = desiredSoFar(call, draft).get(name) ?? documentOf({});
  return withObject(draft, name, withValueAt(desired.toObject(), fieldPath, value));
}
