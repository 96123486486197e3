import { setTimeout } from "node:timers/promises";
import { bundle } from "../../scripts/package/bundle.ts";
import { inRepository } from "../../scripts/package/layout.ts";
import { stepOf } from "../capabilities.ts";
import { smallRequest } from "../requests.ts";
import { outputOf } from "../rig/child.ts";
import { type Program, serverProgram } from "../rig/implementations.ts";
import { type Section, withSpread } from "../rig/report.ts";
import { call, freeAddress, startServer } from "../rig/server.ts";
import { type Measured, summarise } from "../rig/statistics.ts";

/** From starting the process to its first answer; beside it, a Node process that does nothing, or only loads what speaks HTTP/2. */

const RUNS = 9;
/** More than the client needs until it looks for the server, once a millisecond. */
const CLIENT_STARTS_MS = 300;

const OURS = "ours, bundled as in the image";
const EMPTY = "limit: node -e 0";
const HTTP2 = "limit: Node with its HTTP/2 and TLS";
/** What an image may take until it serves. */
const MOST_MS = 300;

interface Starter {
  readonly who: string;
  readonly program: (address: string) => Program;
  readonly request: Buffer;
}

const ourRequest = stepOf({ spec: {}, resources: 1 });
const oursAt = (address: string, ...start: readonly string[]): Program => ({
  command: process.execPath,
  args: [...start, "--insecure", `--address=${address}`, "--metrics-address="],
});

/** What `npm run bundle` makes, apart from where it makes it. */
const folder = inRepository("build/bench");

const starters: readonly Starter[] = [
  {
    who: OURS,
    program: (a) => oursAt(a, "--min-semi-space-size=16", `${folder}/dist/main.cjs`), // as in package/layout.ts
    request: ourRequest,
  },
  { who: "ours, not bundled (npm start)", program: (a) => oursAt(a, "dist/main.js"), request: ourRequest },
  { who: "Go, function-sdk-go", program: (a) => serverProgram("go", "echo", a), request: smallRequest() },
];

export async function coldStart(): Promise<Section> {
  await bundle(folder);
  const milliseconds = new Map<string, number[]>();
  const add = (who: string, value: number): void => {
    milliseconds.set(who, [...(milliseconds.get(who) ?? []), value]);
  };
  for (let run = 0; run < RUNS; run++) {
    for (const { who, program, request } of starters) add(who, await firstAnswer(program, request));
    add(EMPTY, await timed(() => outputOf(process.execPath, ["-e", "0"])));
    const load = 'require("node:http2"), require("node:tls")';
    add(HTTP2, await timed(() => outputOf(process.execPath, ["-e", load])));
  }
  const figures = new Map([...milliseconds].map(([who, samples]) => [who, summarise(samples)]));
  const median = (who: string): number => figures.get(who)?.median ?? Number.NaN;
  return {
    title: "Cold start",
    tables: [
      {
        caption: "ms from start to the first answer: median (p10–p90)",
        head: ["", "ms"],
        rows: [...figures].map(([who, measured]: [string, Measured]) => [who, withSpread(measured)]),
      },
    ],
    targets: [
      { what: "bundled / an empty Node process", is: median(OURS) / median(EMPTY), atMost: 1.3 },
      { what: "bundled, ms to the first answer", is: median(OURS), atMost: MOST_MS },
    ],
    figures: Object.fromEntries(figures),
  };
}

async function firstAnswer(program: Starter["program"], request: Buffer): Promise<number> {
  const address = await freeAddress();
  const { command, args } = program(address);
  const answered = call(address, request, { warm: "0s", calls: 1 }); // waits for somebody to listen
  await setTimeout(CLIENT_STARTS_MS);
  const start = performance.now();
  const served = startServer(command, args, address);
  await answered;
  const taken = performance.now() - start;
  await served.stop();
  return taken;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
