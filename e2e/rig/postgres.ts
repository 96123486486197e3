import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import type { JsonObject } from "../../src/model/json.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { pathOf } from "./kubectl.ts";
import { startPart } from "./process.ts";

/** What an application needs to log in. */
export interface Login {
  /** As `host:port`. */
  readonly endpoint: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** A real PostgreSQL server on loopback. */
export interface Postgres {
  readonly endpoint: string;
  /** Runs SQL as its administrator. */
  run(sql: string): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

const ADMIN = { username: "postgres", password: "postgres-s3cret", database: "postgres" };

/** PostgreSQL does not run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

export async function startPostgres(name: string, directory: string): Promise<Postgres> {
  // Every folder above its data has to be passable for its user, and the rig's is not.
  const folder = mkdtempSync(join(tmpdir(), "e2e-postgres-"));
  cpSync(dirname(dirname(pathOf("postgres"))), folder, { recursive: true });
  const user = process.getuid?.() === 0 ? NOBODY : undefined;
  writeFileSync(join(folder, "password"), ADMIN.password);
  if (user !== undefined) for (const path of [folder, join(folder, "password")]) chownSync(path, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const [data, port] = [join(folder, "data"), await freePort()];
  const args = [`--pwfile=${join(folder, "password")}`, "-U", ADMIN.username, "--auth=scram-sha-256", "--no-sync"];
  const made = spawnSync(join(folder, "bin/initdb"), ["-D", data, "--no-locale", "-E", "UTF8", ...args], { ...user });
  if (made.status !== 0) throw new Error(`cannot create a database cluster: ${made.stderr?.toString() ?? ""}`);
  const endpoint = `127.0.0.1:${port}`;
  const login: Login = { endpoint, ...ADMIN };
  const part = await startPart({
    name,
    command: join(folder, "bin/postgres"),
    args: ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", "", "-c", "fsync=off", "-c", "shared_buffers=16MB"],
    user,
    directory,
    isReady: async () => (await refusalOf(login)) === undefined,
  });
  return {
    endpoint,
    run: (sql) => query(login, sql),
    stop: async () => {
      await part.stop("SIGINT"); // SIGTERM waits for the clients
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Logs in and runs SQL, as an application does. @throws {Error} with PostgreSQL's `code` where it is refused. */
export async function query(
  { endpoint, username, password, database }: Login,
  sql: string,
): Promise<readonly unknown[]> {
  const [host = "", port] = endpoint.split(":");
  const client = postgres({ host, port: Number(port), username, password, database, max: 1, onnotice: () => {} });
  try {
    return [...(await client.unsafe(sql).simple())];
  } finally {
    await client.end();
  }
}

/** Finds out why a login, or what it runs, is refused: PostgreSQL's error code; undefined where it is not. */
export async function refusalOf(login: Login, sql = "SELECT 1"): Promise<string | undefined> {
  try {
    await query(login, sql);
    return undefined;
  } catch (error) {
    return String((error as { readonly code?: unknown }).code ?? error);
  }
}

/**
 * The roles of PostgreSQL servers, as the cloud of tools/upjet-provider: a role belongs to the server whose name its own begins with. The
 * cloud makes up the password, and another one for each new value of `rotation`.
 */
export class Roles {
  /** By what the names of their roles begin with. */
  readonly servers = new Map<string, Postgres>();
  readonly #roles = new Map<string, JsonObject>();
  #made = 0;

  async handle(method: string, name: string, { rotation = "" }: JsonObject): Promise<JsonObject | undefined> {
    const [, server] = [...this.servers].find(([prefix]) => name.startsWith(prefix)) ?? [];
    if (server === undefined) throw new Error(`cannot find the server of role ${name}`);
    const before = this.#roles.get(name);
    if (method === "DELETE" && before !== undefined) {
      await server.run(`DROP OWNED BY "${name}"; DROP ROLE "${name}"`);
      this.#roles.delete(name);
    }
    if (method !== "PUT" || (before !== undefined && before["rotation"] === rotation)) return before;
    this.#made += 1;
    const password = `role-s3cret-${this.#made}`;
    const verb = before === undefined ? "CREATE" : "ALTER";
    await server.run(`${verb} ROLE "${name}" LOGIN PASSWORD '${password}'`);
    const role = { name, rotation, username: name, password, endpoint: server.endpoint };
    this.#roles.set(name, role);
    return role;
  }
}
