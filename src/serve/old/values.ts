import type { Address, TcpAddress } from "../../server/address.ts";

/** Go's names of networks, which other functions' flags use too. */
export const networks = ["tcp", "tcp4", "tcp6", "unix"] as const;
export type Network = (typeof networks)[number];

export const toNetwork = (text: string): Network | undefined => networks.find((network) => network === text);

const HOST_AND_PORT = /^(?:\[(?<ipv6>[^[\]]+)\]|(?<name>[^:[\]]*)):(?<port>\d{1,5})$/;

/** Parses an address in Go's notation: `:9443`, `localhost:9443`, `[::1]:9443`, or a path for network unix. */
export function toAddress(text: string, network: Network): Address | undefined {
  if (network === "unix") return text === "" ? undefined : { path: text };
  return toTcpAddress(text, network);
}

/** Parses the address of a TCP network. */
export function toTcpAddress(text: string, network: Exclude<Network, "unix"> = "tcp"): TcpAddress | undefined {
  const parts = HOST_AND_PORT.exec(text)?.groups;
  const port = Number(parts?.["port"]);
  if (parts === undefined || port > 65_535) return undefined;
  const host = parts["ipv6"] ?? parts["name"] ?? "";
  if (network === "tcp4") return { host: host || "0.0.0.0", port };
  if (network === "tcp6") return { host: host || "::", port, ipv6Only: true };
  return host === "" ? { port } : { host, port };
}

const BYTES_PER_MB = 1024 * 1024;
/** Buffers and gRPC's length prefix allow more, which is never useful. */
const MAX_MB = 2047;

/** Converts a whole number of MB, from 1 on, to bytes. */
export function toBytes(text: string): number | undefined {
  const megabytes = /^\d+$/.test(text) ? Number(text) : 0;
  return megabytes >= 1 && megabytes <= MAX_MB ? megabytes * BYTES_PER_MB : undefined;
}

/** A list of headers is in memory as a whole. */
const MAX_HEADER_KB = 1024;

/** Converts a whole number of KB, from 1 to 1024, to bytes. */
export function toHeaderBytes(text: string): number | undefined {
  const kilobytes = /^\d+$/.test(text) ? Number(text) : 0;
  return kilobytes >= 1 && kilobytes <= MAX_HEADER_KB ? kilobytes * 1024 : undefined;
}

/** Parses a whole number from 1 to a million. */
export function toCount(text: string): number | undefined {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= 1_000_000 ? count : undefined;
}

/** Like `toMilliseconds`, without 0. */
export const toPositiveMilliseconds = (text: string): number | undefined => toMilliseconds(text) || undefined;

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
