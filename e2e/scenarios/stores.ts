import { setTimeout as sleep } from "node:timers/promises";
import { startExternalSecrets } from "../rig/external-secrets.ts";
import { at, conditionOf, encode } from "../rig/objects.ts";
import { type OpenBao, ROOT, startOpenBao } from "../rig/openbao.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { startVelero, type Velero } from "../rig/velero.ts";
import {
  autoReady,
  compose,
  compositionOf,
  definitionOf,
  GROUP,
  type Kind,
  open,
  ours,
  VERSION,
} from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { grant, namespaceOf, putPassword, sourceOf } from "./source.ts";
import { alone } from "./stores-alone.ts";
import { BLUE, OWNERS, pushSecret, RED, storeFor } from "./team-store.ts";

/** Credentials that External Secrets Operator writes into OpenBao, and reads from it, each team with a token of its own; Velero brings a namespace back. */
export const stores: Suite = onNewestOnly({
  name: "a store of secrets",
  // Its operator takes a minute or two to build, and no test but this needs it.
  isByHand: true,
  programs: ["external-secrets", "openbao", "velero"],
  scenarios: [
    { name: "an application reads its team's credentials, and another team's token is refused", run: reads },
    { name: "the password is changed, and store and application follow", run: follows },
    { name: "the grant is taken back, and the value is gone from the store", run: gone },
    { name: "Velero restores what was there before: nothing comes back", run: restored },
    { name: "granted again, the application reads", run: again },
    { name: "a credential of its own for each team, in the store alone", run: standsAlone },
  ],
});

const owner: Kind = { kind: "XStored", scope: "Cluster", input: {} };
const main = sourceOf(owner, "stores-main", OWNERS);
const PASSWORDS = ["stores-s3cret-1", "stores-s3cret-2"] as const;

/** The path in the store: `secret/teams/TEAM/db`. */
const KEY = `teams/${RED}/db`;

const composition = compositionOf("StoreUser", [
  compose({ "push-to-vault": pushSecret }),
  autoReady,
  ours("share", {
    adoption: {},
    sharedResources: [
      {
        name: "db",
        apiVersion: VERSION,
        kind: owner.kind,
        select: { name: main.name },
        connection: { copies: [{ secretName: "db", via: "Secret" }] },
        dependents: ["push-to-vault"],
      },
    ],
  }),
]);

/** What an application reads with its team's store: the credentials of red. */
const externalSecret = (namespace: string) => ({
  apiVersion: "external-secrets.io/v1",
  kind: "ExternalSecret",
  metadata: { namespace, name: "app" },
  spec: {
    refreshInterval: "2s",
    secretStoreRef: { kind: "SecretStore", name: "vault" },
    target: { name: "app", deletionPolicy: "Delete" },
    dataFrom: [{ extract: { key: KEY } }],
  },
});

let bao: OpenBao | undefined;

const read = async (): Promise<string | number> => {
  const found = (await bao?.read(KEY, ROOT)) ?? 0;
  return typeof found === "number" ? found : String(found["password"]);
};

const hasApplication = async ({ kubectl }: Rig, password: string | undefined): Promise<boolean> =>
  at(await kubectl.get("secret/app", RED), "data.password") === (password && encode(password));

/** Waits until store and application have this password, or none. @returns after how many seconds each. */
async function settle(rig: Rig, password?: string): Promise<string> {
  const start = Date.now();
  const seconds = () => `${((Date.now() - start) / 1000).toFixed(1)} s`;
  const isInStore = async () => (await read()) === (password ?? 404);
  await until(`the store has ${password === undefined ? "nothing" : "the password"}`, isInStore, PATIENCE);
  const inStore = seconds();
  await until("the application follows", () => hasApplication(rig, password), PATIENCE);
  return `the store after ${inStore}, the application after ${seconds()}`;
}

