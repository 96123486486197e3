import { isV2 } from "../rig/crossplane.ts";
import { at, nameOf } from "../rig/objects.ts";
import { type Login, type Postgres, query, refusalOf, startPostgres } from "../rig/postgres.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { UPJET_GROUP, upjetOf } from "../rig/upjet-provider.ts";
import {
  autoReady,
  compose,
  compositionOf,
  definitionOf,
  GROUP,
  install,
  type Kind,
  open,
  ours,
  pluralOf,
  VERSION,
} from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** A real PostgreSQL, which three teams log in to with what their own Secrets hold. */

/** The namespace of the servers' Secrets. */
export const SERVERS = "login-servers";
const [RED, GREEN, BLUE] = ["login-red", "login-green", "login-blue"] as const;
const TEAMS = [RED, GREEN, BLUE];

/** A role whose password the cloud makes up. */
export const roleNamed = (name: string, secret: string) => ({
  apiVersion: `${UPJET_GROUP}/v1alpha1`,
  kind: "Role",
  metadata: { annotations: { "crossplane.io/external-name": name } },
  spec: { forProvider: {}, writeConnectionSecretToRef: { namespace: SERVERS, name: secret } },
});

const OWNER = "XPgServer";

/** A server has a common role for those who ask for no credential of their own. */
const ownerComposition = (rotation?: object) =>
  compositionOf(OWNER, [
    compose({ app: roleNamed("$(metadata.name)-app", "$(metadata.name)-app") }),
    ours("share", {
      consumers: {
        credentials: {
          turns: { fromCompositeFieldPath: "spec.turns" },
          template: roleNamed("main-{namespace}-{hash}", "main-{namespace}-{hash}"),
        },
        ...(rotation && { rotation }),
      },
    }),
    autoReady,
  ]);

const userOf = (team: string, connection: object): Kind => ({
  kind: `XPg${team}`,
  scope: "Legacy",
  claim: `Pg${team}`,
  spec: { database: { type: "string" } },
  input: {
    sharedResources: [{ name: "db", apiVersion: VERSION, kind: OWNER, select: { name: "main" }, connection }],
  },
});

const secretRef = { nameFieldPath: "spec.secret.name", namespaceFieldPath: "spec.secret.namespace" };
const OWN_KEYS = ["endpoint", "username", "password"].map((key) => ({ from: key, to: key }));
const URL_OF_DATABASE = "postgres://{username|url}:{password|url}@{endpoint}/{xr:spec.database|url}";

/** Red has a credential of its own, green the common one, and blue that as a URL; Crossplane v1 reads no Secret for it. */
const usersOn = ({ version }: Rig): readonly (Kind & { readonly namespace: string })[] => {
  const keys = isV2(version) ? { keys: [{ to: "url", value: URL_OF_DATABASE }] } : {};
  return [
    {
      ...userOf("Red", {
        secretRef: { perConsumer: true },
        copies: [{ secretName: "db", via: "ConnectionSecret", keys: OWN_KEYS }],
      }),
      namespace: RED,
    },
    { ...userOf("Green", { secretRef, copies: [{ secretName: "db" }] }), namespace: GREEN },
    { ...userOf("Blue", { secretRef, copies: [{ secretName: "db", ...keys }] }), namespace: BLUE },
  ];
};

export const login: Suite = {
  name: "a login",
  programs: ["postgres"],
  scenarios: [
    { name: "each of three teams logs in with its own Secret, and may no more than it should", run: allLogIn },
    { name: "a credential takes the other's turn, and an application is never refused", run: turnsWithoutGap },
    { name: "who loses its grant is refused, and the others lose no login", run: revokedIsRefused },
    { name: "the common password changes when somebody leaves, and applications follow", run: commonRotates },
  ],
};

let server: Postgres | undefined;

