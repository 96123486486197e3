import { loadMethod } from "../cli/render/codec.ts";
import { toStruct } from "../cli/render/struct.ts";
import type { JsonObject } from "../src/model/json.ts";
import { type Random, randomOf } from "./random.ts";
import { desiredResource, observedResource } from "./resources.ts";

/** Requests as Crossplane sends them, from a seed: the same bytes on every machine. */

const SEED = 20_261_121;

const nameOf = (index: number): string => `resource-${String(index).padStart(3, "0")}`;

/** An encoded RunFunctionRequest with `resources` composed resources, observed and desired, and some required ones. */
export function requestOf(resources: number, required = 0): Buffer {
  const random = randomOf(SEED - required);
  const shared = Array.from({ length: required }, (_, index) => observedResource(random, `shared-${index}`));
  return encode({ ...bodyOf(resources), required: { shared } });
}

/** The XR and its composed resources. */
export function bodyOf(resources: number): Pick<Parts, "xr" | "observed" | "desired"> {
  const random = randomOf(SEED + resources);
  return {
    xr: compositeOf(random, resources),
    observed: record(resources, (index) => observedResource(random, nameOf(index))),
    desired: record(resources, (index) => desiredResource(random, nameOf(index))),
  };
}

/** The smallest request that a Composition sends: an XR and one small resource. 2.5 KB. */
export function smallRequest(): Buffer {
  const random = randomOf(SEED);
  const desired = desiredResource(random, nameOf(0));
  const observed = { ...desired, status: { atProvider: { id: random.hex(17) } } };
  return encode({
    xr: compositeOf(random, 1),
    observed: { [nameOf(0)]: observed },
    desired: { [nameOf(0)]: desired },
    required: {},
  });
}

interface Parts {
  readonly xr: JsonObject;
  readonly observed: Readonly<Record<string, JsonObject>>;
  readonly desired: Readonly<Record<string, JsonObject>>;
  readonly required: Readonly<Record<string, readonly JsonObject[]>>;
  readonly input?: JsonObject;
}

/** Encodes with @grpc/proto-loader, in a form that every implementation here can read. */
export function encode({ xr, observed, desired, required, input = { kind: "Input" } }: Parts): Buffer {
  const resource = (object: JsonObject) => ({ resource: toStruct(object) });
  const mapped = <From, To>(entries: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> =>
    Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, to(value)]));
  return loadMethod().requestSerialize({
    meta: { tag: "bench", capabilities: ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_RESOURCES"] },
    observed: { composite: resource(xr), resources: mapped(observed, resource) },
    desired: { composite: resource({ status: { ready: false } }), resources: mapped(desired, resource) },
    input: toStruct(input),
    requiredResources: mapped(required, (items) => ({ items: items.map(resource) })),
  });
}

const record = <T>(length: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [nameOf(index), make(index)]));

const compositeOf = (random: Random, resources: number): JsonObject => ({
  apiVersion: "platform.example.org/v1alpha1",
  kind: "XNetworkAndData",
  metadata: {
    name: "orders-x7k2p",
    uid: random.uid(),
    labels: {
      "cost-center": "cc-1234",
      "crossplane.io/claim-name": "orders",
      "crossplane.io/claim-namespace": "team-a",
    },
    creationTimestamp: "2026-05-04T11:12:13Z",
  },
  spec: {
    claimRef: {
      apiVersion: "platform.example.org/v1alpha1",
      kind: "NetworkAndData",
      name: "orders",
      namespace: "team-a",
    },
    parameters: { region: "eu-central-1", size: "large", database: "orders" },
    resourceRefs: Array.from({ length: resources }, (_, index) => ({
      apiVersion: "rds.aws.upbound.io/v1beta1",
      kind: "Instance",
      name: `orders-x7k2p-${nameOf(index)}`,
    })),
  },
  status: {
    conditions: [{ type: "Ready", status: "False", reason: "Creating", lastTransitionTime: "2026-05-04T11:12:13Z" }],
  },
});
