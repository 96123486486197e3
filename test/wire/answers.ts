import type { JsonObject } from "../../src/model/json.ts";
import type { Request, Resource, State } from "../../src/model/request.ts";
import type { LookupAnswer, SchemaAnswer } from "../../src/model/requirement.ts";
import type { PlainRequest, PlainResource, PlainState } from "../../testing/wire/plain.ts";

/** What a request answers, and what it has to answer where the same message was given in plain JSON. */

const plainResource = ({ document, ready, hasConnectionDetails }: Resource) => ({
  object: document.toObject(),
  ready,
  hasConnectionDetails,
});

const plainState = ({ composite, resources }: State) => ({
  composite: plainResource(composite),
  resources: new Map([...resources].map(([name, resource]) => [name, plainResource(resource)])),
});

const plainItems = (answer: LookupAnswer): LookupAnswer | readonly JsonObject[] =>
  answer.is === "pending" ? answer : answer.items.map((item) => item.toObject());

const plainSchema = (answer: SchemaAnswer): SchemaAnswer | JsonObject =>
  answer.is === "resolved" ? answer.schema.toObject() : answer;

/** Asks all that can be asked of a request; required resources and schemas by these names. */
export const askAll = (request: Request, names: readonly string[]) => ({
  tag: request.tag,
  capabilities: request.capabilities,
  observed: plainState(request.observed),
  desired: plainState(request.desired),
  input: request.input.toObject(),
  context: request.context.toObject(),
  required: names.map((name) => plainItems(request.required(name))),
  schemas: names.map((name) => plainSchema(request.requiredSchema(name))),
});

const CAPABILITIES: Readonly<Record<string, string>> = {
  CAPABILITY_CAPABILITIES: "Capabilities",
  CAPABILITY_REQUIRED_RESOURCES: "RequiredResources",
  CAPABILITY_CREDENTIALS: "Credentials",
  CAPABILITY_CONDITIONS: "Conditions",
  CAPABILITY_REQUIRED_SCHEMAS: "RequiredSchemas",
};

const expectedResource = ({ details, ...resource }: PlainResource) => ({
  ...resource,
  hasConnectionDetails: details.size > 0,
});

const expectedState = ({ composite, resources }: PlainState) => ({
  composite: expectedResource(composite),
  resources: new Map([...resources].map(([name, resource]) => [name, expectedResource(resource)])),
});

export function expectedAnswers({ tag, input = {}, context = {}, ...plain }: PlainRequest, names: readonly string[]) {
  const capabilities = new Set(plain.capabilities.flatMap((name) => CAPABILITIES[name] ?? []));
  const required = new Map([...(capabilities.has("RequiredResources") ? [] : plain.extra), ...plain.required]);
  const { schemas } = plain;
  return {
    tag,
    capabilities,
    observed: expectedState(plain.observed),
    desired: expectedState(plain.desired),
    input,
    context,
    required: names.map((name) => required.get(name) ?? { is: "pending" }),
    schemas: names.map((name) => schemas.get(name) ?? { is: "pending" }),
  };
}
