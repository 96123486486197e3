import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Pairs, sorted by key: a map, or an object's fields. */
export type Pairs<T> = readonly (readonly [string, T])[];

/** A JSON value in which numbers are their eight bytes in hex, so that NaN and -0 are told apart from others. */
export type PlainValue =
  | null
  | boolean
  | string
  | { readonly number: string }
  | { readonly list: readonly PlainValue[] }
  | { readonly object: Pairs<PlainValue> };

export interface OracleResource {
  readonly object: Pairs<PlainValue>;
  readonly ready: number;
  /** In base64. */
  readonly details: Pairs<string>;
}

export interface OracleState {
  readonly composite: OracleResource;
  readonly resources: Pairs<OracleResource>;
}

export interface OracleRequest {
  readonly tag: string;
  readonly capabilities: readonly number[];
  readonly observed: OracleState;
  readonly desired: OracleState;
  readonly input: Pairs<PlainValue>;
  readonly context: Pairs<PlainValue> | null;
  readonly extra: Pairs<readonly Pairs<PlainValue>[]>;
  readonly required: Pairs<readonly Pairs<PlainValue>[]>;
  readonly schemas: Pairs<Pairs<PlainValue> | null>;
}

type OracleResponse = Pick<OracleRequest, "tag" | "desired" | "context">;

interface Messages {
  readonly request: OracleRequest;
  readonly response: OracleResponse;
}

type Kind = keyof Messages;

interface Refused {
  readonly refused: string;
}

/** protobuf-go, which is what Crossplane reads and writes the protocol with. */
export interface Oracle {
  /** Decodes the bytes, or says why it cannot. */
  read<K extends Kind>(kind: K, bytes: Uint8Array): Promise<Messages[K] | Refused>;
  stop(): void;
}

export const isRefused = (answer: Messages[Kind] | Refused): answer is Refused => "refused" in answer;

/** Starts it; it answers one message at a time. */
export function startOracle(program: string): Oracle {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async read(kind, bytes) {
      child.stdin.write(`${kind} ${Buffer.from(bytes).toString("base64")}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`cannot read a ${kind}: ${program} ended with ${String(child.exitCode)}`);
      return JSON.parse(value);
    },
    stop: () => void child.kill(),
  };
}
