import { Writable } from "node:stream";
import { type handleUnaryCall, Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import type { Job } from "../jobs.ts";
import { built } from "../rig/built.ts";

/**
 * Serves one job of one implementation until it is killed: `server.ts IMPLEMENTATION JOB HOST:PORT [CERTIFICATES]`. The function's own
 * server is what `npm start` runs, with the job in the place of its features; the SDK's is what its `serve` starts.
 * "constant" answers one byte string, whatever comes, from a grpc-js server as it comes; "floor" does so from
 * one with our receive windows: what is left of a call when the function does nothing.
 */
const [implementation = "", job = "echo", address = "", certs = ""] = process.argv.slice(2) as [string, Job, string];

const servers: Readonly<Record<string, () => Promise<void>>> = {
  ours: async () => {
    const { runOf } = await import("../implementations/ours.ts");
    const { serve } = await built<typeof import("../../src/server/server.ts")>("server/server");
    const { createLog } = await built<typeof import("../../src/log.ts")>("log");
    const { readFlags } = await built<typeof import("../../src/flags.ts")>("flags");
    const security = certs === "" ? "--insecure" : `--tls-certs-dir=${certs}`;
    const config = readFlags(
      [security, `--address=${address}`, "--metrics-address=", "--max-recv-message-size=64"],
      {},
    );
    if (typeof config === "string") return;
    const run = runOf(job);
    const runFunction = (message: Uint8Array) => ({
      response: run(message as Buffer),
      conditions: [],
      results: [],
      audit: [],
    });
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    await serve(config, { runFunction, log: createLog(config, nowhere) });
  },
  sdk: async () => (await import("../implementations/sdk.ts")).serve(job, address, certs),
  "proto-loader": async () => {
    const { answerOf } = await import("../implementations/proto-loader.ts");
    const { loadMethod } = await import("../../cli/render/codec.ts");
    const answer = answerOf(job);
    const method = loadMethod() as ServiceDefinition[string];
    await bind({ RunFunction: method }, (call, callback) =>
      callback(null, answer(call.request as Parameters<typeof answer>[0])),
    );
  },
  constant: async () => {
    await bind({ RunFunction: await constant() }, answerConstant);
  },
  floor: async () => {
    const { openHttp2 } = await built<typeof import("../../src/server/http2.ts")>("server/http2");
    const server = await bind({ RunFunction: await constant() }, answerConstant);
    openHttp2(server);
  },
};

/** Messages as bytes: requests are received and not looked at, but for the first, whose right answer all get. */
async function constant(): Promise<ServiceDefinition[string]> {
  const { runOf } = await import("../implementations/ours.ts");
  const run = runOf(job);
  let response: Uint8Array | undefined;
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    path: "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction",
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: (bytes: Buffer) => {
      response ??= run(bytes);
      return response;
    },
    responseSerialize: same,
    responseDeserialize: same,
  };
}

function answerConstant(call: { readonly request: unknown }, callback: (error: null, response: unknown) => void): void {
  callback(null, call.request);
}

function bind(service: ServiceDefinition, RunFunction: handleUnaryCall<unknown, unknown>): Promise<Server> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(service, { RunFunction });
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve(server)));
  });
}

await servers[implementation]?.();
