import { expect } from "vitest";
import { FunctionError } from "../../src/errors.ts";
import { WireDocument } from "../../src/wire/document.ts";

/** A document of exactly these bytes. */
export const wireDocument = (bytes: Buffer): WireDocument => new WireDocument({ bytes, start: 0, end: bytes.length });

export const read = (bytes: Buffer) => wireDocument(bytes).toObject();

/** What `run` returns or throws. Only FunctionErrors are meant to be thrown: a stack overflow is told apart. */
export function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error instanceof FunctionError ? error : String(error);
  }
}

/** The error for a message that is none. */
export const invalid = (what: string): unknown =>
  expect.objectContaining({ code: "InvalidMessage", message: expect.stringContaining(what) });