async function reads(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const started = await startOpenBao(rig.directory);
  bao = started;
  await startExternalSecrets(rig);
  await kubectl.apply(
    ...[RED, BLUE, OWNERS].map(namespaceOf),
    definitionOf({
      kind: owner.kind,
      scope: "Cluster",
      plural: "xstoreds",
      spec: { writeConnectionSecretToRef: open },
    }),
    definitionOf({ kind: "StoreUser", scope: "Namespaced" }),
  );
  await kubectl.established(`xrd/xstoreds.${GROUP}`, `xrd/storeusers.${GROUP}`);
  const [red, blue] = [await storeFor(started, RED), await storeFor(started, BLUE)];
  await kubectl.apply(composition, ...red.objects, ...blue.objects);
  await putPassword(kubectl, main, PASSWORDS[0]);
  await grant(kubectl, main, RED);
  for (const namespace of [RED, BLUE])
    await kubectl.apply({ apiVersion: VERSION, kind: "StoreUser", metadata: { name: "app", namespace }, spec: {} });
  await kubectl.apply(externalSecret(RED), externalSecret(BLUE));
  const words = await settle(rig, PASSWORDS[0]);
  const own = await started.read(KEY, red.token);
  const refusal = await started.read(KEY, blue.token);
  if (typeof own === "number" || refusal !== 403) throw new Error(`blue's token gets ${JSON.stringify(refusal)}`);
  const isTold = async () => conditionOf(await kubectl.get("externalsecret/app", BLUE), "Ready")?.status === "False";
  await until("blue's ExternalSecret says so", isTold, PATIENCE);
  if ((await kubectl.get("secret/app", BLUE)) !== undefined) throw new Error("blue's application has a Secret");
  if ((await kubectl.list("pushsecrets", BLUE)).length > 0) throw new Error("blue has a PushSecret without a grant");
  return `${words}; blue's token: 403`;
}

let velero: Velero | undefined;
const BACKUP = "stores";

/** Afterwards the namespace is backed up, with all that red has of its grant. */
async function follows(rig: Rig): Promise<string> {
  await putPassword(rig.kubectl, main, PASSWORDS[1]);
  const words = await settle(rig, PASSWORDS[1]);
  velero = await startVelero(rig);
  await velero.backUp(BACKUP, `--include-namespaces=${RED}`, "--include-cluster-resources=false");
  return words;
}

async function gone(rig: Rig): Promise<string> {
  await grant(rig.kubectl, main, "nobody");
  return settle(rig);
}

/** The namespace is lost with all that is in it, and comes back as it was while red had its grant. */
async function restored(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const uidOf = async () => at(await kubectl.get(`storeusers.${GROUP}/app`, RED), "metadata.uid");
  const before = await uidOf();
  await kubectl.run("delete", "namespace", RED);
  const restoring = velero?.restore(BACKUP, BACKUP) ?? Promise.resolve();
  const seen = await kubectl.watch(restoring, "pushsecrets", `--namespace=${RED}`, "--no-headers");
  await restoring;
  if (seen.length === 0) throw new Error("the restore has brought no PushSecret back");
  await until("the XR is there again", async () => ![undefined, before].includes((await uidOf()) as string), PATIENCE);
  const isTold = async () => {
    const xr = await kubectl.get(`storeusers.${GROUP}/app`, RED);
    return conditionOf(xr, "SharedResourcesReady")?.reason === "AccessNotGranted";
  };
  await until("the XR is refused", isTold, PATIENCE);
  const areGone = async () =>
    (await kubectl.list("pushsecrets", RED)).length === 0 && (await kubectl.get("secret/db", RED)) === undefined;
  await until("PushSecret and copy are gone", areGone, PATIENCE);
  await settle(rig);
  await sleep(10_000); // several reconciles, and refreshes of the operator
  const value = await read();
  if (value !== 404 || !(await areGone())) throw new Error("the restore has brought access back");
  return "the PushSecret comes back; the XR is refused; copy, PushSecret and value are gone";
}

async function again(rig: Rig): Promise<string> {
  await grant(rig.kubectl, main, RED);
  const words = await settle(rig, PASSWORDS[1]);
  await rig.kubectl.run("delete", `storeusers.${GROUP}/app`, "-n", RED, "--wait=false");
  await settle(rig);
  return `${words}; both gone again with the XR`;
}

async function standsAlone(rig: Rig): Promise<string> {
  if (bao === undefined) throw new Error("cannot find the store");
  const words = await alone(rig, bao);
  await bao.stop();
  return words;
}
