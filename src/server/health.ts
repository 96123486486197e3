import {
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { ENTRY_KEY, ENTRY_VALUE } from "../wire/fields.ts";
import { readString } from "../wire/message.ts";
import { bytesTag, varintTag } from "../wire/scan.ts";
import { Writer } from "../wire/writer.ts";
import { byteMethod, serviceNames } from "./services.ts";
import type { Streams } from "./streams.ts";

/** Answers grpc.health.v1 for the server as a whole, whose name is empty, and for each service. They come and go together. */
export interface Health {
  set(status: keyof typeof STATUS): void;
}

/** grpc.health.v1.HealthCheckResponse.ServingStatus. */
const STATUS = { SERVING: 1, NOT_SERVING: 2 } as const;
const SERVICE_UNKNOWN = 3;

const REQUEST_SERVICE = bytesTag(1);
const RESPONSE_STATUS = varintTag(1);
const LIST_STATUSES = bytesTag(1);

const names: readonly string[] = ["", ...serviceNames];

/** As health.proto defines it. */
export const healthService = {
  Check: byteMethod("/grpc.health.v1.Health/Check"),
  List: byteMethod("/grpc.health.v1.Health/List"),
  Watch: byteMethod("/grpc.health.v1.Health/Watch", { responseStream: true }),
};

type Unary = (call: ServerUnaryCall<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>) => void;

/**
 * NOT_SERVING until told otherwise. Over our own wire: three small messages do not need the protobuf library that
 * grpc-health-check loads.
 */
export function addHealth(server: Server, streams: Streams): Health {
  let now: number = STATUS.NOT_SERVING;
  const watchers = new Set<() => void>();

  const check: Unary = ({ request }, callback) => {
    const name = readName(request);
    if (names.includes(name)) return callback(null, toResponse(now));
    callback({ code: status.NOT_FOUND, details: `cannot tell the health of ${name}: no such service` });
  };
  const list: Unary = (_call, callback) => callback(null, toList(now));
  const watch = (call: ServerWritableStream<Buffer, Uint8Array>): void => {
    const isKnown = names.includes(readName(call.request));
    const tell = (): unknown => call.write(toResponse(isKnown ? now : SERVICE_UNKNOWN));
    tell();
    streams.add(call);
    if (!isKnown) return; // and it stays so
    watchers.add(tell);
    call.on("cancelled", () => watchers.delete(tell));
  };
  server.addService(healthService, { Check: check, List: list, Watch: watch });
  return {
    set: (status) => {
      now = STATUS[status];
      for (const tell of watchers) tell();
    },
  };
}

const readName = (request: Buffer): string =>
  readString({ bytes: request, start: 0, end: request.length }, REQUEST_SERVICE);

function toResponse(now: number): Uint8Array {
  const writer = new Writer(2);
  writer.number(RESPONSE_STATUS, now);
  return writer.finish();
}

function toList(now: number): Uint8Array {
  const writer = new Writer(256);
  for (const name of names) {
    writer.message(LIST_STATUSES, () => {
      writer.message(ENTRY_VALUE, () => writer.number(RESPONSE_STATUS, now));
      writer.string(ENTRY_KEY, name);
    });
  }
  return writer.finish();
}
