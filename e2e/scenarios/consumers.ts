import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import type { Kubectl } from "../rig/kubectl.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { companionScenarios } from "./companion.ts";
import { GROUP, install, type Kind, open, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** The owner's side: three teams, each with a credential of its own, and a warehouse that is not deleted under them. */

const NAMESPACE = "warehouses";
const TEAMS = ["warehouse-team-a", "warehouse-team-b", "warehouse-team-c"] as const;
const [ALICE, BOB, CAROL] = TEAMS;

/** An Object that makes the credential's Secret: sixteen digits twice are a value in base64. */
const template = {
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  spec: {
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace: NAMESPACE, name: "warehouse-{namespace}-{hash}" },
        data: { password: "{hash}{hash}" },
      },
    },
    providerConfigRef: { name: "default" },
  },
};

const warehouse: Kind = {
  kind: "XWarehouse",
  scope: "Legacy",
  status: { consumers: open },
  input: {
    consumers: {
      list: { toCompositeFieldPath: "status.consumers" },
      protect: true,
      credentials: {
        template,
        secretRef: {
          nameFieldPath: "spec.forProvider.manifest.metadata.name",
          namespaceFieldPath: "spec.forProvider.manifest.metadata.namespace",
        },
      },
    },
  },
};

const user: Kind = {
  kind: "XWarehouseUser",
  scope: "Legacy",
  claim: "WarehouseUser",
  input: {
    sharedResources: [
      {
        name: "warehouse",
        apiVersion: VERSION,
        kind: warehouse.kind,
        select: { name: "main" },
        connection: {
          secretRef: { perConsumer: true },
          copies: [{ secretName: "warehouse", via: "ConnectionSecret", keys: [{ from: "password", to: "password" }] }],
        },
      },
    ],
  },
};

const OWNER = `${pluralOf(warehouse.kind)}.${GROUP}/main`;

export const consumers: Suite = {
  name: "consumers",
  scenarios: [
    { name: "each of three teams gets a credential of its own", run: eachGetsItsOwn },
    { name: "deleting the database is refused, and the sentence says who uses it", run: deletionIsRefused },
    { name: "a grant taken back ends one credential and its copy, and no other", run: revokedEnds },
    { name: "after the last one left the database goes", run: lastOneLeaves },
    ...companionScenarios,
  ],
};

async function eachGetsItsOwn({ kubectl }: Rig): Promise<string> {
  await kubectl.apply(...[NAMESPACE, ...TEAMS].map(namespaceOf));
  await install(kubectl, [warehouse, user]);
  await grant(kubectl, TEAMS);
  for (const namespace of TEAMS) {
    await kubectl.apply({ apiVersion: VERSION, kind: user.claim, metadata: { namespace, name: "app" }, spec: {} });
  }
  for (const team of TEAMS) {
    // Three XRs and their owner take turns, each at the provider's pace: 86 s were seen beside the other suites.
    await until(`${team} has its credential`, async () => (await passwordOf(kubectl, team)) !== undefined, PATIENCE);
    const [own, copy] = [await sourceOf(kubectl, team), await passwordOf(kubectl, team)];
    if (own !== copy) throw new Error(`${team} has another credential than its own`);
  }
  const passwords = new Set(await Promise.all(TEAMS.map((team) => passwordOf(kubectl, team))));
  if (passwords.size !== TEAMS.length) throw new Error("two teams have the same credential");
  await until("all are listed", async () => (await listed(kubectl)).join() === TEAMS.join(), PATIENCE);
  return `${TEAMS.length} credentials; status.consumers lists ${(await listed(kubectl)).join(", ")}`;
}

async function deletionIsRefused({ kubectl }: Rig): Promise<string> {
  const isMarked = async () => at(await kubectl.get(OWNER), "metadata.labels[crossplane.io/in-use]") === "true";
  await until("Crossplane has seen the Usage", isMarked, PATIENCE);
  const refusal = await kubectl.run("delete", OWNER, "--wait=false").then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refusal === undefined) throw new Error("it was deleted under its consumers");
  const missing = TEAMS.filter((team) => !refusal.includes(team));
  if (missing.length > 0) throw new Error(`the sentence does not name ${missing.join(", ")}: ${refusal}`);
  return /with reason: "(?<sentence>[^"]*?)\\?"/.exec(refusal)?.groups?.["sentence"] ?? refusal;
}

async function revokedEnds({ kubectl }: Rig): Promise<string> {
  const others = [ALICE, CAROL];
  const before = await Promise.all(others.map((team) => secretsOf(kubectl, team)));
  const start = Date.now();
  await grant(kubectl, others);
  await until(
    "the credential is gone",
    async () => (await sourceOf(kubectl, BOB)) === undefined && (await passwordOf(kubectl, BOB)) === undefined,
    PATIENCE,
  );
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  await until("two are listed", async () => (await listed(kubectl)).join() === others.join(), PATIENCE);
  await sleep(5000); // two more reconciles, in each of which it could go wrong
  const after = await Promise.all(others.map((team) => secretsOf(kubectl, team)));
  if (JSON.stringify(after) !== JSON.stringify(before)) throw new Error("the others' Secrets have changed");
  return `gone after ${seconds} s; ${others.length * 2} Secrets of the others are the same`;
}

async function lastOneLeaves({ kubectl }: Rig): Promise<string> {
  for (const team of TEAMS) {
    await kubectl.run("delete", `${pluralOf(String(user.claim))}.${GROUP}/app`, "-n", team, "--wait=false");
  }
  const isFree = async () => at(await kubectl.get(OWNER), "metadata.labels[crossplane.io/in-use]") === undefined;
  await until("nothing protects it", isFree, PATIENCE);
  const state = conditionOf(await kubectl.get(OWNER), "ConsumersServed");
  await kubectl.run("delete", OWNER, "--wait=false");
  await until("it is gone", async () => (await kubectl.get(OWNER)) === undefined, PATIENCE);
  return `deleted at the first try; ConsumersServed was ${state?.status}`;
}

const grant = (kubectl: Kubectl, namespaces: readonly string[]): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: warehouse.kind,
    metadata: { name: "main", annotations: { [ALLOWED]: namespaces.join(",") } },
    spec: {},
  });

const passwordOf = async (kubectl: Kubectl, team: string) =>
  at(await kubectl.get("secret/warehouse", team), "data.password");

/** The Secret of a team's credential, whose name ends with a hash. */
const credentialOf = async (kubectl: Kubectl, team: string) =>
  (await kubectl.list("secrets", NAMESPACE)).find((secret) => nameOf(secret).startsWith(`warehouse-${team}-`));

const sourceOf = async (kubectl: Kubectl, team: string) => at(await credentialOf(kubectl, team), "data.password");

/** The parts of a team's credential and of its copy that must not change. */
async function secretsOf(kubectl: Kubectl, team: string): Promise<readonly unknown[]> {
  const secrets = [await credentialOf(kubectl, team), await kubectl.get("secret/warehouse", team)];
  return secrets.map((secret) => [at(secret, "metadata.uid"), at(secret, "type"), at(secret, "data")]);
}

/** The namespaces that the status names, all of them granted. */
async function listed(kubectl: Kubectl): Promise<readonly string[]> {
  const items = (at(await kubectl.get(OWNER), "status.consumers.items") ?? []) as readonly JsonObject[];
  return items.filter(({ granted }) => granted === true).map(({ namespace }) => String(namespace));
}
