import type { Row, Section } from "../report.ts";
import { tagRequests } from "../requests/peers.ts";
import { idleRequest, requestOf, smallRequest } from "../requests/requests.ts";
import { withMemoryLimit } from "../rig/memory-limit.ts";
import { call, ourFunction, type Program, serve, touchFewPrograms } from "../rig/server.ts";

/** The most that is wanted, in MB. */
const ENOUGH = 200;

/** The limit of deploy/function/runtime-config.yaml. */
const LIMIT_BYTES = 512 * 1024 * 1024;

export const memory: Section = {
  title: "How much memory does it take?",
  caption:
    "Resident memory in MB of the function as its image starts it, in a cgroup of 512 MiB as deploy/function sets it and without a limit, one " +
    "after the other: no section of the input turned on, then tags on 100 resources; and of touch few on function-sdk-go.",
  drawn: "ours",
  measure: async () => {
    const tags = tagRequests(100);
    const ourRequests = { small: idleRequest(1), large: idleRequest(100), tags: tags.ours };
    const ours = await measure(withMemoryLimit(ourFunction, LIMIT_BYTES), ourRequests);
    const unlimited = await measure(ourFunction, ourRequests);
    const goRequests = { small: smallRequest(), large: requestOf(100), tags: tags.theirs };
    const go = await measure(touchFewPrograms.Go, goRequests);
    return Object.entries(ours).map(
      ([name, megabytes]): Row => ({
        name,
        figures: { ours: megabytes, "without a limit": unlimited[name] ?? Number.NaN, Go: go[name] ?? Number.NaN },
        atMost: { ours: ENOUGH },
      }),
    );
  },
};

type Requests = Readonly<Record<"small" | "large" | "tags", Buffer>>;

async function measure(program: Program, { small, large, tags }: Requests) {
  const served = await serve(program);
  const megabytes: Record<string, number> = {};
  const look = async (name: string, request: Buffer, concurrency: number, calls: number): Promise<void> => {
    await call(served.address, request, { concurrency, calls });
    megabytes[name] = served.memory().now;
  };
  await look("after the first call", small, 1, 1);
  await look("after 10,000 calls of 2.5 KB, ten at a time", small, 10, 10_000);
  await look("after 90,000 more", small, 10, 90_000);
  await look("after 2,000 calls of 660 KB, ten at a time", large, 10, 2000);
  await look("after 2,000 calls of 660 KB with tags, ten at a time", tags, 10, 2000);
  megabytes["the most at any time"] = served.memory().most;
  served.stop();
  return megabytes;
}
