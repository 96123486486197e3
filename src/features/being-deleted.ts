import { isManaged, type ManagedKind, readManagedKind } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME, isBeingDeleted } from "../crossplane/metadata.ts";
import { findFacts } from "../crossplane/providers/families.ts";
import { listReferences } from "../crossplane/providers/reference-names.ts";
import type { Document } from "../model/document.ts";
import { withObjects } from "../model/draft.ts";
import { type FieldPath, withoutValueAt, withValueAt } from "../model/field-path.ts";
import { type JsonObject, objectOf, pick } from "../model/json.ts";
import { desiredSoFar, observedAs } from "./desired.ts";
import type { Feature } from "./feature.ts";

/**
 * Keeps the identity of each managed resource that is being deleted: name, location, parents and account stay as observed.
 *
 * A provider may delete the cloud resource days later, such as a bucket once it is empty, under the name that the managed
 * resource has by then. A team could delete its own bucket, give it the name of another team's bucket, and have that deleted.
 */
export const keepIdentities: Feature = (call, draft) => {
  const { tags, externalNames, sharedResources } = call.input.spec;
  const isPatched = sharedResources.some(({ patches }) => patches.some(({ toResource }) => toResource !== undefined));
  if (tags === undefined && externalNames === undefined && !isPatched) return draft;
  const composed = call.request.desired.resources;
  const kept = [...desiredSoFar(call, draft)].flatMap(([name, desired]) => {
    const observed = call.request.observed.resources.get(name)?.document;
    if (!composed.has(name) || observed === undefined || !isBeingDeleted(observed) || !isManaged(observed)) return [];
    const kind = readManagedKind(desired);
    return observedAs(name, kind, call) ? [[name, withIdentityOf(observed, desired, kind)] as const] : [];
  });
  return kept.length === 0 ? draft : withObjects(draft, kept);
};

const SPEC: FieldPath = ["spec"];
const PARAMETERS = ["forProvider", "initProvider"];
const ACCOUNT = "providerConfigRef";

function withIdentityOf(observed: Document, desired: Document, kind: ManagedKind): JsonObject {
  const isIdentifying = identifyingFields(kind);
  const [before, now] = [observed, desired].map((document) => objectOf(document.at(SPEC)));
  const parameters = PARAMETERS.flatMap((block) => {
    const identity = pick(objectOf(before?.[block]), isIdentifying);
    const fields = { ...pick(objectOf(now?.[block]), (...field) => !isIdentifying(...field)), ...identity };
    return block === "forProvider" || Object.keys(fields).length > 0 ? [[block, fields] as const] : [];
  });
  const account = before?.[ACCOUNT];
  const spec = {
    ...pick(now ?? {}, (field) => field !== ACCOUNT && !PARAMETERS.includes(field)),
    ...(account !== undefined && { [ACCOUNT]: account }),
    ...Object.fromEntries(parameters),
  };
  // `withoutValueAt` also removes annotations that are no object, in which `withValueAt` could not set a name.
  const nameless = withoutValueAt({ ...desired.toObject(), spec }, EXTERNAL_NAME);
  const name = observed.at(EXTERNAL_NAME);
  return name === undefined ? nameless : withValueAt(nameless, EXTERNAL_NAME, name);
}

/**
 * Recognizes the fields of a kind that identify its cloud resource, and the references that fill them in. An unknown kind
 * keeps all fields but booleans: its deletion may wait for `deletionProtection: false`.
 */
function identifyingFields({ group, kind }: ManagedKind): (field: string, value: unknown) => boolean {
  const { identity } = findFacts(group, kind);
  if (identity.isUnknownKind) return (_field, value) => typeof value !== "boolean";
  const { name, scope } = identity;
  const paths = [...scope, ...(name.is === "externalName" ? [] : name.paths)];
  const fields = paths.map((path) => String(path[2])); // NAME in spec.forProvider.NAME
  const all = new Set([...fields, ...fields.flatMap(listReferences)]);
  return (field) => all.has(field);
}
