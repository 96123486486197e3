import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** Two databases for one XR each, and three teams. */

const TEAMS = ["pool-team-a", "pool-team-b", "pool-team-c"] as const;

const database: Kind = { kind: "XPooled", scope: "Legacy", input: { consumers: { capacity: 1 } } };

const user: Kind = {
  kind: "XPooledUser",
  scope: "Legacy",
  claim: "PooledUser",
  status: { db: { type: "string" } },
  input: {
    sharedResources: [
      {
        name: "db",
        apiVersion: VERSION,
        kind: database.kind,
        select: { matchLabels: { pool: "exclusive" }, prefer: "LeastUsed" },
        patches: [{ fromFieldPath: "metadata.name", toCompositeFieldPath: "status.db" }],
      },
    ],
  },
};

export const pool: Suite = {
  name: "a pool",
  scenarios: [
    { name: "serves as many as it has room for, and says so to the others", run: servesTwo },
    { name: "gives a place that is free to the one that waits, and none that is served moves", run: givesPlace },
  ],
};

const claimOf = ({ kubectl }: Rig, team: string) => kubectl.get(`${pluralOf("PooledUser")}.${GROUP}/app`, team);

/** The database that serves each team; undefined for one that waits. */
const servedBy = (rig: Rig): Promise<readonly unknown[]> =>
  Promise.all(TEAMS.map(async (team) => at(await claimOf(rig, team), "status.db")));

const reasonOf = async (rig: Rig, team: string) =>
  conditionOf(await claimOf(rig, team), "SharedResourcesReady")?.reason;

async function servesTwo(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(...TEAMS.map(namespaceOf));
  await install(kubectl, [database, user]);
  for (const name of ["pool-one", "pool-two"]) {
    const metadata = { name, labels: { pool: "exclusive" }, annotations: { [ALLOWED]: "*" } };
    await kubectl.apply({ apiVersion: VERSION, kind: database.kind, metadata, spec: {} });
  }
  for (const namespace of TEAMS) {
    await kubectl.apply({ apiVersion: VERSION, kind: user.claim, metadata: { namespace, name: "app" }, spec: {} });
  }
  const reasons = () => Promise.all(TEAMS.map((team) => reasonOf(rig, team)));
  const isSettled = async () => [...(await reasons())].sort().join() === "Available,Available,NoCapacity";
  await until("two are served, and one has no place", isSettled, PATIENCE);
  const served = (await servedBy(rig)).filter((name) => name !== undefined).sort();
  if (served.join() !== "pool-one,pool-two") throw new Error(`they are served by ${served.join()}`);
  return `${TEAMS.length} claims: ${(await reasons()).join(", ")}`;
}

async function givesPlace(rig: Rig): Promise<string> {
  const before = await servedBy(rig);
  const leaving = before.findIndex((name) => name !== undefined);
  const waiting = before.indexOf(undefined);
  const start = Date.now();
  await rig.kubectl.run("delete", `${pluralOf("PooledUser")}.${GROUP}/app`, "-n", TEAMS[leaving] ?? "", "--wait=false");
  const wanted = before.map((name, index) =>
    index === leaving ? undefined : index === waiting ? before[leaving] : name,
  );
  const isGiven = async () => JSON.stringify(await servedBy(rig)) === JSON.stringify(wanted);
  await until("the one that waited is served", isGiven, PATIENCE);
  return `after ${((Date.now() - start) / 1000).toFixed(1)} s; the other is still served by the same`;
}
