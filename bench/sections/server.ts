import { requestOf, smallRequest } from "../requests.ts";
import { type Implementation, serverProgram, titles } from "../rig/implementations.ts";
import { digits, type Section, type Table, type Target, withSpread } from "../rig/report.ts";
import { type Calls, call, freeAddress, type Load, type Served, startServer } from "../rig/server.ts";
import { summarise } from "../rig/statistics.ts";

/**
 * "Touch few" over loopback, plaintext, one connection, from a client over grpc-go that is the same for all. All servers run, and are
 * called in turns of a fraction of a second, so that all of them meet the machine's good and bad minutes.
 */

type Who = Exclude<Implementation, "go lean"> | "floor" | "constant";
const whos: readonly Who[] = ["ours", "proto-loader", "sdk", "go", "floor", "constant"];
const serverTitles: Readonly<Record<Who, string>> = {
  ...titles,
  floor: "limit: our server, constant answer",
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

/** Each a section, because each takes some minutes. */
interface Plan {
  readonly title: string;
  readonly concurrencies: readonly number[];
  /** Once more with a proxy in between? */
  readonly delay: boolean;
}

const latency: Plan = { title: "one call at a time", concurrencies: [1], delay: true };
const load: Plan = { title: "many calls at a time", concurrencies: [8, 10, 64], delay: false };

export const serverLatency = (): Promise<Section> => server(latency);
export const serverLoad = (): Promise<Section> => server(load);

interface Figure {
  readonly who: Who;
  readonly size: Size;
  readonly concurrency: number;
  readonly delay: boolean;
  readonly loads: readonly Load[];
}

async function server(plan: Plan): Promise<Section> {
  const servers = await Promise.all(whos.map(serve));
  for (const { address } of servers) await call(address, requests["140 KB"], { warm: "2s", duration: "0s" });
  const figures: Figure[] = [];
  for (const point of pointsOf(plan)) figures.push(...(await inTurns(servers, point)));
  for (const { served } of servers) await served.stop();
  return {
    title: `Over loopback, ${plan.title}: a server, one connection, grpc-go's client`,
    tables: [...plan.concurrencies.map((c) => latencyTable(figures, c)), ...(plan.delay ? [delayTable(figures)] : [])],
    targets: plan === latency ? latencyTargetsOf(figures) : loadTargetsOf(figures),
    figures,
  };
}

interface Server {
  readonly who: Who;
  readonly address: string;
  readonly served: Served;
}

async function serve(who: Who): Promise<Server> {
  const address = await freeAddress();
  const { command, args } = serverProgram(who, "touch few", address);
  return { who, address, served: startServer(command, args, address) };
}

type Point = Pick<Figure, "size" | "concurrency" | "delay">;

/** Concurrency 10 is there for one target. */
const pointsOf = ({ concurrencies, delay }: Plan): readonly Point[] =>
  sizes.flatMap((size) => [
    ...(delay ? [{ size, concurrency: 1, delay }] : []),
    ...concurrencies
      .filter((concurrency) => concurrency !== 10 || size === "660 KB")
      .map((concurrency) => ({ size, concurrency, delay: false })),
  ]);

async function inTurns(servers: readonly Server[], point: Point): Promise<readonly Figure[]> {
  const { size, concurrency, delay } = point;
  const isLong = size === "3 MB" && concurrency === 64;
  const calls: Calls = { concurrency, ...(delay ? { delay: "3ms" } : {}), ...(isLong ? once : turn) };
  const figures = servers.map(({ who, address }) => ({ ...point, who, address, loads: [] as Load[] }));
  for (let round = 0; round < (isLong ? 1 : ROUNDS); round++) {
    for (const { address, loads } of figures) loads.push(await call(address, requests[size], calls));
  }
  return figures;
}

const turn = { warm: "50ms", duration: "250ms" };
/** 64 calls of 3 MB, one each, take the slowest a quarter of a minute. */
const once = { warm: "0s", duration: "0s" };

const find = (figures: readonly Figure[], wanted: Omit<Figure, "loads">): readonly Load[] =>
  figures.find((figure) => Object.entries(wanted).every(([key, value]) => figure[key as keyof Figure] === value))
    ?.loads ?? [];

const cellOf = (loads: readonly Load[]): string =>
  loads.length === 0
    ? ""
    : `${withSpread(summarise(loads.map(({ p50 }) => p50)))}, p99 ${digits(summarise(loads.map(({ p99 }) => p99)).median)}, ` +
      `${digits(summarise(loads.map(({ perSecond }) => perSecond)).median)}/s`;

const tableOf = (caption: string, figures: readonly Figure[], concurrency: number, delay: boolean): Table => ({
  caption,
  head: ["request", ...whos.map((who) => serverTitles[who])],
  rows: sizes.map((size) => [size, ...whos.map((who) => cellOf(find(figures, { who, size, concurrency, delay })))]),
});

const latencyTable = (figures: readonly Figure[], concurrency: number): Table =>
  tableOf(`Concurrency ${concurrency}: p50 in ms (p10–p90 of the turns), p99, calls/s`, figures, concurrency, false);

const delayTable = (figures: readonly Figure[]): Table =>
  tableOf("Through a proxy that adds 3 ms of round-trip time, concurrency 1", figures, 1, true);

const latencyTargets: readonly { readonly size: Size; readonly sdk?: number; readonly go: number }[] = [
  { size: "2.5 KB", go: 1 },
  { size: "140 KB", sdk: 7, go: 8 },
  { size: "660 KB", sdk: 18, go: 20 },
  { size: "3 MB", sdk: 25, go: 25 },
];

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

const loadTargetsOf = (figures: readonly Figure[]): readonly Target[] =>
  [10, 64].map((concurrency) => {
    const [ours, go] = (["ours", "go"] as const).map((who) => median(figures, who, "660 KB", concurrency, "perSecond"));
    const what = `calls/s, concurrency ${concurrency}, 660 KB: ours / ${titles.go}`;
    return { what, is: (ours ?? 0) / (go ?? 1), atLeast: 10 };
  });

const median = (
  figures: readonly Figure[],
  who: Who,
  size: Size,
  concurrency: number,
  of: "p50" | "perSecond",
): number => summarise(find(figures, { who, size, concurrency, delay: false }).map((load) => load[of])).median;
