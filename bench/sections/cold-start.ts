import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { bundle } from "../../scripts/package/bundle.ts";
import { inRepository } from "../../scripts/package/layout.ts";
import { stepOf } from "../features.ts";
import { smallRequest } from "../requests.ts";
import { outputOf } from "../rig/child.ts";
import { functionProgram, type Program, serverProgram } from "../rig/implementations.ts";
import { type Section, withSpread } from "../rig/report.ts";
import { call, freeAddress, startServer } from "../rig/server.ts";
import { summarise } from "../rig/statistics.ts";

/**
 * The time from the start of a process until it serves, and until its first answer. Beside it stands a Node process that does
 * nothing, or only loads the HTTP/2 library.
 */

const RUNS = 9;
/** More than the client takes to start. Then it looks for the server once a millisecond. */
const CLIENT_STARTS_MS = 300;

const OURS = "ours, bundled as in the image";
const EMPTY = "limit: node -e 0";
const HTTP2 = "limit: Node with its HTTP/2 and TLS";
/** The most that an image may take. */
const MOST_MS = 300;

interface Starter {
  readonly who: string;
  readonly program: (address: string) => Program;
  readonly request: Buffer;
}

const ourRequest = stepOf({ spec: {}, resources: 1 });
/** Builds the bundle of `npm run bundle` in another folder. */
const folder = inRepository("build/bench");

const starters: readonly Starter[] = [
  {
    who: OURS,
    program: (a) => functionProgram(a, [], [`${folder}/dist/main.cjs`]),
    request: ourRequest,
  },
  {
    who: "ours, not bundled (npm start)",
    program: (a) => functionProgram(a, [], ["dist/src/main.js"]),
    request: ourRequest,
  },
  { who: "Go, function-sdk-go", program: (a) => serverProgram("go", "echo", a), request: smallRequest() },
];

export async function coldStart(): Promise<Section> {
  await bundle(folder);
  const starts = new Map<string, Start[]>();
  const add = (who: string, start: Start): unknown => starts.set(who, [...(starts.get(who) ?? []), start]);
  for (let run = 0; run < RUNS; run++) {
    for (const { who, program, request } of starters) add(who, await startOf(program, request));
    add(EMPTY, { serving: await timed(() => outputOf(process.execPath, ["-e", "0"])) });
    const load = 'require("node:http2"), require("node:tls")';
    add(HTTP2, { serving: await timed(() => outputOf(process.execPath, ["-e", load])) });
  }
  const figures = new Map([...starts].map(([who, taken]) => [who, summariseStarts(taken)]));
  const serving = (who: string): number => figures.get(who)?.serving.median ?? Number.NaN;
  return {
    title: "Cold start",
    tables: [
      {
        caption: "ms from the start: median (p10–p90)",
        head: ["", "until it serves, or ends", "to its first answer"],
        rows: [...figures].map(([who, { serving: until, answered }]) => [
          who,
          withSpread(until),
          answered === undefined ? "" : withSpread(answered),
        ]),
      },
    ],
    targets: [
      { what: "bundled / an empty Node process", is: serving(OURS) / serving(EMPTY), atMost: 1.3 },
      { what: "bundled, ms until it serves", is: serving(OURS), atMost: MOST_MS },
    ],
    figures: Object.fromEntries(figures),
  };
}

/** In milliseconds. */
interface Start {
  readonly serving: number;
  readonly answered?: number;
}

const summariseStarts = (starts: readonly Start[]) => {
  const answers = starts.map(({ answered }) => answered).filter((one) => one !== undefined);
  return {
    serving: summarise(starts.map(({ serving }) => serving)),
    answered: answers.length === 0 ? undefined : summarise(answers),
  };
};

async function startOf(program: Starter["program"], request: Buffer): Promise<Start> {
  const address = await freeAddress();
  const { command, args } = program(address);
  const answered = call(address, request, { warm: "0s", calls: 1 }); // waits until the server listens
  await setTimeout(CLIENT_STARTS_MS);
  const start = performance.now();
  const since = (): number => performance.now() - start;
  const served = startServer(command, args, address);
  const [serving, first] = await Promise.all([listening(address).then(since), answered.then(since)]);
  await served.stop();
  return { serving, answered: first };
}

/** Waits until the server accepts connections; from then on its health is SERVING. */
async function listening(address: string): Promise<void> {
  const [host, port] = address.split(":");
  for (;;) {
    const socket = connect(Number(port), host);
    const isThere = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isThere) return;
    await setTimeout(1);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
