import { type ChannelOptions, Client, compressionAlgorithms, credentials, Metadata, status } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { V1 } from "../../testing/servers/frames.ts";
import { serveLoopback } from "../../testing/servers/loopback.ts";

const same = (bytes: Buffer): Buffer => bytes;

interface Ended {
  readonly code: status;
  readonly response: Buffer | undefined;
}

function clientOf(target: string, options: ChannelOptions): Client {
  const client = new Client(target, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.max_receive_message_length": -1,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

const callOnce = (client: Client, request: Buffer, deadline: number): Promise<Ended> =>
  new Promise((resolve) => {
    client.makeUnaryRequest(V1, same, same, request, new Metadata(), { deadline }, (error, response) => {
      resolve({ code: error?.code ?? status.OK, response });
    });
  });

const MINUTE = 60_000;
const none = Buffer.alloc(0);

describe("grpc-js's client", () => {
  test.each([
    { reason: "as it is", algorithm: compressionAlgorithms.identity },
    { reason: "compressed by gzip", algorithm: compressionAlgorithms.gzip },
    { reason: "compressed by deflate", algorithm: compressionAlgorithms.deflate },
  ])("is answered when it sends a request of 2 MB $reason", async ({ algorithm }) => {
    const { target } = await serveLoopback();
    const client = clientOf(target, { "grpc.default_compression_algorithm": algorithm });
    const request = Buffer.alloc(2_000_000, "some text that can be compressed");
    const { code, response } = await callOnce(client, request, Date.now() + MINUTE);
    expect({ code, isSame: response?.equals(request) }).toEqual({ code: status.OK, isSame: true });
  });

  test("is answered a hundred times at once over one connection", async () => {
    const { target } = await serveLoopback();
    const client = clientOf(target, {});
    const requests = Array.from({ length: 100 }, (_, index) => Buffer.alloc(10_000, `request ${index}`));
    const ended = await Promise.all(requests.map((request) => callOnce(client, request, Date.now() + MINUTE)));
    const isAnswered = ended.map(
      ({ code, response }, index) => code === status.OK && requests[index]?.equals(response ?? none),
    );
    expect(isAnswered).toEqual(requests.map(() => true));
  });

  test("is told that a deadline has passed, and goes on with the next call", async () => {
    const { target } = await serveLoopback();
    const client = clientOf(target, {});
    expect((await callOnce(client, Buffer.from("late"), Date.now() - 1)).code).toBe(status.DEADLINE_EXCEEDED);
    expect((await callOnce(client, Buffer.from("next"), Date.now() + MINUTE)).code).toBe(status.OK);
  });
});
