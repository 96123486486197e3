import { type StatusObject, status } from "@grpc/grpc-js";
import { FunctionError } from "../errors.ts";

export type CallStatus = Pick<StatusObject, "code" | "details">;

/** The one place where what was thrown becomes what the client is told; nothing of the request but where its bytes are wrong. */
export function toStatus(error: unknown): CallStatus {
  if (error instanceof FunctionError && error.code === "InvalidMessage") {
    return { code: status.INVALID_ARGUMENT, details: error.message };
  }
  return { code: status.INTERNAL, details: "cannot run the function: internal error, see the function's log" };
}

/** grpc-go's names of the codes, which the label grpc_code has in every function's metrics. */
const codeNames: ReadonlyMap<number, string> = new Map([
  [status.OK, "OK"],
  [status.CANCELLED, "Canceled"],
  [status.UNKNOWN, "Unknown"],
  [status.INVALID_ARGUMENT, "InvalidArgument"],
  [status.DEADLINE_EXCEEDED, "DeadlineExceeded"],
  [status.NOT_FOUND, "NotFound"],
  [status.ALREADY_EXISTS, "AlreadyExists"],
  [status.PERMISSION_DENIED, "PermissionDenied"],
  [status.RESOURCE_EXHAUSTED, "ResourceExhausted"],
  [status.FAILED_PRECONDITION, "FailedPrecondition"],
  [status.ABORTED, "Aborted"],
  [status.OUT_OF_RANGE, "OutOfRange"],
  [status.UNIMPLEMENTED, "Unimplemented"],
  [status.INTERNAL, "Internal"],
  [status.UNAVAILABLE, "Unavailable"],
  [status.DATA_LOSS, "DataLoss"],
  [status.UNAUTHENTICATED, "Unauthenticated"],
]);

export const toCodeName = (code: number): string => codeNames.get(code) ?? "Unknown";
