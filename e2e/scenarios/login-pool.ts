import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { type Postgres, startPostgres } from "../rig/postgres.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { upjetOf } from "../rig/upjet-provider.ts";
import { current, lose, restore } from "./backup.ts";
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
import { keepLoggingIn, loginOf, roleNamed, SERVERS, tryLogin } from "./login.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** Two real PostgreSQL servers with room for two teams each, and five teams. */

const OWNER = "XPgMember";
const TEAMS = ["a", "b", "c", "d", "e"].map((letter) => `login-pool-${letter}`);

const user: Kind = {
  kind: "XPgTenant",
  scope: "Legacy",
  claim: "PgTenant",
  input: {
    adoption: {},
    sharedResources: [
      {
        name: "db",
        apiVersion: VERSION,
        kind: OWNER,
        select: { matchLabels: { pool: "postgres" }, prefer: "LeastUsed" },
        connection: {
          secretRef: { nameFieldPath: "spec.secret.name", namespaceFieldPath: "spec.secret.namespace" },
          copies: [{ secretName: "db" }],
        },
      },
    ],
  },
};

export const loginPool: Suite = {
  name: "a login to a pool",
  programs: ["postgres"],
  scenarios: [
    { name: "four of five teams log in to two servers with room for two each", run: fourLogIn },
    { name: "after a restore everybody logs in where he did, with the same Secret", run: restored },
    { name: "when somebody leaves, the fifth logs in, and a new and emptier server moves nobody", run: fifthLogsIn },
  ],
};

const servers = new Map<string, Postgres>();

async function addMember(rig: Rig, name: string): Promise<void> {
  const { kubectl } = rig;
  const server = await startPostgres(`postgres-${name}`, rig.directory);
  await server.run("CREATE DATABASE orders");
  servers.set(name, server);
  upjetOf(rig).cloud.roles.servers.set(`${name}-`, server);
  await kubectl.apply({
    apiVersion: VERSION,
    kind: OWNER,
    metadata: { name, labels: { pool: "postgres" }, annotations: { [ALLOWED]: "*" } },
    spec: { secret: { namespace: SERVERS, name: `${name}-app` } },
  });
}

/** The name of the server that each team's Secret leads to; undefined for a team without one. */
const serversOf = (rig: Rig): Promise<readonly (string | undefined)[]> =>
  Promise.all(
    TEAMS.map(async (team) => {
      const own = await loginOf(rig, team);
      return [...servers].find(([, { endpoint }]) => endpoint === own?.endpoint)?.[0];
    }),
  );

const isLetIn = async (rig: Rig, team: string): Promise<boolean> => (await tryLogin(rig, team)) === undefined;

async function fourLogIn(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(...[SERVERS, ...TEAMS].map(namespaceOf), definitionOf({ kind: OWNER, spec: { secret: open } }));
  await kubectl.waitFor("Established", `xrd/${pluralOf(OWNER)}.${GROUP}`);
  await kubectl.apply(
    compositionOf(OWNER, [
      compose({ app: roleNamed("$(metadata.name)-app", "$(metadata.name)-app") }),
      ours("share", { adoption: {}, consumers: { capacity: 2 } }),
      autoReady,
    ]),
  );
  for (const name of ["pool-one", "pool-two"]) await addMember(rig, name);
  await install(kubectl, [user]);
  for (const namespace of TEAMS)
    await kubectl.apply({ apiVersion: VERSION, kind: user.claim, metadata: { namespace, name: "app" }, spec: {} });
  const letIn = async () => (await Promise.all(TEAMS.map((team) => isLetIn(rig, team)))).filter(Boolean).length;
  await until("four log in", async () => (await letIn()) === 4, PATIENCE);
  const used = (await serversOf(rig)).filter((name) => name !== undefined).sort();
  if (used.join() !== "pool-one,pool-one,pool-two,pool-two") throw new Error(`they log in to ${used.join()}`);
  await waitUntilToldApart(rig);
  return `two on each; ${TEAMS[(await serversOf(rig)).indexOf(undefined)]}: NoCapacity`;
}

const CLAIM = `${pluralOf("PgTenant")}.${GROUP}/app`;

const claimsIn = async ({ kubectl }: Rig): Promise<readonly JsonObject[]> =>
  (await Promise.all(TEAMS.map((team) => kubectl.get(CLAIM, team)))).filter((claim) => claim !== undefined);

/** Waits until four claims are served, and the fifth is told that there is no room. */
async function waitUntilToldApart(rig: Rig): Promise<void> {
  const reasons = async () => (await claimsIn(rig)).map((claim) => conditionOf(claim, "SharedResourcesReady")?.reason);
  const expected = [...TEAMS.slice(1).map(() => "Available"), "NoCapacity"].join();
  await until("the fifth is told", async () => (await reasons()).sort().join() === expected, PATIENCE);
}

/**
 * Servers, records, answers and Objects come back in Velero's order, without status and owner references. Of the XRs of claims nothing
 * does: Crossplane makes them anew from their claims. The Secrets of the teams are there all the while.
 */
