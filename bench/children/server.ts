import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { Config } from "../../src/server/config.ts";
import { runOf } from "../implementations/ours.ts";
import { built } from "../rig/built.ts";

// `server.ts ours|grpc-js HOST:PORT`: serves "touch few" until it is killed.

const [, , name, address = ""] = process.argv;
const [host = "", port] = address.split(":");
const run = runOf("touch few");
const MIB = 1024 * 1024;

/** The function's own server, with the job in the place of its features. */
async function serveOurs(): Promise<void> {
  const { serve } = await built<typeof import("../../src/server/server.ts")>("server/server");
  const { createLog } = await built<typeof import("../../src/log.ts")>("log");
  const config: Config = {
    address: { host, port: Number(port) },
    transport: { is: "insecure" },
    debug: false,
    maxRecvMessageBytes: 64 * MIB,
    metricsAddress: "off",
    shutdownGracePeriodMs: 25_000,
    maxConcurrentStreams: 100,
    maxConnectionAgeMs: 0,
  };
  const runFunction = (message: Uint8Array) => ({
    response: run(message as Buffer),
    conditions: [],
    results: [],
    audit: [],
  });
  await serve(config, { runFunction, log: createLog(config, process.stderr) });
}

/** A server as it comes. It receives messages as bytes and looks at the first only, whose right answer all get. */
function serveConstant(): void {
  let response: Uint8Array | undefined;
  const same = (bytes: Buffer): Buffer => bytes;
  const RunFunction = {
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
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(
    { RunFunction },
    {
      RunFunction: (call: { request: Buffer }, callback: (error: null, answer: Buffer) => void) =>
        callback(null, call.request),
    },
  );
  server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
    if (error) throw error;
  });
}

if (name === "ours") await serveOurs();
else serveConstant();
