import { COMPOSITION_RESOURCE_NAME, readAnnotation } from "../crossplane/metadata.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { attempt, FunctionError } from "../errors.ts";
import { invalidInput } from "../input/faults.ts";
import type { EnvironmentConfig } from "../input/publish.ts";
import { brief, quote } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { type Draft, withCompositeUnready, withResource, withResources } from "../model/draft.ts";
import { parseFieldPath, withValueAt } from "../model/field-path.ts";
import type { JsonObject } from "../model/json.ts";
import { isName } from "../model/names.ts";
import type { Resource } from "../model/request.ts";
import { formatOwner, OWNER } from "../ownership/annotations.ts";
import { RECORD_PREFIX } from "../ownership/names.ts";
import { pickObserved } from "./desired.ts";
import type { Call, Feature } from "./feature.ts";
import { type ReasonOf, tell, withConditionAndEvent } from "./reasons.ts";
import { resolveJson, resolveString } from "./value.ts";

const TYPE = "EnvironmentConfigPublished";

/** The sentences for the states in which the EnvironmentConfig is not published. The names are the reasons of the condition. */
const SENTENCES = {
  WaitingForRequiredResources: () => "waiting for Crossplane to look up EnvironmentConfig",
  FieldNotSet: ({ fields }: { readonly fields: readonly string[] }) => `${fields.join(", ")} is not set`,
  InvalidData: ({ faults }: { readonly faults: readonly string[] }) => faults.join("; "),
  InvalidName: ({ name }: { readonly name: string }) => `${quote(name)} is not a valid resource name`,
  NameTaken: ({ name }: { readonly name: string }) =>
    `EnvironmentConfig ${brief(name)} exists and belongs to somebody else, so it is left unchanged: choose another name`,
};

type PublishState = { readonly is: "Published" } | ReasonOf<typeof SENTENCES, never>;

/**
 * Composes an EnvironmentConfig with values of this XR that others need, so that they can select it like any other shared
 * resource. The values come from the XR and the environment, which never hold a Secret's value.
 */
export const publishing: Feature = (call, draft) => {
  const config = call.input.spec.publish?.environmentConfig;
  if (config === undefined) return draft;
  if (call.composite.namespace !== undefined) {
    const message = "needs a cluster-scoped XR: a namespaced one composes into its own namespace only";
    throw invalidInput([{ path: "spec.publish.environmentConfig", message }]);
  }
  const name = resolveString(config.name, call);
  if (name.is === "unset") return keep({ is: "FieldNotSet", fields: [name.field] }, call, draft);
  return isName(name.value) && !name.value.startsWith(RECORD_PREFIX)
    ? publish(config, name.value, call, draft)
    : keep({ is: "InvalidName", name: name.value }, call, draft);
};

const PREFIX = "publish/environment-config/";

function publish(config: EnvironmentConfig, name: string, call: Call, draft: Draft): Draft {
  const key = `${PREFIX}${name}`;
  if (call.request.observed.resources.has(key)) return compose(config, name, call, draft);
  const selector = { apiVersion: config.apiVersion, kind: "EnvironmentConfig", match: { name } };
  const answer = call.requirements.ask(toRequirement(key, selector));
  if (answer.is === "pending") return keep({ is: "WaitingForRequiredResources" }, call, draft);
  const [existing] = answer.items;
  return existing === undefined || isOurs(existing, key, call)
    ? compose(config, name, call, draft)
    : keep({ is: "NameTaken", name }, call, draft);
}

/** The XR's record is an EnvironmentConfig too, and has another name in the Composition: a team may choose its name here. */
const isOurs = (existing: Document, key: string, { composite }: Call): boolean =>
  readAnnotation(existing, OWNER) === formatOwner(composite) &&
  [undefined, key].includes(stringAt(existing, COMPOSITION_RESOURCE_NAME));

function compose(config: EnvironmentConfig, name: string, call: Call, draft: Draft): Draft {
  const { apiVersion, labels } = config;
  const key = `${PREFIX}${name}`;
  const observed = call.request.observed.resources.get(key);
  const { data, missing: fields, faults } = toData(config, observed, call);
  const annotations = { [OWNER]: formatOwner(call.composite) };
  const metadata = { name, ...(Object.keys(labels).length > 0 && { labels }), annotations };
  const object: JsonObject = { apiVersion, kind: "EnvironmentConfig", metadata, data };
  const unset: PublishState = fields.length === 0 ? { is: "Published" } : { is: "FieldNotSet", fields };
  const state: PublishState = faults.length === 0 ? unset : { is: "InvalidData", faults };
  const ready = state.is === "Published" && observed !== undefined ? "True" : "False";
  return withState(withResource(draft, key, { is: "set", object, ready }), state, call);
}

/**
 * Resolves the data. A field that is not set now keeps its published value: others may depend on it. A field whose path leads through
 * another field's value is left out: a team may write both, and a Fatal result would freeze everything else of its XR.
 */
function toData({ data: fields }: EnvironmentConfig, observed: Resource | undefined, call: Call) {
  const missing: string[] = [];
  const faults: string[] = [];
  let data: JsonObject = {};
  for (const { toFieldPath, value } of fields) {
    const resolved = resolveJson(value, call);
    if (resolved.is === "unset") missing.push(resolved.field);
    const kept = resolved.is === "set" ? resolved.value : observed?.document.at(["data", ...toFieldPath]);
    if (kept === undefined) continue;
    const extended = attempt(() => withValueAt(data, toFieldPath, kept));
    if (extended instanceof FunctionError) faults.push(extended.message);
    else data = extended;
  }
  return { data, missing, faults };
}

/** Keeps what was published while the desired values are unknown: a resource that is left out is deleted. */
function keep(state: PublishState, call: Call, draft: Draft): Draft {
  const published = [...call.request.observed.resources].filter(([key]) => key.startsWith(PREFIX));
  const edits = published.map(
    ([key, { document }]) => [key, { is: "set", object: pickObserved(document, DESIRED) }] as const,
  );
  return withState(withResources(draft, edits), state, call);
}

const DESIRED = ["apiVersion", "kind", "metadata.name", "metadata.labels", "metadata.annotations", "data"].map(
  parseFieldPath,
);

/** Adds the condition, and marks the XR unready until the EnvironmentConfig is published: nothing else does if none is composed. */
function withState(draft: Draft, state: PublishState, call: Call): Draft {
  const condition = { type: TYPE, reason: state.is, target: "Composite" } as const;
  if (state.is === "Published") return withConditionAndEvent(draft, { ...condition, status: "True" }, "Normal", call);
  const status = state.is === "WaitingForRequiredResources" ? "Unknown" : "False";
  const message = tell(SENTENCES, state, {});
  return withCompositeUnready(withConditionAndEvent(draft, { ...condition, status, message }, "Warning", call));
}
