import { compare, FASTER, type Row, type Section } from "../report.ts";
import { requestOf, smallRequest } from "../requests/requests.ts";
import { inTurns, type Load, type Served, serve, touchFewPrograms } from "../rig/server.ts";
import { medianOf } from "../rig/statistics.ts";

/** How many times Go's speed is wanted. */
const latencyBounds: Readonly<Record<string, number>> = { "2.5 KB": 1, "660 KB": 20 };

export const latency: Section = {
  title: "How long does one call take?",
  caption:
    "ms, medians, over loopback and one connection, from grpc-go's client: touch few in the place of the features, the same on function-sdk-go, " +
    "and a constant answer from grpc-js as it comes. Times faster than Go.",
  drawn: FASTER,
  measure: ({ isQuick }) =>
    measure([1], isQuick, (size, _, loads) =>
      compare(
        size,
        { ...medians(loads, "p50"), "ours, p99": medianOf(of(loads.ours, "p99")) },
        "Go",
        latencyBounds[size],
      ),
    ),
};

export const load: Section = {
  title: "How many calls a second?",
  caption: "Calls a second of the same, medians, ten and 64 at a time. Times as many as Go.",
  drawn: FASTER,
  measure: ({ isQuick }) => measure([10, 64], isQuick, toLoadRow),
};

type Who = keyof typeof touchFewPrograms;
type Loads = Readonly<Record<Who, readonly Load[]>>;

function toLoadRow(size: string, concurrency: number, loads: Loads): Row {
  const figures = medians(loads, "perSecond");
  const isBound = concurrency === 10 && size === "660 KB";
  return {
    name: `${size}, ${concurrency} at a time`,
    figures: { ...figures, [FASTER]: figures.ours / figures.Go },
    ...(isBound && { atLeast: { [FASTER]: 8 } }),
  };
}

const of = (loads: readonly Load[], what: keyof Load): readonly number[] => loads.map((one) => one[what]);

const medians = (loads: Loads, what: keyof Load): Readonly<Record<Who, number>> => ({
  ours: medianOf(of(loads.ours, what)),
  Go: medianOf(of(loads.Go, what)),
  "bare grpc-js": medianOf(of(loads["bare grpc-js"], what)),
});

async function measure(
  concurrencies: readonly number[],
  isQuick: boolean,
  toRow: (size: string, concurrency: number, loads: Loads) => Row,
): Promise<readonly Row[]> {
  const sizes = { "2.5 KB": smallRequest(), "140 KB": requestOf(21), "660 KB": requestOf(100), "3 MB": requestOf(500) };
  const servers: [Who, Served][] = [];
  for (const who of Object.keys(touchFewPrograms) as Who[]) servers.push([who, await serve(touchFewPrograms[who])]);
  const rows: Row[] = [];
  for (const concurrency of concurrencies) {
    for (const [size, request] of Object.entries(sizes)) {
      const participants = Object.fromEntries(servers.map(([who, served]) => [who, { served, request }]));
      rows.push(toRow(size, concurrency, (await inTurns(participants, concurrency, isQuick)) as Loads));
    }
  }
  for (const [, served] of servers) served.stop();
  return rows;
}
