import type { OpenBao } from "../rig/openbao.ts";

/** The namespaces of teams that have a store of secrets, and what they have in it. */

export const [RED, BLUE] = ["stores-red", "stores-blue"] as const;
export const OWNERS = "stores-owners";

export const pushSecret = {
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

/** A team's store: its token may do everything below the team's path, and nothing else. */
export async function storeFor(bao: OpenBao, team: string, path = `teams/${team}`) {
  const capabilities = '{ capabilities = ["create", "update", "read", "delete"] }';
  const paths = ["data", "metadata"].map((part) => `path "secret/${part}/${path}/*" ${capabilities}`);
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
