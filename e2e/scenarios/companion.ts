import type { Kubectl } from "../rig/kubectl.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, open, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** A depot that does no bookkeeping, its companion that does, two teams that use it, and one that has a companion of its own. */

const NAMESPACE = "depots";
const [ALICE, BOB] = ["depot-team-a", "depot-team-b"] as const;

const depot: Kind = { kind: "XDepot", scope: "Legacy", input: {} };

const template = {
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  spec: {
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace: NAMESPACE, name: "depot-{namespace}-{hash}" },
        data: { password: "{hash}{hash}" },
      },
    },
    providerConfigRef: { name: "default" },
  },
};

const keeper: Kind = {
  kind: "XDepotKeeper",
  scope: "Legacy",
  claim: "DepotKeeper",
  spec: { of: { type: "string" } },
  status: { consumers: open },
  input: {
    consumers: {
      of: { apiVersion: VERSION, kind: depot.kind, name: { fromCompositeFieldPath: "spec.of" } },
      list: { toCompositeFieldPath: "status.consumers" },
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
  kind: "XDepotUser",
  scope: "Legacy",
  claim: "DepotUser",
  input: {
    sharedResources: [
      {
        name: "depot",
        apiVersion: VERSION,
        kind: depot.kind,
        select: { name: "main" },
        connection: {
          secretRef: { perConsumer: true },
          copies: [{ secretName: "depot", via: "ConnectionSecret", keys: [{ from: "password", to: "password" }] }],
        },
      },
    ],
  },
};

const OWNER = `${pluralOf(depot.kind)}.${GROUP}/main`;
const KEEPERS = `${pluralOf(keeper.kind)}.${GROUP}`;

export const companionScenarios: Suite["scenarios"] = [
  { name: "a companion serves the consumers of a database that does not change with them", run: servesForIt },
  { name: "a team's claim is no companion of the platform's database", run: refusesTeam },
];

async function servesForIt({ kubectl }: Rig): Promise<string> {
  await kubectl.apply(...[NAMESPACE, ALICE, BOB].map(namespaceOf));
  await install(kubectl, [depot, keeper, user]);
  const annotations = { [ALLOWED]: `${ALICE},${BOB}` };
  await kubectl.apply({ apiVersion: VERSION, kind: depot.kind, metadata: { name: "main", annotations }, spec: {} });
  await kubectl.apply({ apiVersion: VERSION, kind: keeper.kind, metadata: { name: "keeper" }, spec: { of: "main" } });
  await use(kubectl, ALICE);
  const isInUse = async () => at(await kubectl.get(OWNER), "metadata.labels[crossplane.io/in-use]") === "true";
  await until("Crossplane has seen the Usage", isInUse, PATIENCE);
  const refusal = await kubectl.run("delete", OWNER, "--wait=false").catch(String);
  if (!refusal.includes(ALICE)) throw new Error(`deleting it says ${refusal}`);
  const before = await stateOf(kubectl);
  await use(kubectl, BOB);
  const count = async () => at(await kubectl.get(`${KEEPERS}/keeper`), "status.consumers.count");
  await until("both are listed by the companion", async () => (await count()) === 2, PATIENCE);
  const after = await stateOf(kubectl);
  if (after !== before) throw new Error(`the database has changed from version ${before} to ${after}`);
  return `two credentials; the database is still version ${after}`;
}

/** Creates a team's claim, and waits for its own credential. */
async function use(kubectl: Kubectl, namespace: string): Promise<void> {
  await kubectl.apply({ apiVersion: VERSION, kind: user.claim, metadata: { namespace, name: "app" }, spec: {} });
  const hasOwn = async () => {
    const secrets = await kubectl.list("secrets", NAMESPACE);
    const own = at(
      secrets.find((secret) => nameOf(secret).startsWith(`depot-${namespace}-`)),
      "data.password",
    );
    return own !== undefined && own === at(await kubectl.get("secret/depot", namespace), "data.password");
  };
  await until(`${namespace} has its credential`, hasOwn, PATIENCE);
}

const stateOf = async (kubectl: Kubectl) => at(await kubectl.get(OWNER), "metadata.resourceVersion");

async function refusesTeam({ kubectl }: Rig): Promise<string> {
  const metadata = { namespace: ALICE, name: "evil" };
  await kubectl.apply({ apiVersion: VERSION, kind: keeper.claim, metadata, spec: { of: "main" } });
  const ofTeam = async () => (await kubectl.list(KEEPERS)).find((xr) => nameOf(xr).startsWith("evil-"));
  const says = async () => conditionOf(await ofTeam(), "ConsumersServed")?.reason;
  await until("its XR says so", async () => (await says()) === "SharedResourceNotFound", PATIENCE);
  const listed = at(await ofTeam(), "status.consumers");
  if (listed !== undefined) throw new Error(`it lists ${JSON.stringify(listed)}`);
  return `${await says()}, and it lists none`;
}
