import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import type { JsonObject } from "../../src/model/json.ts";

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly "certificate-authority-data": string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** The number of requests in flight. */
const AT_ONCE = 20;

/** Creates objects by the thousand: kubectl holds itself back to 50 a second. @param path such as /api/v1/namespaces/x/secrets */
export async function createMany(kubeconfig: string, path: string, objects: readonly JsonObject[]): Promise<void> {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig;
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, ca: Buffer.from(ca, "base64") });
  const headers = { authorization: `Bearer ${users[0].user.token}`, "content-type": "application/json" };
  const rest = objects.values();
  const work = async (): Promise<void> => {
    for (const object of rest) await post(`${server}${path}`, { agent, headers }, JSON.stringify(object));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
}

function post(url: string, options: { agent: Agent; headers: Readonly<Record<string, string>> }, body: string) {
  return new Promise<void>((resolve, reject) => {
    const sent = request(url, { ...options, method: "POST" }, (response) => {
      response.resume();
      response.once("end", () =>
        response.statusCode === 201 ? resolve() : reject(new Error(`cannot create: ${response.statusCode}`)),
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
