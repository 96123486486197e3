import { createAuthority, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { requestOf, smallRequest } from "../requests.ts";
import { temporaryFolder } from "../rig/folder.ts";
import { type Implementation, serverProgram, titles } from "../rig/implementations.ts";
import { digits, type Section, type Table, type Target, withSpread } from "../rig/report.ts";
import { sample } from "../rig/sample.ts";
import { type Calls, call, freeAddress, type Load, type Served, startServer, warmUp } from "../rig/server.ts";
import { summarise } from "../rig/statistics.ts";

/**
 * "Touch few" over loopback and one connection, from the same grpc-go client for all. All servers run at once and are called in
 * turns of a fraction of a second, so that other work of the machine slows all of them.
 */

type Who = Exclude<Implementation, "go lean"> | "floor" | "constant";
const whos: readonly Who[] = ["ours", "proto-loader", "sdk", "go", "floor", "constant"];
const serverTitles: Readonly<Record<Who, string>> = {
  ...titles,
  floor: "limit: grpc-js with our windows, constant answer",
  constant: "grpc-js as it comes, constant answer",
};

const requests = {
  "2.5 KB": smallRequest(),
  "140 KB": requestOf(21),
  "660 KB": requestOf(100),
  "3 MB": requestOf(500),
} as const;
type Size = keyof typeof requests;
const sizes = Object.keys(requests) as Size[];

const ROUNDS = 9;

/** The plan of a section. Each takes some minutes, so each is a section of its own. */
interface Plan {
  readonly title: string;
  readonly concurrencies: readonly number[];
  /** True if it runs once more with a proxy that adds latency. */
  readonly delay: boolean;
  readonly whos: readonly Who[];
  readonly isTls: boolean;
  readonly targetsOf: (figures: readonly Figure[]) => readonly Target[];
}

export async function serverLatency(): Promise<Section> {
  const ownMs = await timeOf("660 KB");
  return server({
    title: "one call at a time",
    concurrencies: [1],
    delay: true,
    whos,
    isTls: false,
    targetsOf: (figures) => [floorTargetOf(figures, ownMs), ...latencyTargetsOf(figures)],
  });
}

export const serverLoad = (): Promise<Section> =>
  server({
    title: "many calls at a time",
    concurrencies: [8, 10, 64],
    delay: false,
    whos,
    isTls: false,
    targetsOf: loadTargetsOf,
  });

/** Calls as Crossplane does, with certificates of both sides. TLS costs all of them the same for each byte, so it has no targets. */
export const serverTls = (): Promise<Section> =>
  server({
    title: "one call at a time, with mutual TLS",
    concurrencies: [1],
    delay: false,
    whos: ["ours", "sdk", "go"],
    isTls: true,
    targetsOf: () => [],
  });

interface Figure {
  readonly who: Who;
  readonly size: Size;
  readonly concurrency: number;
  readonly delay: boolean;
  readonly loads: readonly Load[];
}

async function server(plan: Plan): Promise<Section> {
  const certs = plan.isTls ? await makeCertificates() : undefined;
  const servers = await Promise.all(plan.whos.map((who) => serve(who, certs)));
  const figures: Figure[] = [];
  for (const point of pointsOf(plan)) figures.push(...(await inTurns(servers, point, certs)));
  for (const { served } of servers) await served.stop();
  return {
    title: `Over loopback, ${plan.title}: a server, one connection, grpc-go's client`,
    tables: [
      ...plan.concurrencies.map((c) => latencyTable(figures, plan, c)),
      ...(plan.delay ? [delayTable(figures, plan)] : []),
    ],
    targets: plan.targetsOf(figures),
    figures,
  };
}

interface Server {
  readonly who: Who;
  readonly address: string;
  readonly served: Served;
}

/** Makes a folder with a certificate of one authority, for the server and the client. */
async function makeCertificates(): Promise<{ readonly certs: string }> {
  const certs = temporaryFolder();
  const authority = await createAuthority("bench");
  writeCertificates(certs, authority, await issue(authority, "localhost"));
  return { certs };
}

type Certificates = Awaited<ReturnType<typeof makeCertificates>> | undefined;

async function serve(who: Who, certificates: Certificates): Promise<Server> {
  const address = await freeAddress();
  const { command, args } = serverProgram(who, "touch few", address, certificates?.certs);
  return { who, address, served: startServer(command, args, address) };
}

type Point = Pick<Figure, "size" | "concurrency" | "delay">;

/** The points to measure; concurrency 10 belongs to one target. */
const pointsOf = ({ concurrencies, delay }: Plan): readonly Point[] =>
  sizes.flatMap((size) => [
    ...(delay ? [{ size, concurrency: 1, delay }] : []),
    ...concurrencies
      .filter((concurrency) => concurrency !== 10 || size === "660 KB")
      .map((concurrency) => ({ size, concurrency, delay: false })),
  ]);

async function inTurns(
  servers: readonly Server[],
  point: Point,
  certificates: Certificates,
): Promise<readonly Figure[]> {
  const request = requests[point.size];
  const calls = callsOf(point, certificates);
  const figures = servers.map(({ who, address }) => ({ ...point, who, address, loads: [] as Load[] }));
  if (!isLong(point)) for (const { address } of servers) await warmUp(address, request, calls);
  for (let round = 0; round < (isLong(point) ? 1 : ROUNDS); round++) {
    for (const { address, loads } of figures) loads.push(await call(address, request, calls));
  }
  return figures;
}

const isLong = ({ size, concurrency }: Point): boolean => size === "3 MB" && concurrency === 64;

const callsOf = (point: Point, certificates: Certificates): Calls => ({
  concurrency: point.concurrency,
  ...certificates,
  ...(point.delay && { delay: "3ms" }),
  ...(isLong(point) ? once : turn),
});

const turn = { warm: "50ms", duration: "250ms" };
/** Each call is made once: 64 calls of 3 MB take the slowest implementation a quarter of a minute. */
const once = { warm: "0s", duration: "0s" };

const find = (figures: readonly Figure[], wanted: Omit<Figure, "loads">): readonly Load[] =>
  figures.find((figure) => Object.entries(wanted).every(([key, value]) => figure[key as keyof Figure] === value))
    ?.loads ?? [];

const cellOf = (loads: readonly Load[]): string =>
  loads.length === 0
    ? ""
    : `${withSpread(summarise(loads.map(({ p50 }) => p50)))}, p99 ${digits(summarise(loads.map(({ p99 }) => p99)).median)}, ` +
      `${digits(summarise(loads.map(({ perSecond }) => perSecond)).median)}/s`;

const tableOf = (
  caption: string,
  figures: readonly Figure[],
  plan: Plan,
  concurrency: number,
  delay: boolean,
): Table => ({
  caption,
  head: ["request", ...plan.whos.map((who) => serverTitles[who])],
  rows: sizes.map((size) => [
    size,
    ...plan.whos.map((who) => cellOf(find(figures, { who, size, concurrency, delay }))),
  ]),
});

const latencyTable = (figures: readonly Figure[], plan: Plan, concurrency: number): Table =>
  tableOf(
    `Concurrency ${concurrency}: p50 in ms (p10–p90 of the turns), p99, calls/s`,
    figures,
    plan,
    concurrency,
    false,
  );

const delayTable = (figures: readonly Figure[], plan: Plan): Table =>
  tableOf("Through a proxy that adds 3 ms of round-trip time, concurrency 1", figures, plan, 1, true);

const latencyTargets: readonly { readonly size: Size; readonly sdk?: number; readonly go: number }[] = [
  { size: "2.5 KB", go: 1 },
  { size: "140 KB", sdk: 7, go: 9 },
  { size: "660 KB", sdk: 18, go: 20 },
  { size: "3 MB", sdk: 25, go: 20 },
];

/** The time that the job takes by itself, in ms: bytes to bytes, in this process. */
async function timeOf(size: Size): Promise<number> {
  const { runOf } = await import("../implementations/ours.ts");
  const run = runOf("touch few");
  return summarise(sample(() => run(requests[size]), 1000).wall).median / 1000;
}

/** The server's own overhead on top of gRPC and the function: metrics, limits, the log. */
function floorTargetOf(figures: readonly Figure[], ownMs: number): Target {
  const size = "660 KB";
  const [ours = 0, floor = 1] = (["ours", "floor"] as const).map((who) => median(figures, who, size, 1, "p50"));
  const what = `p50, concurrency 1, ${size}: ours / (grpc-js with our windows, constant answer + the job's own ${digits(ownMs)} ms)`;
  return { what, is: ours / (floor + ownMs), atMost: 1.1 };
}

function latencyTargetsOf(figures: readonly Figure[]): readonly Target[] {
  const ratio = (who: Implementation & Who, size: Size, atLeast: number): Target => ({
    what: `p50, concurrency 1, ${size}: ${titles[who]} / ours`,
    is: median(figures, who, size, 1, "p50") / median(figures, "ours", size, 1, "p50"),
    atLeast,
  });
  return latencyTargets.flatMap(({ size, sdk, go }) => [
    ...(sdk === undefined ? [] : [ratio("sdk", size, sdk)]),
    ratio("go", size, go),
  ]);
}

const loadTargets = [
  { concurrency: 10, atLeast: 13 },
  { concurrency: 64, atLeast: 10 },
] as const;

const loadTargetsOf = (figures: readonly Figure[]): readonly Target[] =>
  loadTargets.map(({ concurrency, atLeast }) => {
    const [ours, go] = (["ours", "go"] as const).map((who) => median(figures, who, "660 KB", concurrency, "perSecond"));
    const what = `calls/s, concurrency ${concurrency}, 660 KB: ours / ${titles.go}`;
    return { what, is: (ours ?? 0) / (go ?? 1), atLeast };
  });

const median = (
  figures: readonly Figure[],
  who: Who,
  size: Size,
  concurrency: number,
  of: "p50" | "perSecond",
): number => summarise(find(figures, { who, size, concurrency, delay: false }).map((load) => load[of])).median;
