import { readFileSync } from "node:fs";
import type { JsonObject } from "../../src/model/json.ts";
import { issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { isV2 } from "../rig/crossplane.ts";
import { countCalls, startFunction } from "../rig/function.ts";
import { at, conditionOf, encode, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, VERSION } from "./definitions.ts";
import { isNewest, PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";
import { waitingClaimIsNamed } from "./waiting-by-name.ts";

/** The main path on a real control plane: claims of two teams and one database, from the first grant to its end. */

const sharedResources = (namespace?: string) => [
  {
    name: "orders-db",
    apiVersion: VERSION,
    kind: "XPostgreSQLInstance",
    select: { name: { fromCompositeFieldPath: "spec.parameters.database" } },
    patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.database.endpoint" }],
    connection: {
      copies: [
        {
          secretName: "orders-db",
          ...(namespace !== undefined && { namespaces: namespace }),
          keys: [
            { from: "username", to: "DB_USER" },
            { from: "password", to: "DB_PASSWORD" },
          ],
        },
      ],
    },
  },
];

/** The database, and the applications that use it: by claim, cluster-scoped, and namespaced. */
const database: Kind = { kind: "XPostgreSQLInstance", scope: "Legacy", input: {} };
const app: Kind = {
  kind: "XOrdersApp",
  scope: "Legacy",
  claim: "OrdersApp",
  input: { sharedResources: sharedResources() },
};
const namespacedApp: Kind = { kind: "App", scope: "Namespaced", input: { sharedResources: sharedResources() } };
const clusterApp: Kind = {
  kind: "PlatformApp",
  scope: "Cluster",
  input: { sharedResources: sharedResources("team-d") },
};

const DATABASE = "xpostgresqlinstance/orders";
const SOURCE = { namespace: "databases", name: "orders-conn" };

export const shareConnectionSecret: Suite = {
  name: "sharing a connection Secret",
  programs: ["kube-state-metrics"],
  scenarios: [
    { name: "a granted claim gets its copy", run: grantedClaimGetsItsCopy },
    { name: "a rotated password follows", run: rotatedPasswordFollows },
    { name: "a second team waits for its grant, and gets it", run: secondTeamWaitsForItsGrant },
    { name: "a grant taken back takes the copy away", run: revokedGrantTakesTheCopyAway },
    { name: "kube-state-metrics names the claim that waits for its grant", run: waitingClaimIsNamed, isFor: isNewest },
    { name: "a namespaced XR gets its copy", run: namespacedAppGetsItsCopy, isFor: isV2 },
    { name: "a cluster-scoped XR gets its copy", run: clusterAppGetsItsCopy },
    { name: "rotated certificates are taken over while calls run", run: certificatesAreRotated },
    { name: "a function that was killed goes on where it was", run: killedFunctionGoesOn },
    { name: "a database that is gone leaves the copies", run: deletedDatabaseLeavesTheCopies },
  ],
};

async function grantedClaimGetsItsCopy({ kubectl }: Rig): Promise<string> {
  await kubectl.apply(...["databases", "team-a", "team-b"].map(namespaceOf));
  await install(kubectl, [database, app]);
  await putPassword({ kubectl }, "orders-s3cret-1");
  await kubectl.apply({
    apiVersion: VERSION,
    kind: "XPostgreSQLInstance",
    metadata: { name: "orders", annotations: { [ALLOWED]: "team-a" } },
    spec: { writeConnectionSecretToRef: SOURCE },
  });
  await kubectl.patch(DATABASE, { status: { endpoint: "orders.db.example.org" } }, { subresource: "status" });
  await claim({ kubectl }, "team-a");

  await until("the copy is there", () => isCopied({ kubectl }, "team-a", "orders-s3cret-1"), PATIENCE);
  await until("the claim says so", async () => (await reasonOf({ kubectl }, "team-a")) === "Available", PATIENCE);
  const xr = (await kubectl.list("xordersapps"))[0] ?? {};
  await until(
    "the XR is Ready",
    async () => conditionOf(await kubectl.get(`xordersapp/${nameOf(xr)}`), "Ready")?.status === "True",
    PATIENCE,
  );
  return `${JSON.stringify(at(xr, "status.database"))}, Secret team-a/orders-db`;
}

async function rotatedPasswordFollows(rig: Rig): Promise<string> {
  await putPassword(rig, "orders-s3cret-2");
  const start = Date.now();
  await until("the copy has the new password", () => isCopied(rig, "team-a", "orders-s3cret-2"), PATIENCE);
  return `after ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

async function secondTeamWaitsForItsGrant(rig: Rig): Promise<string> {
  await claim(rig, "team-b");
  await until("team-b is refused", async () => (await reasonOf(rig, "team-b")) === "AccessNotGranted", PATIENCE);
  if (await rig.kubectl.get("secret/orders-db", "team-b")) throw new Error("team-b has a copy without a grant");
  await grant(rig, "team-a, team-b");
  await until("team-b has its copy", () => isCopied(rig, "team-b", "orders-s3cret-2"), PATIENCE);
  return "AccessNotGranted, then Secret team-b/orders-db";
}

async function revokedGrantTakesTheCopyAway(rig: Rig): Promise<string> {
  await grant(rig, "team-b");
  const isGone = async () => (await rig.kubectl.get("secret/orders-db", "team-a")) === undefined;
  await until("team-a's copy is gone", isGone, PATIENCE);
  // On v1.20 a new grant would make a new Object beside the one that goes, whose last deed is to delete the Secret.
  const isCopy = (object: JsonObject): boolean =>
    at(object, "spec.forProvider.manifest.metadata.namespace") === "team-a";
  const objects = async () => (await rig.kubectl.list("objects.kubernetes.crossplane.io")).filter(isCopy);
  await until("its Object is gone", async () => (await objects()).length === 0, { timeoutMs: 120_000 });
  if (!(await isCopied(rig, "team-b", "orders-s3cret-2"))) throw new Error("team-b lost its copy as well");
  return `team-a: ${await reasonOf(rig, "team-a")}; team-b keeps its copy`;
}

async function namespacedAppGetsItsCopy(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(namespaceOf("team-c"));
  await install(kubectl, [namespacedApp]);
  await grant(rig, "team-b, team-c");
  await kubectl.apply({
    apiVersion: VERSION,
    kind: "App",
    metadata: { namespace: "team-c", name: "orders" },
    spec: { parameters: { database: "orders" } },
  });
  await until("the copy is there", () => isCopied(rig, "team-c", "orders-s3cret-2"), PATIENCE);
  const isReady = async () => conditionOf(await kubectl.get(`apps.${GROUP}/orders`, "team-c"), "Ready");
  await until("the XR is Ready", async () => (await isReady())?.status === "True", PATIENCE);
  return "Secret team-c/orders-db, by an Object of kubernetes.m.crossplane.io";
}

/** Without a claim: of Crossplane v2's own kind where there is one. */
async function clusterAppGetsItsCopy(rig: Rig): Promise<string> {
  const { kubectl, version } = rig;
  await kubectl.apply(namespaceOf("team-d"));
  await install(kubectl, [isV2(version) ? clusterApp : { ...clusterApp, scope: "Legacy" }]);
  await grant(rig, "team-b, team-c, team-d");
  await kubectl.apply({
    apiVersion: VERSION,
    kind: clusterApp.kind,
    metadata: { name: "orders" },
    spec: { parameters: { database: "orders" } },
  });
  await until("the copy is there", () => isCopied(rig, "team-d", "orders-s3cret-2"), PATIENCE);
  return "Secret team-d/orders-db";
}

async function certificatesAreRotated({ function: running, authority }: Rig): Promise<string> {
  writeCertificates(running.certsDir, authority, issue(authority, "rotated"));
  const hasThem = async () => readFileSync(running.part.log, "utf8").includes("certificates changed");
  await until("the function has them", hasThem, PATIENCE);
  const calls = (): number => countCalls(running);
  const before = calls();
  await until("Crossplane goes on calling", async () => calls() > before + 5, PATIENCE);
  return `${calls() - before} calls since`;
}

async function killedFunctionGoesOn(rig: Rig): Promise<string> {
  await rig.function.part.stop("SIGKILL");
  await grant(rig, "team-a, team-b, team-c, team-d");
  if (!(await isCopied(rig, "team-b", "orders-s3cret-2")))
    throw new Error("team-b lost its copy while the function was away");
  rig.function = await startFunction(rig.directory, rig.authority, { port: rig.function.port });
  await until("team-a has its copy again", () => isCopied(rig, "team-a", "orders-s3cret-2"), { timeoutMs: 120_000 });
  return "team-a's copy is back";
}

async function deletedDatabaseLeavesTheCopies(rig: Rig): Promise<string> {
  await rig.kubectl.run("delete", DATABASE, "--wait=false");
  await until("the claims say so", async () => (await reasonOf(rig, "team-a")) === "NotFound", PATIENCE);
  await new Promise((resolve) => setTimeout(resolve, 8000)); // several reconciles, in each of which it could go wrong
  for (const team of ["team-a", "team-b"]) {
    if (!(await isCopied(rig, team, "orders-s3cret-2"))) throw new Error(`${team} lost its copy with the database`);
  }
  return "NotFound, and both copies are there";
}

type Reach = Pick<Rig, "kubectl">;

const putPassword = ({ kubectl }: Reach, password: string): Promise<void> =>
  kubectl.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: SOURCE,
    type: "connection.crossplane.io/v1alpha1",
    data: { username: encode("orders"), password: encode(password) },
  });

const grant = ({ kubectl }: Reach, namespaces: string): Promise<void> =>
  kubectl.patch(DATABASE, { metadata: { annotations: { [ALLOWED]: namespaces } } });

const claim = ({ kubectl }: Reach, namespace: string): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: "OrdersApp",
    metadata: { namespace, name: "orders" },
    spec: { parameters: { database: "orders" } },
  });

async function isCopied({ kubectl }: Reach, namespace: string, password: string): Promise<boolean> {
  const secret = await kubectl.get("secret/orders-db", namespace);
  return at(secret, "data.DB_PASSWORD") === encode(password) && at(secret, "data.DB_USER") === encode("orders");
}

const reasonOf = async ({ kubectl }: Reach, namespace: string) =>
  conditionOf(await kubectl.get("ordersapp/orders", namespace), "SharedResourcesReady")?.reason;
