import type { JsonObject } from "../../src/model/json.ts";
import { encode, lastCall, type Parts } from "./last-call.ts";
import { type Random, randomOf } from "./random.ts";
import { desiredResource, observedResource } from "./resources.ts";

/** Requests as Crossplane sends them, from a seed: the same bytes on every machine. */

const SEED = 20_261_121;

const nameOf = (index: number): string => `resource-${String(index).padStart(3, "0")}`;

/** An XR and its composed resources, observed and desired. */
export function bodyOf(resources: number): Required<Pick<Parts, "xr" | "observed" | "desired">> {
  const random = randomOf(SEED + resources);
  return {
    xr: compositeOf(random, resources),
    observed: record(resources, (index) => observedResource(random, nameOf(index))),
    desired: record(resources, (index) => desiredResource(random, nameOf(index))),
  };
}

/** A request with so many composed resources: 140 KB with 21, 660 KB with 100, 3 MB with 500. */
export const requestOf = (resources: number): Buffer => encode(bodyOf(resources));

/** The smallest request that a Composition sends: an XR and one small resource. 2.5 KB. */
export function smallRequest(): Buffer {
  const random = randomOf(SEED);
  const desired = desiredResource(random, nameOf(0));
  const observed = { ...desired, status: { atProvider: { id: random.hex(17) } } };
  return encode({ xr: compositeOf(random, 1), observed: { [nameOf(0)]: observed }, desired: { [nameOf(0)]: desired } });
}

/** A request to this function that turns no section on. */
export const idleRequest = (resources: number): Buffer => lastCall({ ...bodyOf(resources), spec: {} });

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
