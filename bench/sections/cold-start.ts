import { setTimeout } from "node:timers/promises";
import { stepOf } from "../capabilities.ts";
import { smallRequest } from "../requests.ts";
import { outputOf } from "../rig/child.ts";
import { type Program, serverProgram } from "../rig/implementations.ts";
import { type Section, withSpread } from "../rig/report.ts";
import { call, freeAddress, startServer } from "../rig/server.ts";
import { type Measured, summarise } from "../rig/statistics.ts";

/** From starting the process to its first answer; beside it, a Node process that does nothing. */

const RUNS = 9;
/** More than the client needs until it looks for the server, once a millisecond. */
const CLIENT_STARTS_MS = 300;

interface Starter {
  readonly who: string;
  readonly program: (address: string) => Program;
  readonly request: Buffer;
}

const starters: readonly Starter[] = [
  {
    who: "ours",
    program: (address) => ({
      command: process.execPath,
      args: ["dist/main.js", "--insecure", `--address=${address}`, "--metrics-address="],
    }),
    request: stepOf({ spec: {}, resources: 1 }),
  },
  { who: "Go, function-sdk-go", program: (a) => serverProgram("go", "echo", a), request: smallRequest() },
];

export async function coldStart(): Promise<Section> {
  const milliseconds = new Map<string, number[]>();
  const add = (who: string, value: number): void => {
    milliseconds.set(who, [...(milliseconds.get(who) ?? []), value]);
  };
  for (let run = 0; run < RUNS; run++) {
    for (const { who, program, request } of starters) add(who, await firstAnswer(program, request));
    add("limit: node -e 0", await timed(() => outputOf(process.execPath, ["-e", "0"])));
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
    targets: [{ what: "ours / an empty Node process", is: median("ours") / median("limit: node -e 0"), atMost: 1.3 }],
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
