import { ownedTagRequests, type PeerRequests, selectRequests, tagRequests } from "../peer-requests.ts";
import { requestOf, smallRequest } from "../requests.ts";
import { functionProgram, type Program, serverProgram, titles } from "../rig/implementations.ts";
import { digits, type Section, type Table, type Target, withSpread } from "../rig/report.ts";
import { type Calls, call, freeAddress, type Load, type Served, startServer, warmUp } from "../rig/server.ts";
import { type Measured, summarise } from "../rig/statistics.ts";

/**
 * This function, as its image runs it, beside the functions that people use today for the same work. Their binaries come from
 * environment variables, because their modules are in no Go proxy; one that is not given is left out.
 */

const PEERS = {
  "tag manager": { variable: "PEER_TAG_MANAGER", title: "function-tag-manager" },
  "extra resources": { variable: "PEER_EXTRA_RESOURCES", title: "function-extra-resources" },
} as const;

/** The decoders that "touch few" is compared with, at sizes up to 50 MB. */
const DECODERS = ["rust", "go", "sdk"] as const;

type Peer = keyof typeof PEERS | (typeof DECODERS)[number];

const titleOf = (peer: Peer): string =>
  peer === "tag manager" || peer === "extra resources" ? PEERS[peer].title : titles[peer];

/** One piece of work, who else does it, and how much faster this function has to be. */
interface Work {
  readonly name: string;
  readonly requests: () => PeerRequests;
  /** The bounds; undefined has none. */
  readonly peers: Partial<Readonly<Record<Peer, number | undefined>>>;
}

const same = (request: Buffer): PeerRequests => ({ ours: request, theirs: request });

const features: readonly Work[] = [
  ...([1, 20, 100, 500] as const).flatMap((count): Work[] => [
    {
      name: `tags on ${count} resources`,
      requests: () => tagRequests(count),
      peers: { "tag manager": count === 1 ? 2.5 : 12 },
    },
    {
      name: `tags and ownership of ${count} resources`,
      requests: () => ownedTagRequests(count),
      peers: { "tag manager": count === 1 ? undefined : 8 },
    },
  ]),
  { name: "select 1 resource beside 1", requests: () => selectRequests(1, 1), peers: { "extra resources": 2 } },
  ...([20, 100, 500] as const).map((count): Work => {
    const atLeast = count === 20 ? 8 : 20;
    return {
      name: `select 20 resources beside ${count}`,
      requests: () => selectRequests(20, count),
      peers: { "extra resources": atLeast },
    };
  }),
];

const decoding: readonly Work[] = [
  {
    name: "touch few, 2.5 KB",
    requests: () => same(smallRequest()),
    peers: { rust: 0.8, go: undefined, sdk: undefined },
  },
  {
    name: "touch few, 660 KB",
    requests: () => same(requestOf(100)),
    peers: { rust: 2, go: undefined, sdk: undefined },
  },
  { name: "touch few, 3 MB", requests: () => same(requestOf(500)), peers: { rust: 2, go: undefined, sdk: undefined } },
  // Larger ones consist of required resources: more desired ones would not fit into a response that Crossplane takes.
  {
    name: "touch few, 11 MB",
    requests: () => same(requestOf(500, 1_500)),
    peers: { rust: undefined, go: undefined, sdk: undefined },
  },
  {
    name: "touch few, 50 MB",
    requests: () => same(requestOf(500, 9_000)),
    peers: { rust: undefined, go: undefined, sdk: undefined },
  },
];

/** Large enough for the largest request. */
const LIMITS = ["--max-recv-message-size=64"];

export async function peers(): Promise<Section> {
  const servers = await startServers();
  const figures: Figure[] = [];
  for (const work of [...features, ...decoding]) figures.push(await measure(work, servers));
  for (const { served } of servers.values()) await served.stop();
  return {
    title: "Beside the functions that people use, over loopback: one call at a time, grpc-go's client",
    tables: [
      tableOf(
        "Whole features: p50 in ms (p10–p90 of the turns)",
        features,
        ["tag manager", "extra resources"],
        figures,
      ),
      tableOf("Touch few: p50 in ms (p10–p90 of the turns)", decoding, DECODERS, figures),
    ],
    targets: figures.flatMap(targetsOf),
    figures,
  };
}

type Who = Peer | "ours" | "ours, touch few";

interface Server {
  readonly address: string;
  readonly served: Served;
}