async function allLogIn(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  server = await startPostgres("postgres-main", rig.directory);
  upjetOf(rig).cloud.roles.servers.set("main-", server);
  await server.run("CREATE DATABASE orders");
  await kubectl.apply(
    ...[SERVERS, ...TEAMS].map(namespaceOf),
    definitionOf({ kind: OWNER, spec: { secret: open, turns: { type: "array", items: { type: "string" } } } }),
  );
  await kubectl.waitFor("Established", `xrd/${pluralOf(OWNER)}.${GROUP}`);
  await kubectl.apply(ownerComposition());
  await grant(rig, TEAMS);
  await install(kubectl, usersOn(rig));
  for (const { claim, namespace } of usersOn(rig))
    await kubectl.apply({
      apiVersion: VERSION,
      kind: claim,
      metadata: { namespace, name: "app" },
      spec: { database: "orders" },
    });
  const users: string[] = [];
  for (const team of TEAMS) {
    await until(`${team} logs in`, async () => (await tryLogin(rig, team)) === undefined, PATIENCE);
    const own = await loginOf(rig, team);
    if (own === undefined) throw new Error(`${team} has no Secret`);
    const [row] = await query(own, "SELECT current_user AS name, current_database() AS database");
    users.push(Object.values(row as object).join("@"));
    const refusal = await refusalOf(own, "CREATE DATABASE intruder");
    if (refusal !== "42501") throw new Error(`${team} may create a database: ${refusal}`);
  }
  return users.join(", ");
}

const grant = ({ kubectl }: Rig, teams: readonly string[], turns?: readonly string[]): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: OWNER,
    metadata: { name: "main", annotations: { [ALLOWED]: teams.join() } },
    spec: { secret: { namespace: SERVERS, name: "main-app" }, ...(turns && { turns }) },
  });

/** What an application finds in its Secret; undefined where there is none. */
export async function loginOf({ kubectl }: Rig, team: string): Promise<Login | undefined> {
  const data = at(await kubectl.get("secret/db", team), "data");
  if (data === undefined) return undefined;
  const text = (key: string): string => Buffer.from(String(at({ data }, `data.${key}`) ?? ""), "base64").toString();
  if (text("url") === "")
    return { endpoint: text("endpoint"), username: text("username"), password: text("password"), database: "orders" };
  const { host, username, password, pathname } = new URL(text("url"));
  return { endpoint: host, username, password: decodeURIComponent(password), database: pathname.slice(1) };
}

/** @returns the error code; undefined where it is let in. */
export async function tryLogin(rig: Rig, team: string): Promise<string | undefined> {
  return refusalWith(await loginOf(rig, team));
}

const refusalWith = async (own: Login | undefined): Promise<string | undefined> =>
  own === undefined ? "no Secret" : refusalOf(own);

/**
 * Logs in again and again, every 200 ms, until it is told to stop.
 *
 * @param read finds what it logs in with, again after each second.
 * @returns how often, and each refusal.
 */
export function keepLoggingIn(
  read: () => Promise<Login | undefined>,
): () => Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  let isOver = false;
  const run = async () => {
    const refusals: string[] = [];
    let [count, since] = [0, 0];
    let own: Login | undefined;
    for (; !isOver; count++) {
      if (Date.now() - since > 1000) [own, since] = [await read(), Date.now()];
      const refusal = await refusalWith(own);
      if (refusal !== undefined) refusals.push(refusal);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return { count, refusals };
  };
  const running = run();
  return () => {
    isOver = true;
    return running;
  };
}

async function turnsWithoutGap(rig: Rig): Promise<string> {
  const end = keepLoggingIn(() => loginOf(rig, RED));
  try {
    const seen = [await turn(rig, ["a"]), await turn(rig, ["b"])];
    const { count, refusals } = await end();
    if (refusals.length > 0) throw new Error(`refused ${refusals.length} times of ${count}: ${refusals.join(", ")}`);
    return `${seen.join("; ")}; an application that reads its Secret each second logged in ${count} times, never refused`;
  } finally {
    await end();
  }
}

/** @returns when the team had the next credential, and when the older one ended. */
async function turn(rig: Rig, turns: readonly string[]): Promise<string> {
  const older = await loginOf(rig, RED);
  if (older === undefined) throw new Error("red has no Secret");
  const start = Date.now();
  await grant(rig, TEAMS, turns);
  const hasNext = async () => (await loginOf(rig, RED))?.username !== older.username;
  await until("red has the next credential", hasNext, PATIENCE);
  const moved = secondsSince(start);
  await until("the older one is refused", async () => (await refusalOf(older)) === "28P01", PATIENCE);
  return `the next one after ${moved} s, the older one ended after ${secondsSince(start)} s`;
}

