import { createServer } from "node:net";
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

const MAX_HEADER_BYTES = 16 * 1024;

const servers: Readonly<Record<string, () => Promise<void>>> = {
  ours: async () => {
    const { runOf } = await import("../implementations/ours.ts");
    const { serve } = await built<typeof import("../../src/server/server.ts")>("server/server");
    const { createLog } = await built<typeof import("../../src/log.ts")>("log");
    const { CommandLine } =
      await built<typeof import("../../src/serve/old/command-line.ts")>("src/serve/old/command-line");
    const { serveCommand } = await built<typeof import("../../src/serve/command.ts")>("src/serve/command");
    const { toConfig } = await built<typeof import("../../src/serve/config.ts")>("src/serve/config");
    const security = certs === "" ? "--insecure" : `--tls-certs-dir=${certs}`;
    // 64 calls of 3 MB at a time: the others limit no memory.
    const limits = ["--max-recv-message-size=64", "--max-requests-in-memory=1024"];
    const flags = [security, `--address=${address}`, "--metrics-address=", ...limits];
    const config = toConfig(new CommandLine(flags, serveCommand, {}));
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
    bind({ RunFunction: method }, (call, callback) =>
      callback(null, answer(call.request as Parameters<typeof answer>[0])),
    );
  },
  constant: async () => bind({ RunFunction: await constant() }, answerConstant),
  floor: async () => {
    const { createTransport } =
      await built<typeof import("../../src/server/transport/http2.ts")>("server/transport/http2");
    const server = new Server({ "grpc.max_receive_message_length": -1 });
    server.addService({ RunFunction: await constant() }, { RunFunction: answerConstant });
    const [host, port] = address.split(":");
    createServer({ noDelay: true }, createTransport(server, MAX_HEADER_BYTES).accept).listen(Number(port), host);
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

function bind(service: ServiceDefinition, RunFunction: handleUnaryCall<unknown, unknown>): void {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(service, { RunFunction });
  server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
    if (error) throw error;
  });
}

await servers[implementation]?.();
