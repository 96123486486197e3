import { at, conditionOf, encode, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** Fault 1: a claim owns its XR, so nobody else can use it (crossplane#5423). */

const [OWNER, OTHER] = ["owners", "others"];
const SOURCE = { namespace: "queues", name: "queue-conn" };

const queue: Kind = { kind: "XQueue", scope: "Legacy", claim: "Queue", input: {} };
const user: Kind = {
  kind: "XQueueUser",
  scope: "Legacy",
  claim: "QueueUser",
  input: {
    sharedResources: [
      {
        name: "queue",
        apiVersion: VERSION,
        kind: queue.kind,
        select: { matchLabels: { queue: "main" } },
        connection: { copies: [{ secretName: "queue" }] },
      },
    ],
  },
};

export const secondTeam: Suite = {
  name: "a second team",
  scenarios: [
    { name: "without our step cannot claim what is claimed", run: secondClaimIsRefused },
    { name: "with it uses what is granted", run: secondTeamUsesIt },
  ],
};

async function secondClaimIsRefused({ kubectl }: Rig): Promise<string> {
  await kubectl.apply(...[OWNER, OTHER, SOURCE.namespace].map(namespaceOf));
  await install(kubectl, [queue, user]);
  await kubectl.apply({
    apiVersion: VERSION,
    kind: queue.claim,
    metadata: { namespace: OWNER, name: "main" },
    spec: {},
  });
  const claimed = async () => (await kubectl.list(`xqueues.${GROUP}`))[0];
  await until("the claim has its XR", async () => (await claimed()) !== undefined, PATIENCE);
  const name = nameOf((await claimed()) ?? {});
  await kubectl.apply({
    apiVersion: VERSION,
    kind: queue.claim,
    metadata: { namespace: OTHER, name: "main" },
    spec: { resourceRef: { apiVersion: VERSION, kind: queue.kind, name } },
  });
  const synced = async () => conditionOf(await kubectl.get(`queues.${GROUP}/main`, OTHER), "Synced");
  await until("the other claim is refused", async () => (await synced())?.status === "False", PATIENCE);
  if (at(await claimed(), "spec.claimRef.namespace") !== OWNER) throw new Error("the other claim took the XR");
  return String((await synced())?.message);
}

async function secondTeamUsesIt({ kubectl }: Rig): Promise<string> {
  await kubectl.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: SOURCE,
    data: { password: encode("queue-s3cret") },
  });
  const [xr] = await kubectl.list(`xqueues.${GROUP}`);
  await kubectl.patch(`xqueues.${GROUP}/${nameOf(xr ?? {})}`, {
    metadata: {
      labels: { queue: "main" },
      annotations: { [ALLOWED]: OTHER },
    },
    spec: { writeConnectionSecretToRef: SOURCE },
  });
  await kubectl.apply({
    apiVersion: VERSION,
    kind: user.claim,
    metadata: { namespace: OTHER, name: "main" },
    spec: {},
  });
  const copied = async () => at(await kubectl.get("secret/queue", OTHER), "data.password");
  await until("the copy is there", async () => (await copied()) === encode("queue-s3cret"), PATIENCE);
  return `Secret ${OTHER}/queue`;
}
