import { FunctionError } from "../../src/errors.ts";
import { emptyDraft } from "../../src/model/draft.ts";
import type { State } from "../../src/model/request.ts";
import { runFunction } from "../../src/run-function.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { REQUIRED } from "../builders/sharing.ts";
import { type Mutate, mutations } from "./mutations.ts";

/**
 * Broken requests by the thousand. Whatever a message holds, it is answered or refused as no message (`InvalidMessage`):
 * never another error, never slowly, and never with the help of bytes that lie beside it.
 */

/** Numbers from 0 to `below` - 1: mulberry32, so that a seed is all it takes to see a failure again. */
export type Random = (below: number) => number;

function randomFrom(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface Fuzzing {
  readonly seed: number;
  readonly runs: number;
  /** Valid messages: where mutations start. */
  readonly corpus: readonly Buffer[];
  readonly onProgress?: (run: number) => void;
}

/** The number of runs by outcome: a fuzzer whose messages are all refused at the first byte finds nothing. */
export interface Tally {
  readonly answered: number;
  readonly fatal: number;
  readonly refused: number;
  readonly slowestMs: number;
}

/** The time limit of a run. One takes about a millisecond; only a loop that does not end takes this long. */
const MAX_MS = 3000;

/** @throws {Error} at the first message that is handled otherwise than it should, with all that it takes to repeat it. */
export function fuzz({ seed, runs, corpus, onProgress }: Fuzzing): Tally {
  const tally = { answered: 0, fatal: 0, refused: 0, slowestMs: 0 };
  for (let run = 0; run < runs; run++) {
    // Each run has a seed of its own, so that it can be repeated without those before it.
    const message = mutated(corpus, randomFrom(seed + run));
    const before = performance.now();
    tally[examine(message, seed + run)]++;
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - before);
    if (tally.slowestMs > MAX_MS) throw failure(`took ${Math.round(tally.slowestMs)} ms`, seed + run, message);
    onProgress?.(run);
  }
  return tally;
}

function mutated(corpus: readonly Buffer[], random: Random): Buffer {
  let message: Buffer = Buffer.from(corpus[random(corpus.length)] as Buffer);
  for (let times = random(4); times >= 0; times--) {
    const mutate = mutations[random(mutations.length)] as Mutate;
    message = mutate(message, random, corpus);
  }
  return message;
}

function examine(message: Buffer, seed: number): "answered" | "fatal" | "refused" {
  // Two surroundings that both go on as messages do: a string field, and a varint that does not end.
  const [first, second] = [0x0a, 0xff].map((canary) => handle(surrounded(message, canary), message, seed));
  if (first === undefined || first.seen !== second?.seen) throw failure("was read beyond its end", seed, message);
  return first.is;
}

function surrounded(message: Buffer, canary: number): Buffer {
  const margin = Buffer.alloc(64, canary);
  return Buffer.concat([margin, message, margin]).subarray(margin.length, margin.length + message.length);
}

interface Handled {
  readonly is: "answered" | "fatal" | "refused";
  /** All that was read and returned, as text. */
  readonly seen: string;
}

function handle(message: Buffer, original: Buffer, seed: number): Handled {
  const seen: string[] = [];
  let is: Handled["is"] = "refused";
  const steps = [
    () => {
      const { response, results } = runFunction(message);
      is = results.some(({ severity }) => severity === "Fatal") ? "fatal" : "answered";
      return Buffer.from(response).toString("latin1");
    },
    () => writeResponse(readRequest(message), emptyDraft).toString("latin1"),
    ...readers(message),
  ];
  for (const step of steps) {
    try {
      seen.push(step());
    } catch (error) {
      if (!(error instanceof FunctionError) || error.code !== "InvalidMessage")
        throw failure("failed", seed, original, error);
      seen.push(error.message);
    }
  }
  if (!message.equals(original)) throw failure("was written to", seed, original);
  return { is, seen: seen.join("\n") };
}

/** Each part on its own: a fault in one does not hide what the next would do. */
function readers(message: Buffer): (() => string)[] {
  const read = () => readRequest(message);
  return [
    () => `${read().tag} ${[...read().capabilities]}`,
    () => readState(read().observed),
    () => readState(read().desired),
    () => everyPath(read().input),
    () => everyPath(read().context),
    () => JSON.stringify([REQUIRED.database, "a", "", "__proto__"].map((name) => answer(read().required(name)))),
  ];
}

const answer = (answer: ReturnType<ReturnType<typeof readRequest>["required"]>) =>
  answer.is === "pending" ? answer : answer.items.map((item) => item.toObject());

const readState = ({ composite, resources }: State): string =>
  [["", composite] as const, ...resources]
    .map(([name, { document, ready }]) => `${name} ${ready} ${everyPath(document)}`)
    .join("\n");

/** Looks values up in the bytes, as the whole of them has it, and reads the whole. */
function everyPath(document: State["composite"]["document"]): string {
  const paths = [["metadata", "name"], ["spec"], ["a", 0, "b"], ["a", "b", "c"]];
  const found = paths.map((path) => JSON.stringify(document.at(path)));
  const whole = document.toObject();
  const again = paths.map((path) => JSON.stringify(document.at(path)));
  if (found.join() !== again.join()) throw new Error(`cannot be: looked up ${found}, read ${again}`);
  return `${found} ${JSON.stringify(whole)}`;
}

const failure = (what: string, seed: number, message: Buffer, cause?: unknown): Error =>
  new Error(`a message ${what}; SEED=${seed} RUNS=1, in base64: ${message.toString("base64")}`, { cause });
