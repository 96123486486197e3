import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { migrate } from "../../../cli/migrate/migrate.ts";
import { callFunction } from "../../../cli/render/runtime.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { runFunction } from "../../../src/run-function.ts";
import {
  environmentConfigsInputs,
  extraResourcesInputs,
  type PeerInput,
  tagManagerInputs,
} from "../../../testing/peers/peer-inputs.ts";
import { type GoFunction, startGoFunction } from "../../../testing/servers/go-function.ts";
import { decodeResponse, encodeRequest } from "../../../testing/wire/oracle.ts";
import { emptyResource, type PlainRequest, type PlainResponse } from "../../../testing/wire/plain.ts";

/**
 * The examples of three functions and hundreds of other inputs give the same context and the same desired resources when they are
 * migrated. An environment variable names each function's binary, built from its repository: docs/cli.md says how.
 */

const CAPABILITIES = ["CAPABILITY_CAPABILITIES", "CAPABILITY_CONDITIONS", "CAPABILITY_REQUIRED_RESOURCES"];

/** A call with the cluster's answers to what the call before it asked for, by each function's own names. */
async function settle(given: PeerInput, input: JsonObject, call: (request: Buffer) => Promise<Uint8Array>) {
  const requestWith = (required: PlainRequest["required"]): Buffer =>
    encodeRequest({
      tag: "peer",
      capabilities: CAPABILITIES,
      observed: { composite: { ...emptyResource, object: given.xr }, resources: toResources(given.observed) },
      desired: { composite: emptyResource, resources: toResources(given.desired) },
      input,
      context: given.context ?? {},
      extra: new Map(),
      required,
      credentials: new Map(),
      schemas: new Map(),
    });
  const asking = decodeResponse(await call(requestWith(new Map())));
  const asked = asking.requirements?.resources ?? new Map<string, never>();
  const required = new Map([...asked].map(([name, selector]) => [name, (given.cluster ?? []).filter(isFor(selector))]));
  return decodeResponse(await call(requestWith(required)));
}

const toResources = (objects: PeerInput["desired"] = {}): PlainRequest["desired"]["resources"] =>
  new Map(Object.entries(objects).map(([name, object]) => [name, { ...emptyResource, object }]));

interface Selector {
  readonly kind: string;
  readonly match: { readonly name: string } | { readonly labels: Readonly<Record<string, string>> };
}

const isFor =
  ({ kind, match }: Selector) =>
  (object: JsonObject): boolean => {
    const { name, labels = {} } = object["metadata"] as { name: string; labels?: Readonly<Record<string, string>> };
    if (object["kind"] !== kind) return false;
    if ("name" in match) return name === match.name;
    return Object.entries(match.labels).every(([key, value]) => labels[key] === value);
  };

function migrated(input: JsonObject) {
  const step = { step: "step", functionRef: { name: "theirs" }, input };
  const { text, remarks } = migrate(JSON.stringify({ kind: "Composition", spec: { pipeline: [step] } }), "ours");
  const { spec } = parse(text) as { spec: { pipeline: readonly { input: JsonObject }[] } };
  return { input: spec.pipeline[0]?.input ?? {}, remarks };
}

const fatalIn = ({ results }: PlainResponse): string | undefined =>
  results.find(({ severity }) => severity === "Fatal")?.message;

/**
 * A selector whose labels are all optional and not set asks for nothing: function-extra-resources misses its answer if it has asked
 * for something else, and both functions leave the context alone if they have not. Here it is an empty list.
 */
const asksForLess = (theirs: PlainResponse, variable: string): boolean =>
  variable !== "PEER_TAG_MANAGER" &&
  ((theirs.requirements?.resources.size ?? 0) === 0 ||
    /cannot find expected extra resource/.test(fatalIn(theirs) ?? ""));

const contextOf =
  (...keys: readonly string[]) =>
  ({ context = {} }: PlainResponse): unknown =>
    Object.fromEntries(keys.map((key) => [key, context[key]]));

const tagsOf = ({ desired }: PlainResponse): Readonly<Record<string, JsonValue | undefined>> =>
  Object.fromEntries(
    [...desired.resources].map(([name, { object }]) => {
      const { forProvider } = object["spec"] as { readonly forProvider: JsonObject };
      return [name, orNothing(forProvider["tags"])];
    }),
  );

/** function-tag-manager writes null where there are no tags. */
const orNothing = (tags: JsonValue | undefined): JsonValue | undefined =>
  Object.keys(tags ?? {}).length === 0 ? undefined : tags;

/** An example from a function's repository, as it is there. */
const exampleOf = (input: string, { cluster = "[]", desired = "{}", spec = "{}" }): PeerInput => ({
  input: parse(input),
  xr: { apiVersion: "example.org/v1", kind: "XR", metadata: { name: "xr", uid: "1" }, spec: parse(spec) },
  cluster: parse(cluster),
  desired: parse(desired),
});

