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
 * Hundreds of inputs of three functions give the same context and the same desired resources when they are migrated. An environment variable names each function's binary, built from its repository: docs/cli.md says how.
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

/** The functions, what people may write for them, and what has to be the same. */
const peers = [
  {
    variable: "PEER_EXTRA_RESOURCES",
    inputs: extraResourcesInputs,
    outcomeOf: contextOf("apiextensions.crossplane.io/extra-resources", "mine"),
  },
  {
    variable: "PEER_ENVIRONMENT_CONFIGS",
    inputs: environmentConfigsInputs,
    outcomeOf: contextOf("apiextensions.crossplane.io/environment"),
  },
  { variable: "PEER_TAG_MANAGER", inputs: tagManagerInputs, outcomeOf: tagsOf },
];

describe.each(peers)("$variable", ({ variable, inputs, outcomeOf }) => {
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

    test("whatever people may write, unless migrate says that it differs", async () => {
      const isSame = async (given: PeerInput): Promise<void> => {
        const { input, remarks } = migrated(given.input);
        if (remarks.length > 0) return;
        const call = (request: Buffer) => callFunction(peer.target, request, Date.now() + 30_000);
        const theirs = await settle(given, given.input, call);
        if (asksForLess(theirs, variable)) return;
        const ours = await settle(given, input, async (request) => runFunction(request).response);
        expect(shown(ours)).toEqual(shown(theirs));
      };
      await fc.assert(fc.asyncProperty(inputs, isSame), { numRuns: Number(process.env["RUNS"] ?? 500) });
    });
  });
});
