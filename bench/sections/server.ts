import { requestOf, smallRequest } from "../requests.ts";
import { type Implementation, serverProgram, titles } from "../rig/implementations.ts";
import { digits, type Section, type Table, type Target, withSpread } from "../rig/report.ts";
import { call, freeAddress, type Load, startServer } from "../rig/server.ts";
import { summarise } from "../rig/statistics.ts";

/**
 * "Touch few" over loopback, plaintext, one connection, from a client over grpc-go that is the same for all. A server at a time,
 * in rounds, so that all of them meet the machine's good and bad minutes.
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

const ROUNDS = 2;

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
  const loads = new Map<string, Figure & { loads: Load[] }>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const who of whos) {
      for await (const { load, ...at } of measure(who, plan, round === 0)) {
        const key = JSON.stringify(at);
        const figure = loads.get(key) ?? { ...at, who, loads: [] };
        figure.loads.push(load);
        loads.set(key, { ...figure });
      }
    }
  }
  const figures = [...loads.values()];
  return {
    title: `Over loopback, ${plan.title}: a server, one connection, grpc-go's client`,
    tables: [...plan.concurrencies.map((c) => latencyTable(figures, c)), ...(plan.delay ? [delayTable(figures)] : [])],
    targets: plan === latency ? latencyTargetsOf(figures) : loadTargetsOf(figures),
    figures,
  };
}

async function* measure(who: Who, { concurrencies, delay }: Plan, isFirst: boolean) {
  const address = await freeAddress();
  const { command, args } = serverProgram(who, "touch few", address);
  const served = startServer(command, args, address);
  await call(address, requests["140 KB"], { warm: "2s", duration: "0s" });
  for (const size of sizes) {
    const at = { who, size };
    if (delay) {
      yield { ...at, concurrency: 1, delay, load: await call(address, requests[size], { delay: "3ms", ...times }) };
    }
    for (const concurrency of concurrencies.filter((one) => isMeasured(size, one, isFirst))) {
      const isLong = size === "3 MB" && concurrency === 64;
      const load = await call(address, requests[size], { concurrency, ...(isLong ? once : times) });
      yield { ...at, concurrency, delay: false, load };
    }
  }
  await served.stop();
}

/** Concurrency 10 is there for one target. 64 calls of 3 MB, one each, take the slowest half a minute: they are done once. */
function isMeasured(size: Size, concurrency: number, isFirst: boolean): boolean {
  if (concurrency === 10) return size === "660 KB";
  return concurrency !== 64 || size !== "3 MB" || isFirst;
}

const times = { warm: "200ms", duration: "500ms" };
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
  tableOf(`Concurrency ${concurrency}: p50 in ms (least–most of the runs), p99, calls/s`, figures, concurrency, false);

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
