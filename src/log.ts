import type { Writable } from "node:stream";
import { createLogger, format, transports } from "winston";

/** Writes a line. Its fields hold never a Secret's value, a literal of an input or a whole request. */
type Write = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** The part of a winston logger that we use. */
export type Log = Readonly<Record<"debug" | "info" | "warn" | "error", Write>>;

const asText = format.printf(({ timestamp, level, message, ...fields }) => {
  const rest = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return `${timestamp} ${level.padEnd(5)} ${message}${rest}`;
});

/**
 * Logs JSON, one object a line, from level info on; with `debug` text for people, from level debug on.
 *
 * @param stream standard error, so that standard output stays free for a command's output.
 */
export function createLog({ debug }: { readonly debug: boolean }, stream: Writable): Log {
  const logger = createLogger({
    level: debug ? "debug" : "info",
    format: format.combine(format.timestamp(), debug ? asText : format.json()),
    transports: [new transports.Stream({ stream })],
  });
  // winston formats a line before it checks the level, and every call has a debug line.
  return debug ? logger : Object.assign(logger, { debug: () => logger });
}
