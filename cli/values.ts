import type { TcpAddress } from "../src/server/address.ts";

const HOST_AND_PORT = /^(?:\[(?<ipv6>[^[\]]+)\]|(?<name>[^:[\]]*)):(?<port>\d{1,5})$/;

/** Parses an address in Go's notation: `:9443`, `localhost:9443`, `[::1]:9443`. */
export function toTcpAddress(text: string): TcpAddress | undefined {
  const parts = HOST_AND_PORT.exec(text)?.groups;
  const port = Number(parts?.["port"]);
  if (parts === undefined || port > 65_535) return undefined;
  const host = parts["ipv6"] ?? parts["name"] ?? "";
  return host === "" ? { port } : { host, port };
}

const DURATION = /^(?:(?<h>\d{1,5})h)?(?:(?<m>\d{1,5})m)?(?:(?<s>\d{1,5})s)?(?:(?<ms>\d{1,7})ms)?$/;
/** Node's timers wait for at most 2^31 - 1 milliseconds; a day is well below that. */
const MAX_DURATION_MS = 24 * 3_600_000;

/** Converts a Go duration of at most a day, such as 25s, 1m30s or 500ms, to milliseconds. */
export function toMilliseconds(text: string): number | undefined {
  const parts = text === "" ? undefined : DURATION.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const part = (unit: string): number => Number(parts[unit] ?? 0);
  const total = part("h") * 3_600_000 + part("m") * 60_000 + part("s") * 1000 + part("ms");
  return total <= MAX_DURATION_MS ? total : undefined;
}

/** Splits `key=value` at the first `=`; the value may contain `=` and commas. */
export function toPair(text: string): readonly [key: string, value: string] | undefined {
  const at = text.indexOf("=");
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}
