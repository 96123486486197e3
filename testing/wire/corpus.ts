import type { JsonObject } from "../../src/model/json.ts";
import { database, inputOf, observedObject, REQUIRED, shared, xr } from "../builders/sharing.ts";
import { encodeRequest } from "./oracle.ts";
import { emptyPlainRequest, type PlainRequest, type PlainResource } from "./plain.ts";

/** Valid requests where the fuzzer starts: small ones, so that most mutations hit something that is read. */

const details = new Map([["password", "aHVudGVyMg=="]]);
const resource = (object: JsonObject): PlainResource => ({ object, ready: "True", details });

const withResource = { composite: resource({}), resources: new Map() };

const nothing: PlainRequest = { ...emptyPlainRequest, observed: withResource, desired: withResource };

const usual: PlainRequest = {
  ...nothing,
  tag: "a tag",
  capabilities: ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_RESOURCES"],
  observed: { composite: resource(xr()), resources: new Map() },
  input: inputOf({ sharedResources: [shared()] }),
  required: new Map([[REQUIRED.database, [database()]]]),
};

/** Everything that JSON and the protocol have, in little space. */
const mixed: JsonObject = {
  a: [{ b: -0.5 }, null, true, "ü", [], {}],
  "": { __proto__x: [[[]]], toString: 1, valueOf: 2 },
  spec: "text",
};

const twice = new Map(["db", "__proto__"].map((name) => [name, resource(mixed)]));

export const corpus: readonly Buffer[] = [
  nothing,
  { ...usual, capabilities: [], required: new Map(), extra: new Map([[REQUIRED.database, [database()]]]) },
  usual,
  { ...usual, input: inputOf({ sharedResources: [] }) },
  {
    ...usual,
    observed: { composite: resource(xr()), resources: new Map([["db", resource(observedObject({ ready: "True" }))]]) },
    desired: { composite: resource(mixed), resources: twice },
    context: mixed,
  },
  { ...nothing, input: mixed, context: mixed, credentials: new Map([["key", { password: Buffer.from("secret") }]]) },
].map(encodeRequest);
