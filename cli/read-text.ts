import { readFileSync } from "node:fs";
import { FunctionError } from "../src/errors.ts";

/** @throws {FunctionError} `InvalidInput` */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw cannotRead(file, cause);
  }
}

export const cannotRead = (path: string, cause: unknown): FunctionError =>
  new FunctionError("InvalidInput", `cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
