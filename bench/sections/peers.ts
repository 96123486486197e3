import { compare, FASTER, type Row, type Section } from "../report.ts";
import { ownedTagRequests, type PeerRequests, selectRequests, tagRequests } from "../requests/peers.ts";
import { inTurns, ourFunction, type Program, serve } from "../rig/server.ts";
import { medianOf } from "../rig/statistics.ts";

/** Functions that people use. Their binaries come from environment variables, because their modules are in no Go proxy. */
const PEERS = {
  "function-tag-manager": process.env["PEER_TAG_MANAGER"],
  "function-extra-resources": process.env["PEER_EXTRA_RESOURCES"],
};
type Peer = keyof typeof PEERS;

/** True if the binaries are given. */
export const hasPeers = (): boolean => Object.values(PEERS).every((command) => command !== undefined);

/** The same work for ours and a peer, by the number of resources, and how many times faster ours has to be. */
interface Work {
  readonly peer: Peer;
  readonly nameOf: (count: number) => string;
  readonly requestsOf: (count: number) => PeerRequests;
  readonly atLeast: Readonly<Record<number, number>>;
}

const SIZES = [1, 20, 100, 500];
const selectedOf = (count: number): number => Math.min(count, 20);

const WORKS: readonly Work[] = [
  {
    peer: "function-tag-manager",
    nameOf: (count) => `tags on ${count}`,
    requestsOf: tagRequests,
    atLeast: { 1: 2.5, 100: 9, 500: 9 },
  },
  {
    peer: "function-tag-manager",
    nameOf: (count) => `tags and ownership of ${count}`,
    requestsOf: ownedTagRequests,
    atLeast: { 100: 3.5 },
  },
  {
    peer: "function-extra-resources",
    nameOf: (count) => `select ${selectedOf(count)} beside ${count}`,
    requestsOf: (count) => selectRequests(selectedOf(count), count),
    atLeast: { 1: 2, 20: 8, 100: 12, 500: 12 },
  },
];

export const peers: Section = {
  title: "How much faster is it than the functions that people use?",
  caption:
    "ms of one call, medians, over loopback, from grpc-go's client: the function as its image runs it, each asked in its own words for the same. " +
    "With ownership our requests hold what Crossplane has found, which doubles them.",
  drawn: FASTER,
  measure: async () => {
    const ours = await serve(ourFunction);
    const rows: Row[] = [];
    for (const { peer, nameOf, requestsOf, atLeast } of WORKS) {
      const theirs = await serve(programOf(peer));
      for (const count of SIZES) {
        const requests = requestsOf(count);
        const participants = {
          ours: { served: ours, request: requests.ours },
          [peer]: { served: theirs, request: requests.theirs },
        };
        const loads = Object.entries(await inTurns(participants, 1));
        const figures = loads.map(([who, taken]) => [who, medianOf(taken.map(({ p50 }) => p50))] as const);
        rows.push(compare(nameOf(count), Object.fromEntries(figures), peer, atLeast[count]));
      }
      theirs.stop();
    }
    ours.stop();
    return rows;
  },
};

const programOf =
  (peer: Peer): Program =>
  (address) => [PEERS[peer] ?? "", "--insecure", `--address=${address}`, "--max-recv-message-size=64"];
