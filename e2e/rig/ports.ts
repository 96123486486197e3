import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";

/**
 * Names the program that keeps others from listening on a port of all addresses, as providers do. Undefined where the port is free.
 * Only Linux tells which program it is, and only of those that this user may look into.
 */
async function takerOf(port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port), "listening");
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return nameListener(port) ?? "another program";
  } finally {
    server.close();
  }
}

/** @throws {Error} that names the program that listens on the port which the metrics of `name` need. */
export async function assertIsFree(port: number, name: string): Promise<void> {
  const taker = await takerOf(port);
  if (taker === undefined) return;
  throw new Error(`cannot start ${name}: its metrics need port ${port}, where ${taker} listens: end that first`);
}

function nameListener(port: number): string | undefined {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listenersIn(table, port)));
  const pid = readFolder("/proc").find((name) => /^\d+$/.test(name) && hasOneOf(sockets, `/proc/${name}/fd`));
  if (pid === undefined) return undefined;
  return `${orElse("a program", () => readFileSync(`/proc/${pid}/comm`, "utf8").trim())} (process ${pid})`;
}

const LISTENING = "0A";

/** The links in /proc/PID/fd to the sockets that listen on the port: "sl local_address rem_address st … uid timeout inode". */
function listenersIn(table: string, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = existsSync(table) ? readFileSync(table, "utf8").split("\n").slice(1) : [];
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local = "", , state]) => local.endsWith(suffix) && state === LISTENING)
    .map((fields) => `socket:[${fields[9] ?? ""}]`);
}

const hasOneOf = (sockets: ReadonlySet<string>, folder: string): boolean =>
  readFolder(folder).some((file) => sockets.has(readLink(`${folder}/${file}`)));

/** Processes and their files go, and those of other users cannot be read. */
const readFolder = (folder: string): readonly string[] => orElse([], () => readdirSync(folder));
const readLink = (link: string): string => orElse("", () => readlinkSync(link));

function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
