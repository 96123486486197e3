import type { Io } from "./program.ts";

type Streams = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "exit">;

/** The process' streams. Ends quietly where nobody reads the output any more, as when it goes into `head`. */
export function processIo({ stdin, stdout, stderr, exit }: Streams): Io {
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    exit();
  });
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    isWatched: stderr.isTTY === true,
    readStdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}