async function startServers(): Promise<ReadonlyMap<Who, Server>> {
  const servers = new Map<Who, Server>();
  const start = async (who: Who, program: (address: string) => Program): Promise<void> => {
    const address = await freeAddress();
    const { command, args } = program(address);
    servers.set(who, { address, served: startServer(command, args, address) });
  };
  await start("ours", (address) => functionProgram(address, LIMITS));
  await start("ours, touch few", (address) => serverProgram("ours", "touch few", address));
  for (const who of DECODERS) await start(who, (address) => serverProgram(who, "touch few", address));
  for (const who of ["tag manager", "extra resources"] as const) {
    const command = process.env[PEERS[who].variable];
    if (command === undefined) continue;
    await start(who, (a) => ({ command, args: ["--insecure", `--address=${a}`, "--max-recv-message-size=64"] }));
  }
  return servers;
}

interface Figure {
  readonly work: Work["name"];
  readonly peers: Work["peers"];
  readonly bytes: number;
  readonly loads: Partial<Record<"ours" | Peer, readonly Load[] | "failed">>;
}

/** Calls all that do the work in turns, so that the machine's other work slows all of them. */
async function measure({ name, requests, peers: bounds }: Work, servers: ReadonlyMap<Who, Server>): Promise<Figure> {
  const { ours, theirs } = requests();
  const isFeature = features.some((work) => work.name === name);
  const participants = [
    { who: "ours" as const, server: servers.get(isFeature ? "ours" : "ours, touch few"), request: ours },
    ...(Object.keys(bounds) as Peer[]).map((who) => ({ who, server: servers.get(who), request: theirs })),
  ].flatMap(({ who, server, request }) => (server === undefined ? [] : [{ who, server, request }]));
  const loads: { [who in "ours" | Peer]?: Load[] | "failed" } = {};
  for (const { server, request } of participants) {
    if (!isLarge(request)) await warmUp(server.address, request).catch(() => {}); // a refusal counts in its turn
  }
  for (let round = 0; round < roundsFor(theirs); round++) {
    for (const { who, server, request } of participants) {
      loads[who] = await takeTurn(loads[who] ?? [], server, request);
    }
  }
  return { work: name, peers: bounds, bytes: theirs.length, loads };
}

/** One that refuses a request is not asked again: that is its result. */
async function takeTurn(before: Load[] | "failed", { address }: Server, request: Buffer): Promise<Load[] | "failed"> {
  if (before === "failed") return before;
  const load = await call(address, request, turnFor(request)).catch(() => undefined);
  return load === undefined ? "failed" : [...before, load];
}

/** A request of which one call takes longer than a turn is called once in each. */
const isLarge = ({ length }: Buffer): boolean => length > 8 * 1024 * 1024;
const roundsFor = (request: Buffer): number => (isLarge(request) ? 3 : 9);
const turnFor = (request: Buffer): Calls =>
  isLarge(request) ? { warm: "1ms", duration: "0s" } : { warm: "100ms", duration: "250ms" };

const p50Of = (loads: readonly Load[]): Measured => summarise(loads.map(({ p50 }) => p50));

/** A peer that refuses what we answer has no ratio, and misses nothing for it: its result is that it failed. */
function targetsOf({ work, peers: bounds, loads: { ours, ...loads } }: Figure): readonly Target[] {
  return (Object.entries(bounds) as [Peer, number | undefined][]).flatMap(([peer, atLeast]) => {
    const theirs = loads[peer];
    if (ours === undefined || ours === "failed" || theirs === undefined || theirs === "failed") return [];
    const is = p50Of(theirs).median / p50Of(ours).median;
    return [{ what: `${work}: ${titleOf(peer)} / ours`, is, ...(atLeast !== undefined && { atLeast }) }];
  });
}

function tableOf(caption: string, works: readonly Work[], who: readonly Peer[], figures: readonly Figure[]): Table {
  const cellOf = (loads: readonly Load[] | "failed" | undefined): string =>
    loads === undefined || loads === "failed" ? (loads ?? "") : withSpread(p50Of(loads));
  const rows = works.map(({ name }) => {
    const figure = figures.find(({ work }) => work === name);
    const cells = [figure?.loads.ours, ...who.map((peer) => figure?.loads[peer])].map(cellOf);
    return [`${name} (${digits((figure?.bytes ?? 0) / 1024)} KB)`, ...cells];
  });
  return { caption, head: ["work", "ours", ...who.map(titleOf)], rows };
}
