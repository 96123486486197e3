import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Ready } from "../../src/model/request.ts";
import { emptyPlainRequest, type PlainRequest, type PlainResource, type PlainState } from "./plain.ts";

/** Pairs, sorted by key: a map, or an object's fields. */
type Pairs<T> = readonly (readonly [string, T])[];

/** A JSON value in which numbers are their eight bytes in hex, so that NaN and -0 are told apart from others. */
type OracleValue =
  | null
  | boolean
  | string
  | { readonly number: string }
  | { readonly list: readonly OracleValue[] }
  | { readonly object: OracleObject };

type OracleObject = Pairs<OracleValue>;

interface OracleResource {
  readonly object: OracleObject;
  readonly ready: number;
  /** In base64. */
  readonly details: Pairs<string>;
}

interface OracleState {
  readonly composite: OracleResource;
  readonly resources: Pairs<OracleResource>;
}

interface OracleMessage {
  readonly tag: string;
  readonly capabilities?: readonly number[];
  readonly observed?: OracleState;
  readonly desired: OracleState;
  readonly input?: OracleObject;
  readonly context: OracleObject | null;
  readonly extra?: Pairs<readonly OracleObject[]>;
  readonly required?: Pairs<readonly OracleObject[]>;
  readonly schemas?: Pairs<OracleObject | null>;
}

/** protobuf-go, which is what Crossplane reads and writes the protocol with. */
export interface Oracle {
  /** Decodes the bytes, of a response its tag, desired state and context; undefined where it refuses them. */
  read(kind: "request" | "response", bytes: Uint8Array): Promise<PlainRequest | undefined>;
  stop(): void;
}

/** Starts it; it answers one message at a time. */
export function startOracle(program: string): Oracle {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async read(kind, bytes) {
      child.stdin.write(`${kind} ${Buffer.from(bytes).toString("base64")}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`cannot read a ${kind}: ${program} ended with ${String(child.exitCode)}`);
      const answer = JSON.parse(value);
      return "refused" in answer ? undefined : toMessage(answer);
    },
    stop: () => void child.kill(),
  };
}

const READY = ["Unspecified", "True", "False"];
const NAMES = ["UNSPECIFIED", "CAPABILITIES", "REQUIRED_RESOURCES", "CREDENTIALS", "CONDITIONS", "REQUIRED_SCHEMAS"];
const CAPABILITIES = NAMES.map((name) => `CAPABILITY_${name}`);

const toMessage = (message: OracleMessage): PlainRequest => ({
  ...emptyPlainRequest,
  tag: message.tag,
  capabilities: (message.capabilities ?? []).map((number) => CAPABILITIES[number] ?? String(number)),
  ...(message.observed && { observed: toState(message.observed) }),
  desired: toState(message.desired),
  input: toObject(message.input ?? []),
  context: message.context === null ? undefined : toObject(message.context),
  extra: mapOf(message.extra ?? [], (items) => items.map(toObject)),
  required: mapOf(message.required ?? [], (items) => items.map(toObject)),
  schemas: mapOf(message.schemas ?? [], (schema) => (schema === null ? undefined : toObject(schema))),
});

const toState = ({ composite, resources }: OracleState): PlainState => ({
  composite: toResource(composite),
  resources: mapOf(resources, toResource),
});

const toResource = ({ object, ready, details }: OracleResource): PlainResource => ({
  object: toObject(object),
  ready: (READY[ready] ?? String(ready)) as Ready,
  details: new Map(details),
});

/** `fromEntries` defines, so a key `__proto__` becomes an own property. */
const toObject = (fields: OracleObject): JsonObject =>
  Object.fromEntries(fields.map(([key, value]) => [key, toValue(value)]));

function toValue(value: OracleValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if ("list" in value) return value.list.map(toValue);
  if ("object" in value) return toObject(value.object);
  return value.number === "NaN" ? Number.NaN : Buffer.from(value.number, "hex").readDoubleLE();
}

const mapOf = <From, To>(pairs: Pairs<From>, to: (value: From) => To): ReadonlyMap<string, To> =>
  new Map(pairs.map(([key, value]) => [key, to(value)]));
