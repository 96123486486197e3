import { createHash } from "node:crypto";
import { ENVIRONMENT } from "../../crossplane/environment.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { valueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call } from "../feature.ts";

/** The context key under which a step keeps the environment that earlier steps left, while Crossplane calls it again. */
const ENVIRONMENT_BEFORE = `${DOMAIN}/environment-before`;

/**
 * The call, with the environment that earlier steps left. Crossplane calls a step until it requires nothing new, each time with
 * the context that the step has returned. A share that selects by what another one, or it itself, has just added to the
 * environment would ask for something else at each call, and Crossplane gives up after six.
 */
export function withEnvironmentBefore(call: Call): Call {
  if (!isFeedingItself(call.input.spec.sharedResources)) return call;
  const environment = environmentBefore(call);
  const { context } = call.request;
  const before: typeof context = {
    at: ([root = "", ...path]) => (root === ENVIRONMENT ? valueAt(environment, path) : context.at([root, ...path])),
    toObject: () => ({ ...context.toObject(), [ENVIRONMENT]: environment }),
  };
  return { ...call, request: { ...call.request, context: before } };
}

/** The context entry that lets the next call of the same step find the same environment. */
export function keepEnvironmentBefore(call: Call): readonly (readonly [string, JsonObject])[] {
  if (!isFeedingItself(call.input.spec.sharedResources)) return [];
  return [[ENVIRONMENT_BEFORE, { step: stepOf(call), environment: environmentBefore(call) }]];
}

function environmentBefore(call: Call): JsonObject {
  const { context } = call.request;
  const kept = context.at([ENVIRONMENT_BEFORE]);
  const isOurs = isObject(kept) && kept["step"] === stepOf(call);
  const environment = isOurs ? kept["environment"] : context.at([ENVIRONMENT]);
  return isObject(environment) ? environment : {};
}

/** A step does not know its name, but has an input of its own. */
const stepOf = ({ input }: Call): string =>
  createHash("sha256").update(JSON.stringify(input.spec.sharedResources)).digest("hex").slice(0, 16);

const isFeedingItself = (shares: readonly SharedResource[]): boolean =>
  shares.some(({ toEnvironment }) => toEnvironment !== undefined) && shares.some(readsEnvironment);

function readsEnvironment({ select, connection }: SharedResource): boolean {
  const values = [
    select.namespace,
    ...(select.by === "name" ? [select.name] : []),
    ...(select.by === "labels" ? select.labels.map(({ value }) => value) : []),
    ...(connection?.copies ?? []).flatMap(({ namespaces, secretName }) => [namespaces, secretName]),
  ];
  return values.some((value) => value?.is === "environment");
}