async function restored(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const xrsOf = (kind: string) => kubectl.list(`${pluralOf(kind)}.${GROUP}`);
  const [claims, xrs, members] = [await claimsIn(rig), await xrsOf(user.kind), await xrsOf(OWNER)];
  const composed = (await Promise.all([...xrs, ...members].map((xr) => composedBy(rig, xr)))).flat();
  const passwords = (await kubectl.list("secrets", SERVERS)).filter((one) => nameOf(one).startsWith("pool-"));
  const before = await whereTheyLogIn(rig);
  const loops = TEAMS.filter((_, index) => before[index] !== undefined).map((team) =>
    keepLoggingIn(() => loginOf(rig, team)),
  );
  await lose(rig, ...claims, ...xrs, ...members, ...composed, ...passwords);
  for (const object of inVelerosOrder([...claims, ...members, ...composed, ...passwords])) await restore(rig, object);
  await waitUntilToldApart(rig);
  await sleep(6000); // several reconciles, in each of which it could go wrong
  const after = await whereTheyLogIn(rig);
  if (after.join() !== before.join()) throw new Error(`they log in by ${after.join()} in place of ${before.join()}`);
  const ends = await Promise.all(loops.map((end) => end()));
  const refusals = ends.flatMap((end) => end.refusals);
  if (refusals.length > 0) throw new Error(`they were refused: ${refusals.join(", ")}`);
  const count = ends.reduce((sum, end) => sum + end.count, 0);
  return `${composed.length + passwords.length + members.length + claims.length} objects came back; ${count} logins meanwhile, never refused`;
}

async function composedBy(rig: Rig, xr: JsonObject): Promise<readonly JsonObject[]> {
  const references = at(xr, "spec.resourceRefs") as readonly JsonObject[];
  const found = references.map(({ name, ...kind }) => current(rig, { ...kind, metadata: { name } as JsonObject }));
  return (await Promise.all(found)).filter((object) => object !== undefined);
}

/** Sorts by plural name, with Secrets first. */
const inVelerosOrder = (objects: readonly JsonObject[]): readonly JsonObject[] => {
  const rank = ({ kind }: JsonObject): string => (kind === "Secret" ? "" : pluralOf(String(kind)));
  return objects.toSorted((a, b) => (rank(a) < rank(b) ? -1 : Number(rank(a) > rank(b))));
};

/** The server and the Secret of each team; undefined for a team without one. */
async function whereTheyLogIn(rig: Rig): Promise<readonly (string | undefined)[]> {
  const found = await serversOf(rig);
  const secrets = await Promise.all(TEAMS.map((team) => rig.kubectl.get("secret/db", team)));
  return secrets.map((secret, index) =>
    isObject(secret) ? `${found[index]} with ${JSON.stringify(secret["data"])}` : undefined,
  );
}

async function fifthLogsIn(rig: Rig): Promise<string> {
  const before = await serversOf(rig);
  const [leaving, waiting] = [before.findIndex((name) => name !== undefined), before.indexOf(undefined)];
  const start = Date.now();
  await rig.kubectl.run("delete", CLAIM, "-n", TEAMS[leaving] ?? "", "--wait=false");
  await until("the fifth logs in", () => isLetIn(rig, TEAMS[waiting] ?? ""), PATIENCE);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  await addMember(rig, "pool-three");
  const isReady = async () =>
    conditionOf(await rig.kubectl.get(`${pluralOf(OWNER)}.${GROUP}/pool-three`), "Ready")?.status === "True";
  await until("the new server is ready", isReady, PATIENCE);
  const wanted = before.map((name, index) =>
    index === leaving ? undefined : index === waiting ? before[leaving] : name,
  );
  const after = await serversOf(rig);
  if (after.join() !== wanted.join())
    throw new Error(`somebody has moved: ${after.join()} in place of ${wanted.join()}`);
  for (const team of TEAMS) await rig.kubectl.run("delete", CLAIM, "-n", team, "--wait=false", "--ignore-not-found");
  const left = async () => (await rig.kubectl.list(`${pluralOf(user.kind)}.${GROUP}`)).length;
  await until("all have left", async () => (await left()) === 0, PATIENCE);
  for (const name of servers.keys()) {
    const member = `${pluralOf(OWNER)}.${GROUP}/${name}`;
    const isFree = async () => at(await rig.kubectl.get(member), "metadata.labels[crossplane.io/in-use]") === undefined;
    await until(`nothing protects ${name}`, isFree, PATIENCE);
    await rig.kubectl.run("delete", member, "--wait=false");
  }
  const roles = async () =>
    (
      await Promise.all(
        [...servers.values()].map((one) => one.run("SELECT 1 FROM pg_roles WHERE rolname LIKE 'pool-%'")),
      )
    ).flat();
  await until("their roles are dropped", async () => (await roles()).length === 0, PATIENCE);
  for (const one of servers.values()) await one.stop();
  return `after ${seconds} s; a third, empty server moved nobody`;
}
