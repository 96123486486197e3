import fc from "fast-check";
import { expect, test } from "vitest";
import { FunctionError } from "../../src/errors.ts";
import { emptyDraft } from "../../src/model/draft.ts";
import type { Request, State } from "../../src/model/request.ts";
import { runFunction } from "../../src/run-function.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { REQUIRED } from "../../testing/builders/sharing.ts";
import { brokenRequest } from "./broken-bytes.ts";

type Document = Request["input"];

const readDocument = (document: Document): unknown => [
  ...[["metadata", "name"], ["spec"], ["a", 0, "b"], ["a", "b", "c"]].map((path) => document.at(path)),
  document.toObject(),
];

const readState = ({ composite, resources }: State): unknown =>
  [composite, ...resources.values()].map(({ document, ready }) => [ready, readDocument(document)]);

const readAnswer = (request: Request, name: string): unknown => {
  const answer = request.required(name);
  return answer.is === "pending" ? answer : answer.items.map((item) => item.toObject());
};

/** Each part by itself: a fault in one does not hide the rest. */
const readers: readonly ((message: Buffer) => unknown)[] = [
  runFunction,
  (message) => writeResponse(readRequest(message), emptyDraft),
  (message) => readState(readRequest(message).observed),
  (message) => readState(readRequest(message).desired),
  (message) => readDocument(readRequest(message).input),
  (message) => readDocument(readRequest(message).context),
  ...[REQUIRED.database, "a", "", "__proto__"].map(
    (name) => (message: Buffer) => readAnswer(readRequest(message), name),
  ),
];

/** Tells whether a part is refused as `InvalidMessage`; another error is a bug. */
function isRefused(read: (message: Buffer) => unknown, message: Buffer): boolean {
  try {
    read(message);
    return false;
  } catch (error) {
    if (error instanceof FunctionError && error.code === "InvalidMessage") return true;
    throw error;
  }
}

test("a broken request is answered or refused, and never written to", () => {
  let refused = 0;
  const runs = 3000;
  const property = fc.property(brokenRequest, (message) => {
    const before = Buffer.from(message);
    const [isRunRefused] = readers.map((read) => isRefused(read, message));
    expect(message.equals(before)).toBe(true);
    if (isRunRefused) refused++;
  });
  fc.assert(property, { seed: 20, numRuns: runs });
  // Were they all refused, or none, only a part of the reader would be seen.
  expect(Math.min(refused, runs - refused)).toBeGreaterThan(runs / 10);
});
