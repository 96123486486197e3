import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { migrate } from "../../../cli/migrate/migrate.ts";
import { objectAt } from "../../../cli/render/objects.ts";
import { groupBy } from "../../../src/model/collections.ts";
import { type JsonObject, pick } from "../../../src/model/json.ts";
import { runFunction } from "../../../src/run-function.ts";
import { lookUpIn } from "../../../testing/simulations/store.ts";
import { decodeResponse, encodeRequest } from "../../../testing/wire/oracle.ts";
import { type PlainRequest, type PlainResponse, stateOf, v2Request } from "../../../testing/wire/plain.ts";

/**
 * An input of another function, what it worked on, and what it answered: the context or the desired tags, or "Fatal". Each line of the
 * file is one, recorded of function-extra-resources v0.3.0-19-g50e373b, function-environment-configs v0.7.0-2-gfd738e4 or
 * function-tag-manager v0.8.0-87-g45fe4d1. fast-check made the inputs, without the differences that docs/cli.md names.
 */
interface Recorded {
  readonly peer: string;
  readonly input: JsonObject;
  readonly xr: JsonObject;
  readonly cluster?: readonly JsonObject[];
  readonly desired?: Readonly<Record<string, JsonObject>>;
  readonly observed?: Readonly<Record<string, JsonObject>>;
  readonly context?: JsonObject;
  readonly outcome: JsonObject | "Fatal";
}

const file = new URL("../../../testing/peers/answers.jsonl", import.meta.url);
const lines = readFileSync(file, "utf8").trim().split("\n");
const recorded = lines.map((line): Recorded => JSON.parse(line));

function migrated(input: JsonObject): JsonObject {
  const step = { step: "step", functionRef: { name: "theirs" }, input };
  const { text } = migrate(JSON.stringify({ kind: "Composition", spec: { pipeline: [step] } }), "ours");
  return parse(text).spec.pipeline[0].input;
}

/** Calls this function again with the cluster's answers to what it asked for. */
function answer({ xr, observed, desired, context = {}, cluster = [] }: Recorded, input: JsonObject): PlainResponse {
  const call = (required: PlainRequest["required"]) => {
    const request = { ...v2Request(input, stateOf(xr, observed)), desired: stateOf({}, desired), context, required };
    return decodeResponse(runFunction(encodeRequest(request)).response);
  };
  const asked = [...(call(new Map()).requirements?.resources ?? [])];
  return call(new Map(asked.map(([name, selector]) => [name, lookUpIn(cluster)(selector)])));
}

const CONTEXT = ["apiextensions.crossplane.io/extra-resources", "mine", "apiextensions.crossplane.io/environment"];

/** Reads of this function's answer what theirs is: the context, or the desired tags, of which null and none are the same. */
function outcomeOf({ results, context = {}, desired }: PlainResponse, peer: string): unknown {
  if (results.some(({ severity }) => severity === "Fatal")) return "Fatal";
  if (peer !== "function-tag-manager") return pick(context, (key) => CONTEXT.includes(key));
  const tags = [...desired.resources].map(([name, { object }]) => [
    name,
    objectAt(object, "spec", "forProvider", "tags"),
  ]);
  return Object.fromEntries(tags.filter(([, found = {}]) => Object.keys(found).length > 0));
}

test.each([...groupBy(recorded, ({ peer }) => peer)])("a migrated input of %s gives the same", (peer, all) => {
  for (const one of all)
    expect(outcomeOf(answer(one, migrated(one.input)), peer), JSON.stringify(one.input)).toEqual(one.outcome);
});
