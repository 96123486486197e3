import type { Io } from "../../src/programs/program.ts";

/** What a program said, and what it ended with. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program with streams of its own. */
export async function runWith(
  program: (args: readonly string[], io: Io) => Promise<number>,
  args: readonly string[],
  stdin = "",
): Promise<Ran> {
  const said = { out: "", err: "" };
  const code = await program(args, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    isWatched: false,
    readStdin: async () => stdin,
  });
  return { code, ...said };
}
