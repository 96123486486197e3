import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { onTestFinished, test } from "vitest";
import { V1 } from "../../testing/servers/frames.ts";
import { until } from "../../testing/servers/loopback.ts";
import {
  CALLS_AT_A_TIME,
  drainRuns,
  expectNoCallLost,
  largeRequest,
  type StartCalling,
} from "../../testing/servers/replicas.ts";

/** A client that spreads calls over all addresses, as Crossplane's does. */
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

/** @returns the failure, if there was one. */
const call = (client: Client): Promise<string | undefined> =>
  new Promise((resolve) => {
    const done = (error: ServiceError | null): void => resolve(error?.message);
    const options = { deadline: Date.now() + 30_000 };
    client.makeUnaryRequest(V1, same, same, largeRequest, new Metadata(), options, done);
  });

const callWithGrpcJs: StartCalling = async (ports) => {
  const client = connect(ports);
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
  await until(() => calls >= 2 * CALLS_AT_A_TIME);
  return async () => {
    isOver = true;
    await Promise.all(callers);
    return { calls, failures };
  };
};

test.each(drainRuns)(
  `no call of grpc-js fails when one of two replicas is ended with ${CALLS_AT_A_TIME} large calls in flight (%i)`,
  { timeout: 120_000 },
  () => expectNoCallLost(callWithGrpcJs),
);
