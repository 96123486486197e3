import { at } from "../rig/objects.ts";
import type { OpenBao } from "../rig/openbao.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { autoReady, compositionOf, definitionOf, GROUP, type Kind, open, ours } from "./definitions.ts";
import { PATIENCE } from "./scenario.ts";
import { grant, remove, sourceOf } from "./source.ts";
import { BLUE, OWNERS, pushSecret, RED, storeFor } from "./team-store.ts";

/** A credential and its PushSecret for each namespace of the grant, as docs/sharing.md says. */
const vaulted: Kind = { kind: "XVaulted", scope: "Cluster", input: {} };
const server = sourceOf(vaulted, "stores-server", OWNERS);
const CREDENTIAL = "server-{namespace}-{hash}";
const credential = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: OWNERS, name: CREDENTIAL },
  stringData: { password: "stores-s3cret-{hash}" },
};
const pushed = {
  ...pushSecret,
  metadata: { namespace: OWNERS },
  spec: {
    ...pushSecret.spec,
    selector: { secret: { name: CREDENTIAL } },
    data: [{ match: { remoteRef: { remoteKey: "teams/{namespace}/server" } } }],
  },
};
const forEachGrant = (template: object, nameFieldPath: string) => ({
  forEach: "Grant",
  secretRef: { nameFieldPath, namespaceFieldPath: "metadata.namespace" },
  template,
});
const vaultedComposition = compositionOf(vaulted.kind, [
  ours("credentials", { consumers: { credentials: forEachGrant(credential, "metadata.name") } }),
  ours("push", {
    consumers: { protect: false, credentials: forEachGrant(pushed, "spec.selector.secret.name") },
  }),
  autoReady,
]);

/** Proves that each team has a credential of its own in the store, and no Secret, as long as the grant names its namespace. */
export async function alone({ kubectl }: Rig, bao: OpenBao): Promise<string> {
  const spec = { writeConnectionSecretToRef: open };
  await kubectl.apply(definitionOf({ kind: vaulted.kind, scope: "Cluster", spec }));
  await kubectl.established(`xrd/xvaulteds.${GROUP}`);
  const stored = await storeFor(bao, OWNERS, "teams");
  const tokens: Readonly<Record<string, string>> = {
    [RED]: (await storeFor(bao, RED)).token,
    [BLUE]: (await storeFor(bao, BLUE)).token,
  };
  await kubectl.apply(vaultedComposition, ...stored.objects);
  await grant(kubectl, server, `${RED},${BLUE}`);
  const passwordOf = async (team: string, token = tokens[team] ?? "") => {
    const found = await bao.read(`teams/${team}/server`, token);
    return typeof found === "number" ? found : found["password"];
  };
  const have = async (team: string) => typeof (await passwordOf(team)) === "string";
  await until("each team reads its own", async () => (await have(RED)) && (await have(BLUE)), PATIENCE);
  const blues = await passwordOf(BLUE);
  const refusal = await passwordOf(RED, tokens[BLUE]);
  if (blues === (await passwordOf(RED)) || refusal !== 403)
    throw new Error(`blue's token gets ${String(refusal)} for red's`);
  const namesIn = async (team: string) =>
    (await kubectl.list("secrets", team)).filter((secret) => String(at(secret, "metadata.name")).includes("server"));
  if ((await namesIn(RED)).length + (await namesIn(BLUE)).length > 0) throw new Error("a team has a Secret");

  const start = Date.now();
  await grant(kubectl, server, BLUE);
  await until("red's is gone from the store", async () => (await passwordOf(RED)) === 404, PATIENCE);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  if ((await passwordOf(BLUE)) !== blues) throw new Error("blue's credential has changed");
  await remove(kubectl, server);
  await until("blue's goes with the server", async () => (await passwordOf(BLUE)) === 404, PATIENCE);
  return `each reads its own by its token, blue's token gets 403 for red's, no Secret in their namespaces; red's gone ${seconds} s after the revocation, blue's as it was`;
}
