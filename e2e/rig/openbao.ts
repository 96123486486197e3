import { freePort } from "../../testing/servers/free-port.ts";
import { pathOf } from "./kubectl.ts";
import { startPart } from "./process.ts";

/** A real OpenBao, which speaks Vault's API, with a store of keys and values at `secret/`. Nothing of it is on disk. */
export interface OpenBao {
  readonly url: string;
  /** Makes a token with a policy of these paths. */
  makeToken(name: string, policy: string): Promise<string>;
  /** What an account with this token reads at a path; the status code where it is refused, or nothing is there. */
  read(path: string, token: string): Promise<Readonly<Record<string, string>> | number>;
  stop(): Promise<void>;
}

export const ROOT = "openbao-root";

export async function startOpenBao(directory: string): Promise<OpenBao> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const call = (method: string, path: string, token: string, body?: object): Promise<Response> =>
    fetch(`${url}/v1/${path}`, {
      method,
      headers: { "X-Vault-Token": token },
      ...(body && { body: JSON.stringify(body) }),
    });
  const part = await startPart({
    name: "openbao",
    command: pathOf("openbao"),
    args: ["server", "-dev", `-dev-root-token-id=${ROOT}`, `-dev-listen-address=127.0.0.1:${port}`],
    env: { HOME: directory }, // it writes its token there
    directory,
    isReady: async () => (await call("GET", "sys/mounts/secret/tune", ROOT)).ok,
  });
  return {
    url,
    makeToken: async (name, policy) => {
      await call("PUT", `sys/policies/acl/${name}`, ROOT, { policy });
      const answer = await call("POST", "auth/token/create", ROOT, { policies: [name] });
      const { auth } = (await answer.json()) as { readonly auth: { readonly client_token: string } };
      return auth.client_token;
    },
    read: async (path, token) => {
      const answer = await call("GET", `secret/data/${path}`, token);
      if (!answer.ok) return answer.status;
      const { data } = (await answer.json()) as { readonly data: { readonly data: Readonly<Record<string, string>> } };
      return data.data;
    },
    stop: () => part.stop(),
  };
}
