import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Generation } from "./crossplane.ts";
import { fileOf } from "./examples.ts";
import { type Meaning, type Rendering, toMeaning } from "./rendering.ts";

/** The generation whose output the embedded runner reproduces, and that the others are compared with. */
export const reference: Generation = "v2.2";

const kinds = ["yaml", "txt"] as const;

/**
 * The rendering of an example that is expected of a generation: `expected.yaml`, or `expected.txt` where it is an error. A generation
 * that makes something else of it has a file of its own beside that, such as `expected.v1.20.yaml`.
 */
export function expectedOf(example: string, generation: Generation): Rendering | undefined {
  return readExpected(example, generation) ?? readExpected(example, reference);
}

/** What the expected rendering means: layout and the order of keys are each CLI's own. */
export function expectedMeaning(example: string, generation: Generation): Meaning | undefined {
  const expected = expectedOf(example, generation);
  return expected && toMeaning(expected);
}

function readExpected(example: string, generation: Generation): Rendering | undefined {
  const is = kinds.find((kind) => existsSync(expectedFile(example, generation, kind)));
  return is && { is, text: readFileSync(expectedFile(example, generation, is), "utf8") };
}

/** Writes what a generation made of an example; nothing where it is what the reference made of it. */
export function writeExpected(example: string, generation: Generation, actual: Rendering): void {
  for (const kind of kinds) rmSync(expectedFile(example, generation, kind), { force: true });
  const expected = readExpected(example, reference);
  if (expected && isDeepStrictEqual(toMeaning(expected), toMeaning(actual))) return;
  writeFileSync(expectedFile(example, generation, actual.is), actual.text);
}

const expectedFile = (example: string, generation: Generation, is: Rendering["is"]): string =>
  fileOf(example, generation === reference ? `expected.${is}` : `expected.${generation}.${is}`);
