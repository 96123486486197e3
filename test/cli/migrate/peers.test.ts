import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { migrate } from "../../../src/cli/migrate/migrate.ts";
import { callFunction } from "../../../src/cli/render/call-function.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { runFunction } from "../../../src/run-function.ts";
import { type GoFunction, startGoFunction } from "../../../testing/servers/go-function.ts";
import { decodeResponse, encodeRequest } from "../../../testing/wire/oracle.ts";
import { emptyResource, type PlainRequest, type PlainResponse } from "../../../testing/wire/plain.ts";
import { byPeer, type PeerCase } from "./peer-cases.ts";

/**
 * The examples of three functions, and what their READMEs show, give the same context and the same desired resources when they are
 * migrated. An environment variable names each function's binary, built from its repository: docs/migration.md says how.
 */

const CAPABILITIES = ["CAPABILITY_CAPABILITIES", "CAPABILITY_CONDITIONS", "CAPABILITY_REQUIRED_RESOURCES"];

/** A call with the cluster's answers to what the call before it asked for, by each function's own names. */
async function settle(given: PeerCase, input: JsonObject, call: (request: Buffer) => Promise<Uint8Array>) {
  const requestWith = (required: PlainRequest["required"]): Buffer =>
    encodeRequest({
      tag: "peer",
      capabilities: CAPABILITIES,
      observed: { composite: { ...emptyResource, object: given.xr }, resources: new Map() },
      desired: {
        composite: emptyResource,
        resources: new Map(
          Object.entries(given.desired ?? {}).map(([name, object]) => [name, { ...emptyResource, object }]),
        ),
      },
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

const migrated = (input: JsonObject): JsonObject => {
  const step = { step: "step", functionRef: { name: "theirs" }, input };
  const { text, remarks } = migrate(JSON.stringify({ kind: "Composition", spec: { pipeline: [step] } }), "ours");
  expect(remarks).toEqual([]);
  return (parse(text) as { spec: { pipeline: readonly { input: JsonObject }[] } }).spec.pipeline[0]?.input ?? {};
};

const isFatal = ({ results }: PlainResponse): boolean => results.some(({ severity }) => severity === "Fatal");

describe.each(byPeer)("$variable", ({ variable, cases, outcomeOf }) => {
  const program = process.env[variable] ?? "";
  describe.skipIf(program === "")("beside it", () => {
    let peer: GoFunction;
    beforeAll(async () => {
      peer = await startGoFunction(program);
    });
    afterAll(() => peer.stop());

    test.each(cases)("$name", async (given) => {
      const deadline = Date.now() + 30_000;
      const theirs = await settle(given, given.input, (request) => callFunction(peer.target, request, deadline));
      const ours = await settle(given, migrated(given.input), async (request) => runFunction(request).response);
      expect([theirs, ours].map(isFatal)).toEqual(Array(2).fill(given.isFatal ?? false));
      expect(outcomeOf(ours)).toEqual(outcomeOf(theirs));
    });
  });
});
