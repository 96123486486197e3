import { invalidInput } from "../input/parse.ts";
import type { EnvironmentConfig } from "../input/publish.ts";
import type { Condition } from "../model/condition.ts";
import { stringAt } from "../model/document.ts";
import type { Draft, ResourceEdit } from "../model/draft.ts";
import { parseFieldPath, withValueAt } from "../model/field-path.ts";
import type { JsonObject } from "../model/json.ts";
import { isName } from "../model/names.ts";
import type { ResourceSelector } from "../model/requirement.ts";
import type { Resource } from "../model/resource.ts";
import { eventsOf } from "./events.ts";
import type { Call, Feature } from "./feature.ts";
import { pick } from "./observed.ts";
import { OWNER, ownerOf } from "./owner.ts";
import { resolveJson, resolveString } from "./value.ts";

const TYPE = "EnvironmentConfigPublished";

/** How far it has come; the names are the reasons of the condition. */
type Standing =
  | { readonly is: "Published" }
  | { readonly is: "WaitingForRequiredResources" }
  | { readonly is: "FieldNotSet"; readonly fields: readonly string[] }
  | { readonly is: "InvalidName" | "NameTaken"; readonly name: string };

/**
 * Keeps an EnvironmentConfig that says of this XR what others need to know, so that they can select it as they would any
 * other shared resource. What it says comes from the XR and the environment, where no Secret's value ever is.
 */
export const publishing: Feature = (call, draft) => {
  const config = call.input.spec.publish?.environmentConfig;
  if (config === undefined) return draft;
  if (call.composite.namespace !== undefined) {
    const message = "needs a cluster-scoped XR: a namespaced one composes into its own namespace only";
    throw invalidInput([{ path: "spec.publish.environmentConfig", message }]);
  }
  const name = resolveString(config.name, call);
  if (name.is === "unset")
    return withStanding(keepObserved(draft, call), { is: "FieldNotSet", fields: [name.field] }, call);
  return isName(name.value)
    ? publish(config, name.value, call, draft)
    : withStanding(keepObserved(draft, call), { is: "InvalidName", name: name.value }, call);
};

const PREFIX = "publish/environment-config/";

function publish(config: EnvironmentConfig, name: string, call: Call, draft: Draft): Draft {
  const key = `${PREFIX}${name}`;
  const observed = call.request.observed.resources.get(key);
  if (observed !== undefined) return compose(config, name, observed, call, draft);

  const selector: ResourceSelector = { apiVersion: config.apiVersion, kind: "EnvironmentConfig", match: { name } };
  const asking = { ...draft, requirements: new Map([...draft.requirements, [key, selector]]) };
  const answer = call.request.required(key);
  if (answer.is === "pending")
    return withStanding(keepObserved(asking, call), { is: "WaitingForRequiredResources" }, call);
  const [existing] = answer.items;
  const isOurs =
    existing === undefined || stringAt(existing, ["metadata", "annotations", OWNER]) === ownerOf(call.composite);
  return isOurs
    ? compose(config, name, undefined, call, asking)
    : withStanding(keepObserved(asking, call), { is: "NameTaken", name }, call);
}

function compose(
  config: EnvironmentConfig,
  name: string,
  observed: Resource | undefined,
  call: Call,
  draft: Draft,
): Draft {
  const { apiVersion, labels } = config;
  const { data, missing } = dataOf(config, observed, call);
  const annotations = { [OWNER]: ownerOf(call.composite) };
  const metadata = { name, ...(Object.keys(labels).length > 0 && { labels }), annotations };
  const object: JsonObject = { apiVersion, kind: "EnvironmentConfig", metadata, data };
  const ready = missing.length === 0 && observed !== undefined ? "True" : "False";
  const standing: Standing = missing.length === 0 ? { is: "Published" } : { is: "FieldNotSet", fields: missing };
  return withStanding(withResource(draft, `${PREFIX}${name}`, { is: "set", object, ready }), standing, call);
}

/** A field that is not set now keeps the value that was published: others may depend on it. */
function dataOf({ data: fields }: EnvironmentConfig, observed: Resource | undefined, call: Call) {
  const missing: string[] = [];
  let data: JsonObject = {};
  for (const { toFieldPath, value } of fields) {
    const resolved = resolveJson(value, call);
    if (resolved.is === "unset") missing.push(resolved.field);
    const kept = resolved.is === "set" ? resolved.value : observed?.document.at(["data", ...toFieldPath]);
    if (kept !== undefined) data = withValueAt(data, toFieldPath, kept);
  }
  return { data, missing };
}

/** Whatever was published stays while nobody can tell what is to be: what is left out is deleted. */
function keepObserved(draft: Draft, { request }: Call): Draft {
  const published = [...request.observed.resources].filter(([key]) => key.startsWith(PREFIX));
  return published.reduce<Draft>(
    (before, [key, { document }]) => withResource(before, key, { is: "set", object: pick(document, DESIRED) }),
    draft,
  );
}

const DESIRED = ["apiVersion", "kind", "metadata.name", "metadata.labels", "metadata.annotations", "data"].map(
  parseFieldPath,
);

const withResource = (draft: Draft, key: string, edit: ResourceEdit): Draft => ({
  ...draft,
  resources: new Map([...draft.resources, [key, edit]]),
});

function withStanding(draft: Draft, standing: Standing, call: Call): Draft {
  const condition = conditionOf(standing);
  const severity = condition.status === "False" ? "Warning" : "Normal";
  return {
    ...draft,
    conditions: [...draft.conditions, condition],
    results: [...draft.results, ...eventsOf(condition, severity, call)],
  };
}

function conditionOf(standing: Standing): Condition {
  const isWaiting = standing.is === "WaitingForRequiredResources";
  const waiting = isWaiting ? "Unknown" : "False";
  return {
    type: TYPE,
    status: standing.is === "Published" ? "True" : waiting,
    reason: standing.is,
    message: explain(standing),
    target: "Composite",
  };
}

function explain(standing: Standing): string | undefined {
  switch (standing.is) {
    case "Published":
      return undefined;
    case "WaitingForRequiredResources":
      return "waiting for Crossplane to look up EnvironmentConfig";
    case "FieldNotSet":
      return `${standing.fields.join(", ")} is not set`;
    case "InvalidName":
      return `${JSON.stringify(standing.name)} is not a resource's name`;
    case "NameTaken":
      return `EnvironmentConfig ${standing.name} exists and is not this XR's, so it is left alone: choose another name`;
  }
}
