import type { Config } from "../../src/server/config.ts";
import { runOf } from "../implementations/ours.ts";
import { built } from "../rig/built.ts";

// `server.ts HOST:PORT`: the function's own server, with "touch few" in the place of its features, until it is killed.

const [host = "", port] = (process.argv[2] ?? "").split(":");
const run = runOf("touch few");
const { serve } = await built<typeof import("../../src/server/server.ts")>("server/server");
const { createLog } = await built<typeof import("../../src/log.ts")>("log");
const config: Config = {
  address: { host, port: Number(port) },
  transport: { is: "insecure" },
  debug: false,
  maxRecvMessageBytes: 64 * 1024 * 1024,
  metricsAddress: "off",
  shutdownGracePeriodMs: 25_000,
  maxConcurrentStreams: 100,
  maxConnectionAgeMs: 0,
};
const runFunction = (message: Buffer) => ({
  response: run(message) as Buffer,
  conditions: [],
  results: [],
  audit: [],
  shares: [],
});
await serve(config, { runFunction, log: createLog(config, process.stderr) });
