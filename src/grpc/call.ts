import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { prefixOf } from "./framing.ts";
import { type Status, trailersOf } from "./status.ts";
import { toMilliseconds } from "./timeout.ts";

const OK: Status = { code: "OK" };
const HEADERS = { ":status": 200, "content-type": "application/grpc" } as const;
const NO_ERROR = 0;

/** One call: an HTTP/2 stream, seen as gRPC sees it. */
export class Call {
  /** `/package.Service/Method` */
  readonly path: string;
  readonly #stream: ServerHttp2Stream;
  readonly #timeout: string | undefined;
  readonly #start = Date.now();
  #status: Status | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream;
    this.path = headers[":path"] ?? "";
    this.#timeout = headers["grpc-timeout"]?.toString();
  }

  /** Whether the client has stopped waiting. @throws {StatusError} where it does not say when in gRPC's way. */
  get isLate(): boolean {
    return this.#timeout !== undefined && Date.now() >= this.#start + toMilliseconds(this.#timeout);
  }

  /** How it was ended; undefined while it is open, and where the client went away before. */
  get status(): Status | undefined {
    return this.#status;
  }

  /** Whether nobody takes what is sent from now on. */
  get isOver(): boolean {
    return this.#status !== undefined || this.#stream.closed || this.#stream.destroyed;
  }

  /** Calls back once the stream has ended, whoever ended it. */
  onClose(listener: () => void): void {
    this.#stream.once("close", listener);
  }

  send(message: Uint8Array): void {
    if (this.isOver) return;
    this.#respond();
    // One write for both: a frame, and not two.
    this.#stream.cork();
    this.#stream.write(prefixOf(message));
    this.#stream.write(message);
    this.#stream.uncork();
  }

  end(status: Status = OK): void {
    if (this.isOver) return;
    this.#status = status;
    if (this.#stream.headersSent) {
      this.#stream.end();
      return;
    }
    this.#stream.respond({ ...HEADERS, ...trailersOf(status) }, { endStream: true });
    if (!this.#stream.readableEnded) this.#stream.close(NO_ERROR); // what is still to come is of no use
  }

  #respond(): void {
    if (this.#stream.headersSent) return;
    this.#stream.respond(HEADERS, { waitForTrailers: true });
    this.#stream.once("wantTrailers", () => {
      this.#stream.sendTrailers(trailersOf(this.#status ?? OK)); // which go out in the next turn
      if (!this.#stream.readableEnded) setImmediate(() => this.#stream.close(NO_ERROR));
    });
  }
}
