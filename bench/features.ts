import { toRequirement } from "../src/crossplane/requirement.ts";
import type { JsonObject } from "../src/model/json.ts";
import { runFunction } from "../src/run-function.ts";
import { database, inputOf, shared } from "../testing/builders/sharing.ts";
import { decodeResponse } from "../testing/wire/oracle.ts";
import { bodyOf, encode } from "./requests.ts";

/**
 * Whole features, as Crossplane calls them: a pipeline step's input, and a request most of whose composed resources do not
 * concern the feature. One line each.
 */
interface FeatureCase {
  readonly name: string;
  readonly request: () => Buffer;
}

export const featureCases: readonly FeatureCase[] = [
  { name: "no section turned on", request: () => stepOf({ spec: {}, resources: 100 }) },
  { name: "adoption, nothing to do", request: () => stepOf({ spec: { adoption: {} }, resources: 100 }) },
  { name: "sharing, 1 shared resource", request: () => settled({ ...sharing(1), resources: 100 }) },
  { name: "sharing, 20 shared resources", request: () => settled({ ...sharing(20), resources: 100 }) },
  { name: "tags on 200 resources", request: () => settled({ spec: tagging, resources: 200 }) },
];

/** The same with a growing number of resources that the feature changes, to see whether the cost grows no faster. */
export const growing: readonly { readonly name: string; readonly request: (count: number) => Buffer }[] = [
  { name: "no section turned on, N composed resources", request: (n) => stepOf({ spec: {}, resources: n }) },
  { name: "sharing, N shared resources", request: (n) => settled({ ...sharing(n), resources: 10 }) },
  {
    name: "sharing, 1 shared resource, N composed resources",
    request: (n) => settled({ ...sharing(1), resources: n }),
  },
  { name: "tags on N resources", request: (n) => settled({ spec: tagging, resources: n }) },
];

/** Other XRs may declare each of the resources as well, so each is looked up. */
const tagging: JsonObject = {
  tags: {
    add: [{ key: "cost-center", fromCompositeFieldPath: "metadata.labels[cost-center]" }],
    preserve: ["aws:*"],
    owner: { cluster: { value: "prod-eu" } },
  },
};

interface Step {
  readonly spec: JsonObject;
  readonly resources: number;
  readonly required?: Readonly<Record<string, readonly JsonObject[]>>;
}

/** A pipeline step with this input's spec. */
export const stepOf = ({ spec, resources, required = {} }: Step): Buffer =>
  encode({ ...bodyOf(resources), required, input: inputOf(spec) });

/** The last call of the step: all requirements of the function are answered, with nothing found. */
function settled(step: Step): Buffer {
  const request = stepOf(step);
  const { requirements } = decodeResponse(runFunction(request).response);
  const names = [...(requirements?.resources.keys() ?? [])].filter((name) => step.required?.[name] === undefined);
  if (names.length === 0) return request;
  return settled({ ...step, required: { ...step.required, ...Object.fromEntries(names.map((name) => [name, []])) } });
}

/** A step that shares `count` databases, each found, granted and copied into the claim's namespace. */
function sharing(count: number): Omit<Step, "resources"> {
  const names = Array.from({ length: count }, (_, index) => `db-${index}`);
  const sharedResources = names.map((name) =>
    shared({ name, select: { name: { value: name } }, connection: { copies: [{ secretName: { value: name } }] } }),
  );
  // Nothing else is found: nobody has a Secret of that name.
  const required = names.map((name) => [toLookup(name).name, [database({ metadata: metadataOf(name) })]] as const);
  return { spec: { sharedResources }, required: Object.fromEntries(required) };
}

const toLookup = (name: string) =>
  toRequirement(`shared-resource/${name}`, { apiVersion: "data.example.org/v1", kind: "XPostgres", match: { name } });

const metadataOf = (name: string): JsonObject => ({
  name,
  annotations: { "shared-infrastructure.fn.crossplane.io/allowed-namespaces": "team-a" },
});
