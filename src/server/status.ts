import { type StatusObject, status } from "@grpc/grpc-js";
import { FunctionError } from "../errors.ts";

/** The end of a call; the details are for the client to read. */
export type CallStatus = Pick<StatusObject, "code" | "details">;

/** Tells the client what was thrown; nothing of the request but where its bytes are wrong. */
export function toStatus(error: unknown): CallStatus {
  if (error instanceof FunctionError && error.code === "InvalidMessage") {
    return { code: status.INVALID_ARGUMENT, details: error.message };
  }
  return { code: status.INTERNAL, details: "cannot run the function: internal error, see the function's log" };
}

/**
 * gRPC's status codes under grpc-go's names, which the label grpc_code has in every function's metrics. A code's place is its
 * number on the wire: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
 */
const codeNames = [
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

export const toCodeName = (code: status): string => codeNames[code] ?? "Unknown";
