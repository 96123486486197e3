import { type StatusObject, status } from "@grpc/grpc-js";
import { FunctionError } from "../errors.ts";

/** The status that ends a call; the client reads the details. */
export type CallStatus = Pick<StatusObject, "code" | "details">;

/** Converts an error to a status. It contains nothing of the request, except the position of a wrong byte. */
export function toStatus(error: unknown): CallStatus {
  if (error instanceof FunctionError && error.code === "InvalidMessage") {
    return { code: status.INVALID_ARGUMENT, details: error.message };
  }
  return { code: status.INTERNAL, details: "cannot run the function: internal error, see the function's log" };
}

/**
 * Names of gRPC's status codes by number, in grpc-go's spelling, which the label grpc_code has in every function's metrics: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
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
