import type { Call } from "../grpc/call.ts";
import { type Method, type Methods, type Receiver, unary } from "../grpc/method.ts";
import { StatusError } from "../grpc/status.ts";
import { ENTRY_KEY, ENTRY_VALUE } from "../wire/fields.ts";
import { readString } from "../wire/message.ts";
import { bytesTag, varintTag } from "../wire/scan.ts";
import { Writer } from "../wire/writer.ts";
import { serviceNames } from "./services.ts";

/** Answers grpc.health.v1 for the server as a whole, whose name is empty, and for each service. They come and go together. */
export interface Health {
  /** As health.proto defines them. */
  readonly methods: Methods;
  set(status: keyof typeof STATUS): void;
}

/** grpc.health.v1.HealthCheckResponse.ServingStatus. */
const STATUS = { SERVING: 1, NOT_SERVING: 2 } as const;
const SERVICE_UNKNOWN = 3;

const REQUEST_SERVICE = bytesTag(1);
const RESPONSE_STATUS = varintTag(1);
const LIST_STATUSES = bytesTag(1);

const names: readonly string[] = ["", ...serviceNames];

/** NOT_SERVING until told otherwise. */
export function createHealth(): Health {
  let now: number = STATUS.NOT_SERVING;
  const watchers = new Set<() => void>();

  const check = unary((request) => {
    const name = readName(request);
    if (names.includes(name)) return toResponse(now);
    throw new StatusError("NotFound", `cannot tell the health of ${name}: no such service`);
  });
  const watch = (call: Call): Receiver => ({
    message: (request) => {
      const isKnown = names.includes(readName(request));
      const tell = (): void => call.send(toResponse(isKnown ? now : SERVICE_UNKNOWN));
      tell();
      if (!isKnown) return; // and it stays so
      watchers.add(tell);
      call.onClose(() => watchers.delete(tell));
    },
    end: () => {},
  });
  const methods: readonly (readonly [string, Method])[] = [
    ["Check", check],
    ["List", unary(() => toList(now))],
    ["Watch", { requestStream: false, responseStream: true, open: watch }],
  ];
  return {
    methods: new Map(methods.map(([name, method]) => [`/grpc.health.v1.Health/${name}`, method])),
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
