import { isManaged, type ManagedKind, readManagedKind } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME, isBeingDeleted } from "../crossplane/metadata.ts";
import { findFacts } from "../crossplane/providers/families.ts";
import { listReferences } from "../crossplane/providers/reference-names.ts";
import type { Document } from "../model/document.ts";
import { withObjects } from "../model/draft.ts";
import type { FieldPath } from "../model/field-path.ts";
import { isObject, type JsonObject, pick } from "../model/json.ts";
import { desiredSoFar, observedAs } from "./desired.ts";
import type { Feature } from "./feature.ts";

/**
 * Keeps the identity of each managed resource that is being deleted: name, location, parents and account stay as they are observed,
 * whatever the pipeline desires now. Its provider deletes the cloud resource that it names when the deletion gets that far, which may be
 * days later: a bucket has to be empty first. A team could otherwise have its own bucket deleted, give it another team's name, and have
 * that one deleted.
 */
export const keepIdentities: Feature = (call, draft) => {
  const { tags, externalNames, sharedResources } = call.input.spec;
  const isPatched = sharedResources.some(({ patches }) => patches.some(({ toResource }) => toResource !== undefined));
  if (tags === undefined && externalNames === undefined && !isPatched) return draft;
  const composed = call.request.desired.resources;
  const kept = [...desiredSoFar(call, draft)].flatMap(([name, desired]) => {
    if (!composed.has(name)) return [];
    const found = call.request.observed.resources.get(name)?.document;
    if (found === undefined || !isBeingDeleted(found)) return []; // first: few are
    const kind = readManagedKind(desired);
    const observed = observedAs(name, kind, call);
    return observed !== undefined && isManaged(observed)
      ? [[name, withIdentityOf(observed, desired, kind)] as const]
      : [];
  });
  return kept.length === 0 ? draft : withObjects(draft, kept);
};

const SPEC: FieldPath = ["spec"];
const PARAMETERS = ["forProvider", "initProvider"];
const ACCOUNT = "providerConfigRef";

/** Desires a managed resource with the identity of the observed one. A field that is not observed is left out. */
function withIdentityOf(observed: Document, desired: Document, kind: ManagedKind): JsonObject {
  const isIdentifying = identifyingFields(kind);
  const [before, now] = [observed, desired].map((document) => objectOf(document.at(SPEC)));
  const parameters = PARAMETERS.map((block) => {
    const own = pick(objectOf(before?.[block]), isIdentifying);
    const others = pick(objectOf(now?.[block]), (field, value) => !isIdentifying(field, value));
    return [block, { ...others, ...own }] as const;
  });
  const account = before?.[ACCOUNT];
  const spec = {
    ...pick(now ?? {}, (field) => field !== ACCOUNT && !PARAMETERS.includes(field)),
    ...(account !== undefined && { [ACCOUNT]: account }),
    ...Object.fromEntries(
      parameters.filter(([block, fields]) => block === "forProvider" || Object.keys(fields).length > 0),
    ),
  };
  const object = desired.toObject();
  return { ...object, metadata: withNameOf(observed, objectOf(object["metadata"])), spec };
}

/** Replaces the external name by the observed one. */
function withNameOf(observed: Document, metadata: JsonObject): JsonObject {
  const [key = ""] = EXTERNAL_NAME.slice(-1).map(String);
  const name = observed.at(EXTERNAL_NAME);
  const others = pick(objectOf(metadata["annotations"]), (annotation) => annotation !== key);
  return { ...metadata, annotations: name === undefined ? others : { ...others, [key]: name } };
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/**
 * Tells which fields of a kind identify its cloud resource; the references that fill them in may be resolved again at any time. Of a kind
 * that our tables lack all do but switches: a deletion may wait for `deletionProtection: false`.
 */
function identifyingFields({ group, kind }: ManagedKind): (field: string, value: unknown) => boolean {
  const { identity } = findFacts(group, kind);
  if (identity.countsReferences) return (_field, value) => typeof value !== "boolean";
  const { name, scope } = identity;
  const paths = [...scope, ...(name.is === "externalName" ? [] : name.paths)];
  const fields = paths.map((path) => String(path[PARAMETERS_DEPTH]));
  const all = new Set([...fields, ...fields.flatMap(listReferences)]);
  return (field) => all.has(field);
}

/** The position of a field's name in a path: spec.forProvider.NAME. */
const PARAMETERS_DEPTH = 2;