/** Pauses the XR of a team, as the team itself may, or not any more; either is an event. */
async function pause({ kubectl }: Rig, kind: string, value: string | null): Promise<void> {
  const [name] = (await kubectl.list(`${pluralOf(kind)}.${GROUP}`)).map(nameOf);
  const annotations = { "crossplane.io/paused": value, "example.org/touched": String(Date.now()) };
  await kubectl.patch(`${pluralOf(kind)}.${GROUP}/${name}`, { metadata: { annotations } });
}

async function revokedIsRefused(rig: Rig): Promise<string> {
  const others = [GREEN, BLUE];
  const before = await Promise.all([RED, ...others].map((team) => loginOf(rig, team)));
  const [red, ...kept] = before.flatMap((own) => own ?? []);
  if (red === undefined || kept.length !== 2) throw new Error("not everybody has a Secret");
  const loops = kept.map((own) => keepLoggingIn(async () => own));
  await pause(rig, "XPgRed", "true");
  const start = Date.now();
  await grant(rig, others);
  let code: string | undefined;
  const isRefused = async () => {
    code = await refusalOf(red);
    return code === "28P01" || code === "28000";
  };
  await until("red is refused", isRefused, PATIENCE);
  const seconds = secondsSince(start);
  // Crossplane forgets a paused XR: its next event counts, and where the circuit of the XR is open, one each 30 s.
  const isGone = async () => {
    await pause(rig, "XPgRed", null);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    return (await loginOf(rig, RED)) === undefined;
  };
  await until("red's Secret is gone", isGone, PATIENCE);
  const ends = await Promise.all(loops.map((end) => end()));
  const refusals = ends.flatMap((end) => end.refusals);
  if (refusals.length > 0) throw new Error(`the others were refused: ${refusals.join(", ")}`);
  const after = await Promise.all(others.map((team) => loginOf(rig, team)));
  if (JSON.stringify(after) !== JSON.stringify(kept)) throw new Error("the others' Secrets have changed");
  return `${code} after ${seconds} s, with its XR paused; the others logged in ${ends.map(({ count }) => count).join(" and ")} times, never refused`;
}

const secondsSince = (start: number): string => ((Date.now() - start) / 1000).toFixed(1);

async function commonRotates(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(ownerComposition({ resource: "app", toFieldPath: "spec.forProvider.rotation" }));
  const isRemembered = async () =>
    (await kubectl.list(`roles.${UPJET_GROUP}`)).some((role) =>
      JSON.stringify(role).includes("fn.crossplane.io/rotation"),
    );
  await until("who has access is remembered", isRemembered, PATIENCE);
  const green = await loginOf(rig, GREEN);
  if (green === undefined) throw new Error("green has no Secret");
  await grant(rig, [BLUE]);
  const start = Date.now();
  await until("the password of green is refused", async () => (await refusalOf(green)) === "28P01", PATIENCE);
  const [changed, refused] = [secondsSince(start), Date.now()];
  await until(
    "blue logs in with what its Secret holds now",
    async () => (await tryLogin(rig, BLUE)) === undefined,
    PATIENCE,
  );
  const lockedOut = secondsSince(refused);
  await until("green's Secret is gone", async () => (await loginOf(rig, GREEN)) === undefined, PATIENCE);
  for (const { claim, namespace } of usersOn(rig))
    await kubectl.run("delete", `${pluralOf(String(claim))}.${GROUP}/app`, "-n", namespace, "--wait=false");
  const isFree = async () =>
    at(await kubectl.get(`${pluralOf(OWNER)}.${GROUP}/main`), "metadata.labels[crossplane.io/in-use]") === undefined;
  await until("nothing protects the server", isFree, PATIENCE);
  await kubectl.run("delete", `${pluralOf(OWNER)}.${GROUP}/main`, "--wait=false");
  await until(
    "its roles are dropped",
    async () => (await server?.run("SELECT 1 FROM pg_roles WHERE rolname LIKE 'main-%'"))?.length === 0,
    PATIENCE,
  );
  await server?.stop();
  return `changed after ${changed} s; an application that reads its Secret anew was locked out for ${lockedOut} s`;
}
