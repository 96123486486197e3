import fc from "fast-check";
import { expect, test } from "vitest";
import { FunctionError } from "../../src/errors.ts";
import { emptyDraft } from "../../src/model/draft.ts";
import type { State } from "../../src/model/request.ts";
import { runFunction } from "../../src/run-function.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { REQUIRED } from "../../testing/builders/sharing.ts";
import { brokenRequest } from "./broken-bytes.ts";

/** Two surroundings that both go on as messages do: a string field, and a varint that does not end. */
const CANARIES = [0x0a, 0xff];

function surrounded(message: Buffer, canary: number): Buffer {
  const margin = Buffer.alloc(64, canary);
  return Buffer.concat([margin, message, margin]).subarray(margin.length, margin.length + message.length);
}

/** Each part by itself: a fault in one does not hide the rest. */
const readers: readonly ((message: Buffer) => string)[] = [
  (message) => Buffer.from(runFunction(message).response).toString("latin1"),
  (message) => writeResponse(readRequest(message), emptyDraft).toString("latin1"),
  (message) => `${readRequest(message).tag} ${[...readRequest(message).capabilities]}`,
  (message) => readState(readRequest(message).observed),
  (message) => readState(readRequest(message).desired),
  (message) => everyPath(readRequest(message).input),
  (message) => everyPath(readRequest(message).context),
  (message) =>
    JSON.stringify(
      [REQUIRED.database, "a", "", "__proto__"].map((name) => {
        const answer = readRequest(message).required(name);
        return answer.is === "pending" ? answer : answer.items.map((item) => item.toObject());
      }),
    ),
];

const readState = ({ composite, resources }: State): string =>
  [["", composite] as const, ...resources]
    .map(([name, { document, ready }]) => `${name} ${ready} ${everyPath(document)}`)
    .join("\n");

/** Looks values up in the bytes, and in the decoded whole: both find the same. */
function everyPath(document: State["composite"]["document"]): string {
  const find = () => [["metadata", "name"], ["spec"], ["a", 0, "b"], ["a", "b", "c"]].map((path) => document.at(path));
  const [found, whole, again] = [find(), document.toObject(), find()];
  expect(found).toEqual(again);
  return JSON.stringify([found, whole]);
}

/** Reads all parts. A fault is a message of `InvalidMessage`, never another error. */
const readAll = (message: Buffer): readonly string[] =>
  readers.map((read) => {
    try {
      return read(message);
    } catch (error) {
      if (error instanceof FunctionError && error.code === "InvalidMessage") return error.message;
      throw error;
    }
  });

test("a broken request is answered or refused, never written to, and never read beyond its end", () => {
  let refused = 0;
  const runs = 3000;
  const property = fc.property(brokenRequest, (message) => {
    const [first, second] = CANARIES.map((canary) => {
      const copy = surrounded(message, canary);
      const seen = readAll(copy);
      expect(copy.equals(message)).toBe(true);
      return seen;
    });
    expect(first).toEqual(second);
    if (first?.[0]?.startsWith("cannot read")) refused++;
  });
  fc.assert(property, { seed: 20, numRuns: runs });
  // Were they all refused, or none, only a part of the reader would be seen.
  expect(Math.min(refused, runs - refused)).toBeGreaterThan(runs / 10);
});
