import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  Metadata,
  type Server,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { onTestFinished } from "vitest";
import { createLog } from "../../src/log.ts";
import { createServer as createGrpcServer } from "../../src/server/grpc.ts";
import { createMetrics } from "../../src/server/metrics.ts";
import { insecure } from "../servers/loopback.ts";

/** The service that gRPC's interoperability tests call, as their specification has it. */

interface Payload {
  readonly body: Buffer;
}
interface EchoStatus {
  readonly code: number;
  readonly message: string;
}
interface SimpleRequest {
  readonly responseSize: number;
  readonly responseStatus: EchoStatus | null;
}
interface SimpleResponse {
  readonly payload: Payload;
  readonly serverId: string;
}
interface StreamingInputRequest {
  readonly payload: Payload | null;
}
interface StreamingInputResponse {
  readonly aggregatedPayloadSize: number;
}
interface StreamingOutputRequest {
  readonly responseParameters: readonly { readonly size: number }[];
  readonly responseStatus: EchoStatus | null;
}
interface StreamingOutputResponse {
  readonly payload: Payload;
}

const ECHOED_AT_FIRST = "x-grpc-test-echo-initial";
const ECHOED_AT_LAST = "x-grpc-test-echo-trailing-bin";

const payloadOf = (size: number): Payload => ({ body: Buffer.alloc(size) });

/** The metadata that the case custom_metadata wants back: one value in the headers, one in the trailers. */
function echoed(received: Metadata, key: string): Metadata {
  const metadata = new Metadata();
  for (const value of received.get(key)) metadata.add(key, value);
  return metadata;
}

function unaryCall(call: ServerUnaryCall<SimpleRequest, SimpleResponse>, done: sendUnaryData<SimpleResponse>): void {
  const { responseSize, responseStatus } = call.request;
  const trailers = echoed(call.metadata, ECHOED_AT_LAST);
  call.sendMetadata(echoed(call.metadata, ECHOED_AT_FIRST));
  if (responseStatus !== null && responseStatus.code !== 0) {
    done({ code: responseStatus.code, details: responseStatus.message, metadata: trailers });
  } else {
    done(null, { payload: payloadOf(responseSize), serverId: "ours" }, trailers);
  }
}

function streamingOutputCall(call: ServerWritableStream<StreamingOutputRequest, StreamingOutputResponse>): void {
  for (const { size } of call.request.responseParameters) call.write({ payload: payloadOf(size) });
  call.end();
}

function streamingInputCall(
  call: ServerReadableStream<StreamingInputRequest, StreamingInputResponse>,
  done: sendUnaryData<StreamingInputResponse>,
): void {
  let aggregatedPayloadSize = 0;
  call.on("data", ({ payload }: StreamingInputRequest) => {
    aggregatedPayloadSize += payload?.body.length ?? 0;
  });
  call.on("end", () => done(null, { aggregatedPayloadSize }));
}

function fullDuplexCall(call: ServerDuplexStream<StreamingOutputRequest, StreamingOutputResponse>): void {
  const trailers = echoed(call.metadata, ECHOED_AT_LAST);
  call.sendMetadata(echoed(call.metadata, ECHOED_AT_FIRST));
  call.on("data", ({ responseParameters, responseStatus }: StreamingOutputRequest) => {
    if (responseStatus !== null && responseStatus.code !== 0) {
      call.emit("error", { code: responseStatus.code, details: responseStatus.message, metadata: trailers });
      return;
    }
    for (const { size } of responseParameters) call.write({ payload: payloadOf(size) });
  });
  call.on("end", () => call.end(trailers));
}

const service = "grpc.testing.TestService";

/** Serves the test service on a free port, as the function is served, until the test ends. @returns the port. */
export async function serveTestService(): Promise<number> {
  const log = createLog({ debug: false }, new Writable({ write: (_chunk, _encoding, done) => done() }));
  const grpc = createGrpcServer(insecure, { log, metrics: createMetrics("v0", []) }, addTestService);
  const server = createServer({ noDelay: true }, grpc.accept).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    grpc.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function addTestService(server: Server): void {
  const definitions = loadSync(fileURLToPath(new URL("test.proto", import.meta.url)), { defaults: true });
  const implementation: UntypedServiceImplementation = {
    emptyCall: (_call: unknown, done: sendUnaryData<object>) => done(null, {}),
    unaryCall,
    streamingOutputCall,
    streamingInputCall,
    fullDuplexCall,
  };
  server.addService(definitions[service] as ServiceDefinition, implementation);
}
