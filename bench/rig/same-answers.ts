import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { decodeResponse } from "../../testing/wire/oracle.ts";

interface Case {
  readonly who: string;
  readonly job: string;
  readonly count: number;
}

/**
 * Asserts that all implementations give the same response: another response would be another job.
 *
 * @param write makes the implementation of the case write its response into a file
 * @throws {Error} naming the first case whose answer is not the first implementation's
 */
export async function assertSameAnswers<C extends Case>(
  cases: readonly C[],
  write: (one: C, file: string) => Promise<unknown>,
  folder: string,
): Promise<void> {
  const first = new Map<string, unknown>();
  for (const one of cases.filter(({ who }) => who !== "limits")) {
    const file = join(folder, "response");
    await write(one, file);
    const answer = decodeResponse(readFileSync(file));
    const key = `${one.job}, ${one.count} resources`;
    if (!first.has(key)) first.set(key, answer);
    if (!isDeepStrictEqual(answer, first.get(key)))
      throw new Error(`cannot compare: ${one.who} answers ${key} differently`);
  }
}
