import { compare, FASTER, type Row, type Section } from "../report.ts";
import { requestOf, smallRequest } from "../requests/requests.ts";
import { inTurns, type Load, type Served, serve, touchFewPrograms } from "../rig/server.ts";
import { medianOf } from "../rig/statistics.ts";

/** How many times Go's speed is wanted. */
const LATENCY: Readonly<Record<string, number>> = { "2.5 KB": 1, "660 KB": 20 };
const LOAD: Readonly<Record<string, number>> = { "660 KB, 10 at a time": 8 };

export const latency: Section = {
  title: "How long does one call take?",
  caption:
    "ms, medians, over loopback and one connection, from grpc-go's client: touch few in the place of the features and the same on " +
    "function-sdk-go. Times faster than Go.",
  drawn: FASTER,
  measure: () => measure([1], toLatencyRow),
};

export const load: Section = {
  title: "How many calls a second?",
  caption: "Calls a second of the same, medians, ten and 64 at a time. Times as many as Go.",
  drawn: FASTER,
  measure: () => measure([10, 64], toLoadRow),
};

type Who = keyof typeof touchFewPrograms;
type Loads = Readonly<Record<Who, readonly Load[]>>;

function toLatencyRow(size: string, _: number, loads: Loads): Row {
  const p99 = medianOf(loads.ours.map((one) => one.p99));
  return compare(size, { ...medians(loads, "p50"), "ours, p99": p99 }, "Go", LATENCY[size]);
}

function toLoadRow(size: string, concurrency: number, loads: Loads): Row {
  const name = `${size}, ${concurrency} at a time`;
  const figures = medians(loads, "perSecond");
  const atLeast = LOAD[name];
  return {
    name,
    figures: { ...figures, [FASTER]: figures.ours / figures.Go },
    ...(atLeast !== undefined && { atLeast: { [FASTER]: atLeast } }),
  };
}

const medians = (loads: Loads, what: keyof Load) =>
  Object.fromEntries(
    Object.entries(loads).map(([who, taken]) => [who, medianOf(taken.map((one) => one[what]))]),
  ) as Readonly<Record<Who, number>>;

async function measure(
  concurrencies: readonly number[],
  toRow: (size: string, concurrency: number, loads: Loads) => Row,
): Promise<readonly Row[]> {
  const sizes = { "2.5 KB": smallRequest(), "140 KB": requestOf(21), "660 KB": requestOf(100), "3 MB": requestOf(500) };
  const servers: [Who, Served][] = [];
  for (const who of Object.keys(touchFewPrograms) as Who[]) servers.push([who, await serve(touchFewPrograms[who])]);
  const rows: Row[] = [];
  for (const concurrency of concurrencies) {
    for (const [size, request] of Object.entries(sizes)) {
      const participants = Object.fromEntries(servers.map(([who, served]) => [who, { served, request }]));
      rows.push(toRow(size, concurrency, (await inTurns(participants, concurrency)) as Loads));
    }
  }
  for (const [, served] of servers) served.stop();
  return rows;
}
