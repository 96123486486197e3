import { StatusError } from "./status.ts";

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * How long a client waits, in milliseconds.
 *
 * @param text the header grpc-timeout: up to eight digits and a unit.
 * @throws {StatusError} `Internal` for anything else, as grpc-go has it.
 */
export function toMilliseconds(text: string): number {
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  const scale = MILLISECONDS[unit];
  if (digits === undefined || scale === undefined) throw new StatusError("Internal", `malformed grpc-timeout: ${text}`);
  return Number(digits) * scale;
}