/** What each function is called with, and what has to be the same: `inputs` are others that people may write. */
const peers = [
  {
    variable: "PEER_EXTRA_RESOURCES",
    inputs: extraResourcesInputs,
    outcomeOf: contextOf("apiextensions.crossplane.io/extra-resources", "mine"),
    example: exampleOf(
      `
apiVersion: extra-resources.fn.crossplane.io/v1beta1
kind: Input
spec:
  extraResources:
  - kind: EnvironmentConfig
    into: envConfs
    apiVersion: apiextensions.crossplane.io/v1beta1
    type: Selector
    selector: {maxMatch: 2, minMatch: 1, matchLabels: [{key: type, type: Value, value: cluster}]}
  - kind: XCluster
    into: XCluster
    apiVersion: example.crossplane.io/v1
    type: Selector
    selector: {maxMatch: 1, minMatch: 1, matchLabels: [{key: type, type: Value, value: cluster}]}`,
      {
        cluster: `
- {kind: XCluster, apiVersion: example.crossplane.io/v1, metadata: {name: green, labels: {type: cluster}}}
- {kind: XCluster, apiVersion: example.crossplane.io/v1, metadata: {name: blue, labels: {type: cluster}}}
- {kind: XCluster, apiVersion: example.crossplane.io/v1, metadata: {name: other, labels: {type: other}}}
- kind: EnvironmentConfig
  apiVersion: apiextensions.crossplane.io/v1beta1
  metadata: {name: test-x1, labels: {type: cluster}}
  data: {realName: test-x1}`,
      },
    ),
  },
  {
    variable: "PEER_ENVIRONMENT_CONFIGS",
    inputs: environmentConfigsInputs,
    outcomeOf: contextOf("apiextensions.crossplane.io/environment"),
    example: exampleOf(
      `
apiVersion: environmentconfigs.fn.crossplane.io/v1beta1
kind: Input
spec:
  environmentConfigs:
  - type: Selector
    selector: {mode: Multiple, matchLabels: [{key: matchingLabel, type: Value, value: matchingKey}]}`,
      {
        cluster: `
- kind: EnvironmentConfig
  apiVersion: apiextensions.crossplane.io/v1beta1
  metadata: {name: multiple-1, labels: {matchingLabel: matchingKey}}
  data: {multiple: {c: {d: e}, x: "1"}}
- kind: EnvironmentConfig
  apiVersion: apiextensions.crossplane.io/v1beta1
  metadata: {name: multiple-2, labels: {matchingLabel: matchingKey}}
  data: {multiple: {i: {j: k}, x: "2"}}`,
      },
    ),
  },
  {
    variable: "PEER_TAG_MANAGER",
    inputs: tagManagerInputs,
    outcomeOf: tagsOf,
    example: exampleOf(
      `
apiVersion: tag-manager.fn.crossplane.io/v1beta1
kind: ManagedTags
addTags:
- {type: FromValue, policy: Replace, tags: {fromValue: tagFromValue, fromValue2: tagFromValue2}}
- {type: FromCompositeFieldPath, fromFieldPath: spec.parameters.additionalTags, policy: Replace}
- {type: FromCompositeFieldPath, fromFieldPath: spec.parameters.optionalTags, policy: Retain}
removeTags:
- {type: FromValue, keys: [fromValue2]}
- {type: FromCompositeFieldPath, fromFieldPath: spec.parameters.removeTags}`,
      {
        spec: "{parameters: {additionalTags: {team: a}, optionalTags: {before: y, new: z}, removeTags: [gone]}}",
        desired: `
vpc:
  apiVersion: ec2.aws.upbound.io/v1beta1
  kind: VPC
  spec: {forProvider: {region: eu-central-1, tags: {before: x, fromValue2: before}}}`,
      },
    ),
  },
];

describe.each(peers)("$variable", ({ variable, example, inputs, outcomeOf }) => {
  const program = process.env[variable] ?? "";
  describe.skipIf(program === "")("beside it", () => {
    let peer: GoFunction;
    beforeAll(async () => {
      peer = await startGoFunction(program);
    });
    afterAll(() => peer.stop());

    /** Of a response that stops the XR nothing else counts, and each says it in its own words. */
    const shown = (response: PlainResponse): unknown =>
      fatalIn(response) === undefined ? outcomeOf(response) : "Fatal";

    async function assertSame(given: PeerInput, { input }: { readonly input: JsonObject }): Promise<void> {
      const call = (request: Buffer) => callFunction(peer.target, request, Date.now() + 30_000);
      const theirs = await settle(given, given.input, call);
      if (asksForLess(theirs, variable)) return;
      const ours = await settle(given, input, async (request) => runFunction(request).response);
      expect(shown(ours)).toEqual(shown(theirs));
    }

    test("its own example", async () => {
      const ours = migrated(example.input);
      expect(ours.remarks).toEqual([]);
      await assertSame(example, ours);
    });

    test("whatever else people may write, unless migrate says that it differs", async () => {
      const isSame = async (given: PeerInput): Promise<void> => {
        const ours = migrated(given.input);
        if (ours.remarks.length === 0) await assertSame(given, ours);
      };
      await fc.assert(fc.asyncProperty(inputs, isSame), { numRuns: Number(process.env["RUNS"] ?? 500) });
    });
  });
});
