import { COMPOSITION_RESOURCE_NAME, readAnnotation } from "../crossplane/metadata.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { attempt, FunctionError } from "../errors.ts";
import { invalidInput } from "../input/faults.ts";
import type { EnvironmentConfig } from "../input/publish.ts";
import { brief, quote } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { type Draft, withCompositeUnready, withResources } from "../model/draft.ts";
import { parseFieldPath, withValueAt } from "../model/field-path.ts";
import type { JsonObject } from "../model/json.ts";
import { isName } from "../model/names.ts";
import { formatOwner, OWNER } from "../ownership/annotations.ts";
import { RECORD_PREFIX } from "../records/names-record.ts";
import { RECORD_KINDS } from "../records/record.ts";
import { faults, fine, type ReasonOf, tell, toTold, unknown, withTold } from "./conditions.ts";
import { type Edits, keepObserved, observedOwn } from "./desired.ts";
import type { Call, Feature } from "./feature.ts";
import { resolveJson, resolveString } from "./value.ts";

const TYPE = "EnvironmentConfigPublished";

const REASONS = {
  ...unknown({ WaitingForRequiredResources: () => "waiting for Crossplane to look up EnvironmentConfig" }),
  ...faults({
    FieldNotSet: ({ fields }: { readonly fields: readonly string[] }) =>
      `${fields.join(", ")} ${fields.length === 1 ? "is" : "are"} not set`,
    InvalidData: (data: { readonly faults: readonly string[] }) => data.faults.join("; "),
    InvalidName: ({ name }: { readonly name: string }) =>
      isName(name)
        ? `${quote(name)} is reserved: names that begin with ${RECORD_PREFIX} are for this function's records; choose another name`
        : `${quote(name)} is not a valid resource name`,
    NameTaken: ({ name }: { readonly name: string }) =>
      `EnvironmentConfig ${brief(name)} exists, and this XR did not publish it, so it is left unchanged: choose another name`,
  }),
  ...fine({ Published: () => "" }),
};

const KIND = { type: TYPE, target: "Composite", reasons: REASONS, otherwise: "Published" } as const;

type Unpublished = ReasonOf<typeof REASONS>;

/** Composes an EnvironmentConfig with values of the XR and the environment, which never hold a Secret's value. */
export const publishing: Feature = (call, draft) => {
  const config = call.input.spec.publish?.environmentConfig;
  if (config === undefined) return draft;
  if (call.composite.namespace !== undefined) {
    const message = "needs a cluster-scoped XR, because a namespaced XR composes into its own namespace only";
    throw invalidInput([{ path: "spec.publish.environmentConfig", message }]);
  }
  const name = findName(config, call);
  // Crossplane deletes what is left out, so what was published stays while the name is unknown.
  if (typeof name !== "string") return withPublishing(draft, keepObserved(PREFIX, DESIRED, call), name, call);
  const key = `${PREFIX}${name}`;
  const observed = observedOwn(key, call);
  const { data, fault } = toData(config, observed, call);
  const annotations = { [OWNER]: formatOwner(call.composite) };
  const metadata = { name, ...(Object.keys(config.labels).length > 0 && { labels: config.labels }), annotations };
  const object: JsonObject = { ...RECORD_KINDS.EnvironmentConfig, metadata, data };
  const ready = fault === undefined && observed !== undefined ? "True" : "False";
  return withPublishing(draft, [[key, { is: "set", object, ready }]], fault, call);
};

const PREFIX = "publish/environment-config/";
const DESIRED = ["apiVersion", "kind", "metadata.name", "metadata.labels", "metadata.annotations", "data"].map(
  parseFieldPath,
);

function findName(config: EnvironmentConfig, call: Call): string | Unpublished {
  const resolved = resolveString(config.name, call);
  if (resolved.is === "unset") return { is: "FieldNotSet", fields: [resolved.field] };
  const name = resolved.value;
  if (!isName(name) || name.startsWith(RECORD_PREFIX)) return { is: "InvalidName", name };
  const key = `${PREFIX}${name}`;
  if (observedOwn(key, call) !== undefined) return name;
  const selector = { ...RECORD_KINDS.EnvironmentConfig, match: { name } };
  const answer = call.requirements.ask(toRequirement(key, selector));
  if (answer.is === "pending") return { is: "WaitingForRequiredResources" };
  const [existing] = answer.items;
  return existing === undefined || isOurs(existing, key, call) ? name : { is: "NameTaken", name };
}

/**
 * Recognizes an EnvironmentConfig that this XR published: by the owner annotation and, if it has one, by its name in the Composition. The
 * owner annotation alone proves nothing: the XR's record has it, too, and a team may choose the record's name for `environmentConfig`.
 */
const isOurs = (existing: Document, key: string, { composite }: Call): boolean =>
  readAnnotation(existing, OWNER) === formatOwner(composite) &&
  [undefined, key].includes(stringAt(existing, COMPOSITION_RESOURCE_NAME));

/**
 * Resolves the data. A field that is no longer set keeps its published value, on which others may depend. Leaves out a
 * field whose path leads through another field's value: a team may write both, and a Fatal result would stop its XR.
 */
function toData({ data: fields }: EnvironmentConfig, observed: Document | undefined, call: Call) {
  const missing: string[] = [];
  const faults: string[] = [];
  let data: JsonObject = {};
  for (const { toFieldPath, value } of fields) {
    const resolved = resolveJson(value, call);
    if (resolved.is === "unset") missing.push(resolved.field);
    const kept = resolved.is === "set" ? resolved.value : observed?.at(["data", ...toFieldPath]);
    if (kept === undefined) continue;
    const extended = attempt(() => withValueAt(data, toFieldPath, kept));
    if (extended instanceof FunctionError) faults.push(extended.message);
    else data = extended;
  }
  const unset: Unpublished | undefined = missing.length === 0 ? undefined : { is: "FieldNotSet", fields: missing };
  const fault: Unpublished | undefined = faults.length === 0 ? unset : { is: "InvalidData", faults };
  return { data, fault };
}

/** Adds the condition, and marks the XR unready until the EnvironmentConfig is published. */
function withPublishing(draft: Draft, edits: Edits, fault: Unpublished | undefined, call: Call): Draft {
  const remarks = fault === undefined ? [] : [fault];
  const told = toTold(KIND, remarks, (all) => all.map((remark) => tell(REASONS, remark)));
  const published = withTold(withResources(draft, edits), told, call);
  return fault === undefined ? published : withCompositeUnready(published);
}
