import type { JsonObject } from "../src/model/json.ts";
import { database, inputOf, shared } from "../test/support/builders.ts";
import { bodyOf, encode } from "./requests.ts";

/**
 * Whole capabilities, as Crossplane calls them: a pipeline step's input, and a request among whose composed resources most are
 * none of its business. One line each.
 */
interface CapabilityCase {
  readonly name: string;
  readonly request: () => Buffer;
}

export const capabilityCases: readonly CapabilityCase[] = [
  { name: "no section turned on", request: () => stepOf({ spec: {}, resources: 100 }) },
  { name: "sharing, 1 shared resource", request: () => stepOf({ ...sharing(1), resources: 100 }) },
  { name: "sharing, 20 shared resources", request: () => stepOf({ ...sharing(20), resources: 100 }) },
];

/** The same with more and more of what it touches: does the cost grow with it, and no faster? */
export const growing: readonly { readonly name: string; readonly request: (count: number) => Buffer }[] = [
  { name: "no section turned on, N composed resources", request: (n) => stepOf({ spec: {}, resources: n }) },
  { name: "sharing, N shared resources", request: (n) => stepOf({ ...sharing(n), resources: 10 }) },
  { name: "sharing, 1 shared resource, N composed resources", request: (n) => stepOf({ ...sharing(1), resources: n }) },
];

interface Step {
  readonly spec: JsonObject;
  readonly resources: number;
  readonly required?: Readonly<Record<string, readonly JsonObject[]>>;
}

/** A pipeline step with this input's spec. */
export const stepOf = ({ spec, resources, required = {} }: Step): Buffer =>
  encode({ ...bodyOf(resources), required, input: inputOf(spec) });

/** That many databases, each found, granted and copied into the claim's namespace. */
function sharing(count: number): Omit<Step, "resources"> {
  const names = Array.from({ length: count }, (_, index) => `db-${index}`);
  const sharedResources = names.map((name) =>
    shared({ name, select: { name: { value: name } }, connection: { copies: [{ secretName: { value: name } }] } }),
  );
  const required = names.flatMap((name) => [
    [`shared-resource/${name}`, [database({ metadata: metadataOf(name) })]] as const,
    [`shared/${name}/team-a/${name}/target`, []] as const, // nobody has a Secret of that name
  ]);
  return { spec: { sharedResources }, required: Object.fromEntries(required) };
}

const metadataOf = (name: string): JsonObject => ({
  name,
  annotations: { "shared-infrastructure.fn.crossplane.io/allowed-namespaces": "team-a" },
});
