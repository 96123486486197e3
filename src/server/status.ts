import { FunctionError } from "../errors.ts";
import type { Status } from "../grpc/status.ts";

/** The one place where what was thrown becomes what the client is told; nothing of the request but where its bytes are wrong. */
export function toStatus(error: unknown): Status {
  if (error instanceof FunctionError && error.code === "InvalidMessage") {
    return { code: "InvalidArgument", details: error.message };
  }
  return { code: "Internal", details: "cannot run the function: internal error, see the function's log" };
}
