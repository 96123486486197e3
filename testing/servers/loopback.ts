import { Writable } from "node:stream";
import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { createLog } from "../../src/log.ts";
import type { Config } from "../../src/server/config.ts";
import { type Dependencies, serve } from "../../src/server/server.ts";
import { temporaryFolder } from "../tools/temporary-folder.ts";
import { createAuthority, type Identity, issue, writeCertificates } from "./certificates.ts";
import { insecure } from "./config.ts";
import { isServing } from "./free-port.ts";
import { V1 } from "./http2.ts";

/** A log that is told to `note`, line by line. */
export function logTo(note: (level: string, message: string, fields?: object) => void) {
  const at = (level: string) => (message: string, fields?: object) => note(level, message, fields);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The outcome of a function that sends its request back. */
export const echo = (response: Buffer) => ({ response, conditions: [], results: [], audit: [], shares: [] });

type LogLine = Readonly<Record<string, unknown>>;

export type Loopback = Awaited<ReturnType<typeof serve>> & {
  /** Where clients find it. */
  readonly target: string;
  /** Its log lines from level info on, without timestamps. */
  readonly lines: readonly LogLine[];
};

/** Serves until the test ends. */
export async function serveLoopback(
  config: Partial<Config> = {},
  dependencies: Partial<Omit<Dependencies, "log">> = {},
): Promise<Loopback> {
  const lines: LogLine[] = [];
  const log = createLog({ debug: false }, toLines(lines));
  const server = await serve({ ...insecure, ...config }, { runFunction: echo, log, ...dependencies });
  onTestFinished(() => server.destroy());
  return { ...server, target: `localhost:${server.port}`, lines };
}

/** Serves over mTLS until the test ends, and issues what a client needs. */
export async function serveMutualTls(config: Partial<Config> = {}, dependencies: Partial<Dependencies> = {}) {
  const certsDir = temporaryFolder();
  const authority = createAuthority("ca");
  const [server, client] = [issue(authority, "server"), issue(authority, "client")];
  writeCertificates(certsDir, authority, server);
  const running = await serveLoopback({ transport: { is: "mtls", certsDir }, ...config }, dependencies);
  const identity = { ca: authority.certificate, cert: client.certificate, key: client.key };
  return { ...running, certsDir, identity };
}

const toLines = (lines: LogLine[]): Writable =>
  new Writable({
    write(line, _encoding, done) {
      const { timestamp: _, ...fields } = JSON.parse(String(line));
      lines.push(fields);
      done();
    },
  });

export const V1BETA1 = "/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction";

/** The outcome of a call: the code's name with the server's message, or the response. */
export interface Answer {
  readonly code: string;
  readonly details: string;
  readonly response: Buffer;
}

interface CallOptions {
  readonly path?: string;
  readonly deadlineMs?: number;
  readonly channel?: ChannelCredentials;
}

/** Calls RunFunction once, over a connection of its own, with grpc-js's client. */
export async function call(target: string, request: Uint8Array, options: CallOptions = {}): Promise<Answer> {
  const { path = V1, deadlineMs = PATIENCE_MS, channel = credentials.createInsecure() } = options;
  const client = new Client(target, channel, { "grpc.use_local_subchannel_pool": 1 });
  try {
    return await unary(client, path, Buffer.from(request), Date.now() + deadlineMs);
  } finally {
    client.close();
  }
}

const unary = (client: Client, path: string, request: Buffer, deadline: number): Promise<Answer> =>
  new Promise((resolve) => {
    const same = (bytes: Buffer): Buffer => bytes;
    const done = (error: ServiceError | null, response: Buffer = Buffer.alloc(0)): void =>
      resolve({ code: status[error?.code ?? status.OK] ?? "", details: error?.details ?? "", response });
    client.makeUnaryRequest(path, same, same, request, new Metadata(), { deadline }, done);
  });

/** A client's credentials; without an identity it has no certificate to show. */
export const channelOf = (authority: Identity, client?: Identity): ChannelCredentials =>
  credentials.createSsl(bytesOf(authority.certificate), bytesOf(client?.key), bytesOf(client?.certificate));

const bytesOf = (text?: string): Buffer | null => (text === undefined ? null : Buffer.from(text));

export const isRefused = async (port: number): Promise<boolean> => !(await isServing(port));

/** The time limit on a busy machine; a working server takes less than a tenth of it. */
const PATIENCE_MS = 30_000;

/** Waits until `condition` holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} seconds: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
