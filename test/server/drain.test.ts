import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { V1 } from "../../testing/servers/loopback.ts";
import { startServer } from "../../testing/servers/process.ts";
import { requestOf } from "../../testing/wire/messages.ts";

/** How often to try: `DRAIN_RUNS=20 npx vitest run test/server/drain.test.ts`. */
const RUNS = Number(process.env["DRAIN_RUNS"] ?? 2);
const CALLS_AT_A_TIME = 20;

const request = requestOf({ context: { "example.org/large": "x".repeat(660_000) } });

/** A client that spreads calls over both, as Crossplane's does. */
function connect(ports: readonly number[]): Client {
  const addresses = ports.map((port) => `127.0.0.1:${port}`).join(",");
  const client = new Client(`ipv4:${addresses}`, credentials.createInsecure(), {
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    "grpc.use_local_subchannel_pool": 1,
  });
  onTestFinished(() => client.close());
  return client;
}

const same = (bytes: Buffer): Buffer => bytes;

/** @returns what went wrong, if something did. */
const call = (client: Client): Promise<string | undefined> =>
  new Promise((resolve) => {
    const done = (error: ServiceError | null): void => resolve(error?.message);
    const options = { deadline: Date.now() + 30_000 };
    client.makeUnaryRequest(V1, same, same, request, new Metadata(), options, done);
  });

test.each(Array.from({ length: RUNS }, (_, run) => run + 1))(
  `no call fails when one of two replicas is ended with ${CALLS_AT_A_TIME} large calls in flight (%i)`,
  { timeout: 120_000 },
  async () => {
    const [leaving, staying] = await Promise.all([startServer(), startServer()]);
    const client = connect([leaving.port, staying.port]);
    const failures: string[] = [];
    let calls = 0;
    let isOver = false;
    const keepCalling = async (): Promise<void> => {
      while (!isOver) {
        const failure = await call(client);
        calls++;
        if (failure !== undefined) failures.push(failure);
      }
    };
    const callers = Array.from({ length: CALLS_AT_A_TIME }, keepCalling);
    await new Promise((resolve) => setTimeout(resolve, 500));

    const code = await leaving.terminate();
    isOver = true;
    await Promise.all(callers);

    expect({ code, failures }).toEqual({ code: 0, failures: [] });
    expect(leaving.messages).not.toContain("the grace period is over: connections are cut off");
    expect(calls).toBeGreaterThan(CALLS_AT_A_TIME);
  },
);
