import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LightCalls } from "../children/light-calls.ts";
import { sized } from "../cost/row.ts";
import { rows } from "../cost/rows.ts";
import { stepOf } from "../features.ts";
import { built } from "../rig/built.ts";
import { start, startWorker, typescript, type Worker } from "../rig/child.ts";
import { temporaryFolder } from "../rig/folder.ts";
import { functionProgram } from "../rig/implementations.ts";
import { digits, type Section, type Target } from "../rig/report.ts";
import { freeAddress, type Served, startServer } from "../rig/server.ts";
import { measureStolen } from "../rig/stolen.ts";

/**
 * The calls of one client while another one attacks the server, each in a process of its own: how long they take, and whether any is
 * lost. Afterwards the server's memory is to be what it was a round of the same attacks before; the first one fills the heap.
 */

/** The attacks of bench/children/attack.ts. */
const attacks = {
  nothing: "nothing, for comparison",
  announced: "100 connections, 100 calls each that announce 64 MB in five bytes",
  "beyond the limit of streams": "10,000 calls on one connection that announce 64 MB in five bytes",
  "rapid reset": "10,000 calls that are reset at once",
  "half-sent": "20 connections, 16 calls each that stop after 500 KB of 4 MB",
  unread: "5 connections, 100 calls each of 400 KB whose answers are never read",
  pings: "10,000 pings",
  settings: "5,000 frames of settings",
  "empty data": "20,000 empty frames of a message",
  "unknown frames": "4 MB in unknown frames",
  "no HTTP/2": "50 connections that do not speak HTTP/2",
  connections: "200 connections, closed at once",
  calls: "10 connections, 100 small calls each",
} as const;

const SECONDS = 4;
const ROUNDS = 3;
const MIB = 1024 * 1024;

/** The number of rows of the section "cost" that are sent, the slowest ones, and the size of each request. */
const HOSTILE = { rows: 6, bytes: MIB } as const;

const AT_MOST = { p99: 250, p99BesideCalls: 100, growth: 1.2 } as const;

/** Where other virtual machines take more of the processors, in percent, a p99 says nothing of the server and has no bound. */
const MAX_STOLEN = 5;

interface Figure extends LightCalls {
  readonly attack: string;
  readonly round: number;
  readonly isHostileCall: boolean;
  /** What other virtual machines took of the processors, in percent. */
  readonly stolen: number;
}

interface Attack {
  readonly name: string;
  readonly isHostileCall: boolean;
  readonly args: (address: string) => readonly string[];
}

export async function attacked(): Promise<Section> {
  const folder = temporaryFolder();
  const light = join(folder, "light");
  writeFileSync(light, stepOf({ spec: {}, resources: 1 }));
  const all = [...flooding(), ...(await hostileCalls(folder))];

  const address = await freeAddress();
  const { command, args } = functionProgram(address);
  const served = startServer(command, args, address);
  await sleep(1000);
  const worker = startWorker(process.execPath, [...typescript("children/light-calls.ts"), address, light]);
  const figures: Figure[] = [];
  const resident: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    for (const attack of all) figures.push({ ...(await measure(attack, address, worker)), round });
    resident.push(await settledMegabytes(served, worker));
  }
  worker.stop();
  await served.stop();
  return toSection(figures, resident);
}

const flooding = (): readonly Attack[] =>
  Object.entries(attacks).map(([name, description]) => ({
    name: description,
    isHostileCall: false,
    args: (address) => [...typescript("children/attack.ts"), name, address],
  }));

/** The requests of 1 MB, or the largest below that, that take the function longest. */
async function hostileCalls(folder: string): Promise<readonly Attack[]> {
  const { runFunction } = await built<typeof import("../../src/run-function.ts")>("run-function");
  const timed = rows.map((row) => {
    const { largest, request: make } = sized(row);
    const request = make(Math.min(HOSTILE.bytes, largest));
    runFunction(request);
    const before = performance.now();
    runFunction(request);
    return { name: row.name, request, milliseconds: performance.now() - before };
  });
  const slowest = timed.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, HOSTILE.rows);
  return slowest.map(({ name, request }, index) => {
    const file = join(folder, String(index));
    writeFileSync(file, request);
    return {
      name: `calls of 1 MB, one at a time: ${name}`,
      isHostileCall: true,
      args: (address) => [...typescript("children/hostile-calls.ts"), address, file],
    };
  });
}

/** The first calls of a count, which wait for the attack to begin, count as well. */
async function measure(
  { name, isHostileCall, args }: Attack,
  address: string,
  light: Worker,
): Promise<Omit<Figure, "round">> {
  await light.ask<LightCalls>({});
  const stolenSince = measureStolen();
  const attacker = start(process.execPath, args(address), "ignore");
  await sleep(SECONDS * 1000);
  const calls = await light.ask<LightCalls>({});
  const stolen = stolenSince();
  attacker.kill("SIGKILL");
  return { ...calls, attack: name, isHostileCall, stolen };
}

/** Resident memory once connections have ended and garbage has been collected: light calls go on meanwhile. */
async function settledMegabytes(served: Served, light: Worker): Promise<number> {
  for (let second = 0; second < 10; second++) {
    await sleep(1000);
    await light.ask<LightCalls>({});
  }
  return served.residentBytes() / MIB;
}

function toSection(figures: readonly Figure[], resident: readonly number[]): Section {
  const last = figures.filter(({ round }) => round === ROUNDS);
  return {
    title: "Light calls beside an attack",
    tables: [
      {
        caption: `A call every 10 ms for ${SECONDS} s beside each attack, ms`,
        head: ["attack", "calls", "p50", "p99", "longest", "lost", "stolen, %"],
        rows: last.map(({ attack, calls, p50, p99, max, lost, stolen }) => [
          attack,
          String(calls),
          digits(p50),
          digits(p99),
          digits(max),
          String(lost.length),
          digits(stolen),
        ]),
      },
      {
        caption: "Resident memory after all attacks, MB",
        head: resident.map((_, index) => `round ${index + 1}`),
        rows: [resident.map(digits)],
      },
    ],
    targets: toTargets(figures, resident),
    figures: { figures, resident },
  };
}

function toTargets(figures: readonly Figure[], resident: readonly number[]): readonly Target[] {
  const p99s = figures.map(({ attack, round, p99, isHostileCall, stolen }) => {
    const what = `p99 in ms, round ${round}: ${attack}`;
    const atMost = isHostileCall ? AT_MOST.p99BesideCalls : AT_MOST.p99;
    return stolen > MAX_STOLEN
      ? { what: `${what} (other machines took ${digits(stolen)} %)`, is: p99 }
      : { what, is: p99, atMost };
  });
  const lost = figures.reduce((sum, figure) => sum + figure.lost.length, 0);
  const growth = (resident.at(-1) ?? Number.NaN) / (resident.at(-2) ?? Number.NaN);
  return [
    ...p99s,
    { what: "lost calls", is: lost, atMost: 0 },
    { what: "resident memory, last round / the one before", is: growth, atMost: AT_MOST.growth },
  ];
}
