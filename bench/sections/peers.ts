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

interface Work {
  readonly peer: Peer;
  readonly name: string;
  readonly requests: PeerRequests;
  /** The times that ours has to be faster. */
  readonly atLeast?: number | undefined;
}

const SIZES = [1, 20, 100, 500] as const;
const TAGS = { 1: 2.5, 20: undefined, 100: 12, 500: 12 } as const;
const SELECT = { 1: 2, 20: 8, 100: 18, 500: 18 } as const;

const toWorks = (): readonly Work[] => [
  ...SIZES.map(
    (count): Work => ({
      peer: "function-tag-manager",
      name: `tags on ${count}`,
      requests: tagRequests(count),
      atLeast: TAGS[count],
    }),
  ),
  ...SIZES.map(
    (count): Work => ({
      peer: "function-tag-manager",
      name: `tags and ownership of ${count}`,
      requests: ownedTagRequests(count),
    }),
  ),
  ...SIZES.map((count): Work => {
    const selected = Math.min(count, 20);
    const name = `select ${selected} beside ${count}`;
    return {
      peer: "function-extra-resources",
      name,
      requests: selectRequests(selected, count),
      atLeast: SELECT[count],
    };
  }),
];

export const peers: Section = {
  title: "How much faster is it than the functions that people use?",
  caption:
    "ms of one call, medians, over loopback, from grpc-go's client: the function as its image runs it, each asked in its own words for the same. " +
    "With ownership our requests hold what Crossplane has found, which doubles them.",
  drawn: FASTER,
  measure: async ({ isQuick }) => {
    const ours = await serve(ourFunction);
    const theirs = {
      "function-tag-manager": await serve(programOf("function-tag-manager")),
      "function-extra-resources": await serve(programOf("function-extra-resources")),
    };
    const rows: Row[] = [];
    for (const { peer, name, requests, atLeast } of toWorks()) {
      const participants = {
        ours: { served: ours, request: requests.ours },
        [peer]: { served: theirs[peer], request: requests.theirs },
      };
      const loads = Object.entries(await inTurns(participants, 1, isQuick));
      const figures = loads.map(([who, taken]) => [who, medianOf(taken.map(({ p50 }) => p50))] as const);
      rows.push(compare(name, Object.fromEntries(figures), peer, atLeast));
    }
    for (const served of [ours, ...Object.values(theirs)]) served.stop();
    return rows;
  },
};

const programOf =
  (peer: Peer): Program =>
  (address) => [PEERS[peer] ?? "", "--insecure", `--address=${address}`, "--max-recv-message-size=64"];
