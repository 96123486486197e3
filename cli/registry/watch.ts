import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../host.ts";

const EVERY_MS = 5_000;

/** Runs a listing once, or with `--watch` until a signal, and then prints each output that differs from the one before. */
export async function repeat(
  { watch }: { readonly watch?: true },
  host: Host,
  work: (host: Host) => Promise<number>,
): Promise<number> {
  if (watch === undefined) return work(host);
  const stop = new AbortController();
  void host.nextSignal().then(() => stop.abort());
  let [before, exitCode] = ["", 0];
  while (!stop.signal.aborted) {
    const printed: string[] = [];
    exitCode = await work({ ...host, print: (text) => printed.push(text) });
    const output = printed.join("");
    if (output !== before) host.print(before === "" ? output : `\n${output}`);
    before = output;
    await sleep(EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
  }
  return exitCode;
}
