/**
 * gRPC's status codes under grpc-go's names, which the label grpc_code has in every function's metrics. A code's place is its
 * number on the wire: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
 */
export const codes = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
] as const;

export type Code = (typeof codes)[number];

/** How a call ends; the details are for the client to read. */
export interface Status {
  readonly code: Code;
  readonly details?: string;
}

/** Ends the call in which it is thrown, and tells the client its message. */
export class StatusError extends Error implements Status {
  override readonly name = "StatusError";
  readonly code: Code;

  constructor(code: Code, details: string) {
    super(details);
    this.code = code;
  }

  get details(): string {
    return this.message;
  }
}

/** The headers that tell it. */
export function trailersOf({ code, details }: Status): Record<string, string> {
  const trailers = { "grpc-status": String(codes.indexOf(code)) };
  return details === undefined ? trailers : { ...trailers, "grpc-message": percentEncoded(details) };
}

/** As gRPC's protocol has it: all bytes of UTF-8 but printable ASCII, and the percent sign. */
const percentEncoded = (text: string): string =>
  Buffer.from(text)
    .toString("latin1")
    .replace(/[^\x20-\x24\x26-\x7e]/g, (byte) => `%${Buffer.from(byte, "latin1").toString("hex").toUpperCase()}`);
