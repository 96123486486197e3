import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../model/json.ts";
import { faultsIn, invalidInput } from "./faults.ts";
import { type Input, inputSchema } from "./schema.ts";

/**
 * Validates a pipeline step's input.
 *
 * @throws {FunctionError} `InvalidInput`, with each fault and its path on a line of its own.
 */
export function parseInput(input: JsonObject): Input {
  const parsed = inputSchema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw invalidInput(faultsIn(parsed.error, inputSchema));
}

/** Limits of what is kept: the number of inputs, of which a cluster has one for each step with this function, and the size of one. */
const KEPT = 64;
const LARGEST_BYTES = 64 * 1024;

/** Inputs that were parsed before, by their size. They stand in Compositions, so they hold no secrets. */
const kept = new Map<number, { readonly input: JsonObject; readonly parsed: Input }>();

/**
 * Parses an input, unless it was parsed before: each call of a step brings the same one, although Crossplane writes its fields in
 * another order each time. Parsing takes a fifth of a small call.
 *
 * @param bytes the size in the request, which does not depend on that order.
 * @throws {FunctionError} as `parseInput` does.
 */
export function parseKnownInput(input: JsonObject, bytes: number): Input {
  const before = kept.get(bytes);
  if (before !== undefined && isDeepStrictEqual(before.input, input)) return before.parsed;
  const parsed = parseInput(input);
  if (bytes > LARGEST_BYTES) return parsed;
  if (kept.size === KEPT) kept.clear();
  kept.set(bytes, { input, parsed });
  return parsed;
}
