import type { Row, Section } from "../report.ts";
import { tagRequests } from "../requests/peers.ts";
import { idleRequest, requestOf, smallRequest } from "../requests/requests.ts";
import { call, ourFunction, type Program, type Served, serve, touchFewPrograms } from "../rig/server.ts";

/** The most that is wanted, in MB. */
const ENOUGH = 200;

export const memory: Section = {
  title: "How much memory does it take?",
  caption:
    "Resident memory in MB of the function as its image starts it, one after the other: no section of the input turned on, then tags on 100 " +
    "resources; and of touch few on function-sdk-go.",
  drawn: "ours",
  measure: async ({ isQuick }) => {
    const tags = tagRequests(100);
    const requests = {
      ours: { small: idleRequest(1), large: idleRequest(100), tags: tags.ours },
      Go: { small: smallRequest(), large: requestOf(100), tags: tags.theirs },
    };
    const ours = await measure(ourFunction, requests.ours, isQuick);
    const go = await measure(touchFewPrograms.Go, requests.Go, isQuick);
    return ours.map(([name, megabytes], index): Row => {
      const figures = { ours: megabytes, Go: go[index]?.[1] ?? Number.NaN };
      return { name, figures, atMost: { ours: ENOUGH } };
    });
  },
};

type Requests = Readonly<Record<"small" | "large" | "tags", Buffer>>;

async function measure(program: Program, { small, large, tags }: Requests, isQuick: boolean) {
  const served: Served = await serve(program);
  const rows: [name: string, megabytes: number][] = [];
  const look = async (name: string, request: Buffer, concurrency: number, calls: number): Promise<void> => {
    await call(served.address, request, { concurrency, calls: isQuick ? concurrency : calls });
    rows.push([name, served.memory().now]);
  };
  await look("after the first call", small, 1, 1);
  await look("after 10,000 calls of 2.5 KB, ten at a time", small, 10, 10_000);
  await look("after 90,000 more", small, 10, 90_000);
  await look("after 2,000 calls of 660 KB, ten at a time", large, 10, 2000);
  await look("after 2,000 calls of 660 KB with tags, ten at a time", tags, 10, 2000);
  rows.push(["the most at any time", served.memory().most]);
  served.stop();
  return rows;
}
