import { startExternalSecrets } from "../rig/external-secrets.ts";
import { at, conditionOf, encode } from "../rig/objects.ts";
import { type OpenBao, ROOT, startOpenBao } from "../rig/openbao.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
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

/** Credentials that External Secrets Operator writes into OpenBao, and reads from it, each team with a token of its own. */
export const stores: Suite = onNewestOnly({
  name: "a store of secrets",
  // Its operator takes a minute or two to build, and no test but this needs it.
  isByHand: true,
  programs: ["external-secrets", "openbao"],
  scenarios: [
    { name: "an application reads its team's credentials, and another team's token is refused", run: reads },
    { name: "the password is changed, and store and application follow", run: follows },
    { name: "the grant is taken back, and the value is gone from the store", run: gone },
    { name: "granted again, the application reads", run: again },
  ],
});

const [RED, BLUE] = ["stores-red", "stores-blue"] as const;
const owner: Kind = { kind: "XStored", scope: "Cluster", input: {} };
const main = sourceOf(owner, "stores-main", "stores-owners");
const PASSWORDS = ["stores-s3cret-1", "stores-s3cret-2"] as const;

/** The path in the store: `secret/teams/TEAM/db`. */
const KEY = `teams/${RED}/db`;

const pushSecret = {
  apiVersion: "external-secrets.io/v1alpha1",
  kind: "PushSecret",
  spec: {
    deletionPolicy: "Delete",
    refreshInterval: "2s",
    secretStoreRefs: [{ kind: "SecretStore", name: "vault" }],
    selector: { secret: { name: "db" } },
    data: [{ match: { remoteRef: { remoteKey: "teams/$(metadata.namespace)/db" } } }],
  },
};

const composition = compositionOf("StoreUser", [
  compose({ "push-to-vault": pushSecret }),
  ours("share", {
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
  autoReady,
]);

/** A team's store: its token may do everything below the team's path, and nothing else. */
async function storeFor(bao: OpenBao, team: string) {
  const capabilities = '{ capabilities = ["create", "update", "read", "delete"] }';
  const paths = ["data", "metadata"].map((part) => `path "secret/${part}/teams/${team}/*" ${capabilities}`);
  const token = await bao.makeToken(team, paths.join("\n"));
  const tokenSecretRef = { name: "vault-token", key: "token" };
  const vault = { server: bao.url, path: "secret", version: "v2", auth: { tokenSecretRef } };
  const metadata = { namespace: team, name: "vault" };
  return {
    token,
    objects: [
      { apiVersion: "v1", kind: "Secret", metadata: { ...metadata, name: "vault-token" }, stringData: { token } },
      { apiVersion: "external-secrets.io/v1", kind: "SecretStore", metadata, spec: { provider: { vault } } },
    ],
  };
}

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
    ...[RED, BLUE, main.secret.namespace].map(namespaceOf),
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

async function follows(rig: Rig): Promise<string> {
  await putPassword(rig.kubectl, main, PASSWORDS[1]);
  return settle(rig, PASSWORDS[1]);
}

async function gone(rig: Rig): Promise<string> {
  await grant(rig.kubectl, main, "nobody");
  return settle(rig);
}

async function again(rig: Rig): Promise<string> {
  await grant(rig.kubectl, main, RED);
  const words = await settle(rig, PASSWORDS[1]);
  await rig.kubectl.run("delete", `storeusers.${GROUP}/app`, "-n", RED, "--wait=false");
  await settle(rig);
  await bao?.stop();
  return `${words}; both gone again with the XR`;
}
