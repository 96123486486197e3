import type { Writable } from "node:stream";
import { createLogger, format, transports } from "winston";

/** Writes a line. Its fields must not hold a Secret's value, a literal of an input or a whole request. */
type Write = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** The methods of a winston logger that the function calls. */
export type Log = Readonly<Record<"debug" | "info" | "warn" | "error", Write>>;

const asText = format.printf(({ timestamp, level, message, ...fields }) => {
  const rest = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return `${timestamp} ${level.padEnd(5)} ${message}${rest}`;
});

/** Creates the log: lines of JSON from level info on; with `debug`, lines of text from level debug on. */
export function createLog({ debug }: { readonly debug: boolean }, stream: Writable): Log {
  const logger = createLogger({
    level: debug ? "debug" : "info",
    format: format.combine(format.timestamp(), debug ? asText : format.json()),
    transports: [new transports.Stream({ stream })],
  });
  // winston formats a line before it drops it for its level, and every RunFunction call logs a debug line.
  return debug ? logger : Object.assign(logger, { debug: () => logger });
}
