import { describe, expect, test } from "vitest";
import { parseInput } from "../../../src/input/parse.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { ACCEPT, ALLOWED, inputOf, namespaceOf } from "../../../testing/builders/sharing.ts";
import { lookUpIn } from "../../../testing/simulations/look-up.ts";
import { callUntilStable } from "../../../testing/simulations/tenancy-call.ts";

/** Crossplane calls a step until it requires nothing new, six times at most, and then fails the XR. */

const database = (namespace: string, name: string): JsonObject => ({
  apiVersion: "data.example.org/v1",
  kind: "Postgres",
  metadata: { namespace, name, annotations: { [ALLOWED]: "team-a, apps" } },
  spec: { writeConnectionSecretToRef: { name: `${name}-conn` } },
});

const connectionSecret = (namespace: string, name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace, name: `${name}-conn` },
  data: { password: "eA==" },
});

const referenceGrant = (namespace: string): JsonObject => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { namespace, name: "shops" },
  spec: {
    from: [{ group: "apps.example.org", kind: "XShop", namespace: "team-a" }],
    to: [{ group: "", kind: "Secret" }],
  },
});

const cluster = [
  ...[database, connectionSecret].flatMap((make) => [make("databases", "orders"), make("elsewhere", "billing")]),
  ...["team-a", "apps"].map((name) => namespaceOf(name, { [ACCEPT]: "team-a" })),
];

const orders = { database: "orders", in: "databases", apps: "apps" };
const billing = { database: "billing", in: "elsewhere", apps: "apps" };

const xrWith = (parameters: JsonObject): JsonObject => ({
  apiVersion: "apps.example.org/v1",
  kind: "XShop",
  metadata: { namespace: "team-a", name: "shop", uid: "1" },
  spec: { crossplane: {}, parameters },
});

const inputWith = (grant: string, copy: JsonObject) => {
  const select = {
    name: { fromCompositeFieldPath: "spec.parameters.database" },
    namespace: { fromCompositeFieldPath: "spec.parameters.in" },
  };
  const share = { name: "db", apiVersion: "data.example.org/v1", kind: "Postgres", grant, select };
  return parseInput(inputOf({ sharedResources: [{ ...share, connection: { copies: [copy] } }] }));
};

const cases = ["Annotation", "ReferenceGrant"].flatMap((grant) =>
  ["Object", "ObjectWithValues"].flatMap((via) => [
    { grant, via, place: {} },
    { grant, via, place: { namespaces: { fromCompositeFieldPath: "spec.parameters.apps" } } },
  ]),
);

describe("a copy that moves to another shared resource needs no more calls than Crossplane makes", () => {
  test.each(cases)("with $grant, via $via, to $place", ({ grant, via, place }) => {
    const input = inputWith(grant, { via, secretName: { value: "db" }, ...place });
    const compose = (
      parameters: JsonObject,
      observed: Readonly<Record<string, JsonObject>>,
      grants: readonly string[],
    ) => {
      const lookUp = lookUpIn([...cluster, ...grants.map(referenceGrant)]);
      const outcome = callUntilStable({ xr: xrWith(parameters), input, observed, before: new Map(), lookUp });
      if (outcome.is === "frozen") throw new Error(outcome.because);
      return [...outcome.draft.resources].flatMap(([key, edit]) =>
        edit.is === "set" && edit.object !== undefined ? [[key, edit.object] as const] : [],
      );
    };
    const composed = compose(orders, {}, ["databases"]);
    expect(composed).toHaveLength(1);
    const observed = Object.fromEntries(composed);
    expect(compose(billing, observed, ["databases", "elsewhere"])).toHaveLength(1);
    // The grant for what the Secret still holds is gone.
    expect(compose(billing, observed, ["elsewhere"])).toHaveLength(grant === "ReferenceGrant" ? 0 : 1);
  });
});
