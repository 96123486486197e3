import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { connect as connectSocket } from "node:net";
import { delimiter, dirname, join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, test, vi } from "vitest";
import { toClient } from "../../../cli/cluster/cluster.ts";
import { connect } from "../../../cli/cluster/connection.ts";
import { listen, writeKubeconfig } from "../../../testing/servers/api-server.ts";
import { createAuthority, issue } from "../../../testing/servers/certificates.ts";
import { temporaryFile, temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

/** A request as a server sees it. */
interface Seen {
  readonly authorization: string | undefined;
  readonly groups: string | readonly string[] | undefined;
  /** The common name of the client's certificate. */
  readonly client: string | undefined;
}

/** A server that asks for a client's certificate, and answers with each status in turn, 200 in the end. */
async function startServer(...statuses: readonly number[]) {
  const authority = createAuthority("api-server");
  const { certificate: cert, key } = issue(authority, "localhost");
  const seen: Seen[] = [];
  const left = [...statuses];
  const options = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, ({ headers, socket }, response) => {
    const client = (socket as TLSSocket).getPeerCertificate().subject?.CN;
    seen.push({ authorization: headers.authorization, groups: headers["impersonate-group"], client: String(client) });
    response.writeHead(left.shift() ?? 200, { connection: "close" }).end("{}");
  });
  return { authority, seen, url: `https://127.0.0.1:${await listen(server)}` };
}

const running = (script: string) => ({ command: process.execPath, args: ["-e", script] });

/** A plugin that notes each start in a file, with what it is told, and prints this status. */
function pluginOf(status: object, calls: string) {
  const script = `require("fs").appendFileSync(${JSON.stringify(calls)}, process.env.KUBERNETES_EXEC_INFO + "\\n");
    console.log(${JSON.stringify(JSON.stringify({ kind: "ExecCredential", status }))})`;
  return { exec: { apiVersion: "client.authentication.k8s.io/v1", ...running(script) } };
}

const callsIn = (file: string): readonly string[] => readFileSync(file, "utf8").trim().split("\n");

/** Connects as this user to a new server, which answers with each status in turn. */
async function start(user: object, ...statuses: readonly number[]) {
  const server = await startServer(...statuses);
  const kubeconfig = writeKubeconfig(server.url, server.authority.certificate, user);
  const { send } = connect({ kubeconfig, env: {} });
  return { ...server, kubeconfig, send: () => send("/apis", "a/b") };
}

const { certificate, key } = issue(createAuthority("clients"), "team-a");

const impersonating = { token: "t", as: "sa", "as-groups": ["g", "h"] };
const withCertificate = { "client-certificate-data": btoa(certificate), "client-key-data": btoa(key) };
const byPlugin = pluginOf({ clientCertificateData: certificate, clientKeyData: key }, "/dev/null");
test.each<[what: string, user: object, sent: Partial<Seen>]>([
  ["a token", { token: "t" }, { authorization: "Bearer t" }],
  ["a password", { username: "u", password: "p" }, { authorization: `Basic ${btoa("u:p")}` }],
  ["the user and groups that it impersonates", impersonating, { authorization: "Bearer t", groups: "g, h" }],
  ["the client's certificate", withCertificate, { client: "team-a" }],
  ["a certificate that a plugin gives", byPlugin, { client: "team-a" }],
])("sends %s", async (_, user, sent) => {
  const { send, seen } = await start(user);
  const { status } = await send();
  const nothing = { authorization: undefined, groups: undefined, client: "undefined" };
  expect({ status, seen }).toEqual({ status: 200, seen: [{ ...nothing, ...sent }] });
});

test("reads a token's file, relative to the kubeconfig, again once its token is not accepted: kubelet rotates it", async () => {
  const { send, seen, kubeconfig } = await start({ tokenFile: "token" }, 200, 401);
  for (const token of ["one", "two"]) {
    writeFileSync(join(dirname(kubeconfig), "token"), `${token}\n`);
    expect((await send()).status).toBe(200);
  }
  expect(seen.map(({ authorization }) => authorization)).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
});

test("tells a plugin of the cluster, if the kubeconfig says so", async () => {
  const file = join(temporaryFolder(), "calls");
  const { exec } = pluginOf({ token: "t" }, file);
  const { url, authority, send } = await start({ exec: { ...exec, provideClusterInfo: true } });
  await send();
  expect(JSON.parse(callsIn(file)[0] ?? "").spec).toEqual({
    interactive: false,
    cluster: { server: url, "certificate-authority-data": Buffer.from(authority.certificate).toString("base64") },
  });
});

test("sends no credentials in the clear: kubectl proxy adds them itself", async () => {
  const seen: unknown[] = [];
  const server = createProxy((request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  });
  const { authority } = await startServer();
  const kubeconfig = writeKubeconfig(`http://127.0.0.1:${await listen(server)}`, authority.certificate, { token: "t" });
  expect((await connect({ kubeconfig, env: {} }).send("/apis", "a/b")).status).toBe(200);
  expect(seen).toEqual([undefined]);
});

describe("where there is no --kubeconfig", () => {
  test("files of KUBECONFIG are merged, of entries with one name the first counts, and missing files do not", async () => {
    const { url, authority } = await startServer();
    const first = writeKubeconfig(url, authority.certificate, { token: "t" });
    const second = writeKubeconfig("https://other.example.org", authority.certificate, {});
    const files = [first, join(dirname(first), "missing"), second];
    const connected = connect({ env: { KUBECONFIG: files.join(delimiter) } });
    expect(connected).toMatchObject({ server: url, namespace: "default" });
  });

  test.each<[reason: string, env: Record<string, string>, files: string]>([
    ["and none in the home directory", { HOME: "/nowhere" }, " /nowhere/.kube/config"],
    ["and no file that KUBECONFIG names", { KUBECONFIG: "/nowhere/a", HOME: "/nowhere" }, " /nowhere/a"],
    ["and neither a home directory", {}, ""],
  ])("%s, it is an error that says where it looked, and what to give", (_, env, files) => {
    expect(() => connect({ env })).toThrow(`cannot find a cluster: there is no kubeconfig${files}; give --kubeconfig`);
  });
});

const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
const kubeconfigWith = (fields: object): string => JSON.stringify({ contexts, "current-context": "x", ...fields });

const withServer = (server: string, more: object = {}): string =>
  kubeconfigWith({ clusters: [{ name: "c", cluster: { server } }], ...more });
test.each([
  ["is no YAML", "token: s3cret\n\tx", /kubeconfig: (?!.*s3cret)[^\n]*; give --kubeconfig/],
  ["names no context", "clusters: []", "there is no current-context"],
  ["lacks the cluster", kubeconfigWith({}), 'the kubeconfig has no cluster "c"; it has none'],
  ["lacks the user", withServer("https://c.example.org"), 'the kubeconfig has no user "u"; it has none'],
  ["has no valid server", withServer("x", { users: [{ name: "u", user: {} }] }), 'cluster "c" has no valid server'],
])("cannot use a kubeconfig that %s", (_, text, message) => {
  const kubeconfig = temporaryFile("kubeconfig", text);
  expect(() => connect({ kubeconfig, env: {} })).toThrow(message);
});

const ended = { expirationTimestamp: "2020-01-01T00:00:00Z" };
test.each([
  { reason: "once, for a token without an end", expiry: {}, statuses: [], calls: 1 },
  { reason: "once its token has ended and is not accepted any more", expiry: ended, statuses: [200, 401], calls: 2 },
  { reason: "again, when its token is not accepted", expiry: {}, statuses: [401], calls: 2 },
])("asks a plugin $reason", async ({ expiry, statuses, calls }) => {
  const file = join(temporaryFolder(), "calls");
  const { send, seen } = await start(pluginOf({ token: "t", ...expiry }, file), ...statuses);
  expect((await send()).status).toBe(200);
  await send();
  expect(seen.at(-1)?.authorization).toBe("Bearer t");
  expect(callsIn(file)).toHaveLength(calls);
  expect(JSON.parse(callsIn(file)[0] ?? "")).toEqual({
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: { interactive: false },
  });
});

test.each([
  ["is not there", { command: "no-such-plugin", installHint: "install it" }, /ENOENT; install it$/],
  ["fails", running("console.error('log in'); process.exit(1)"), /: log in$/],
  [
    "prints half a credential, which is not shown",
    running('console.log(\'{"status":{"token":"s3cret\')'),
    /: its output is not an ExecCredential$/,
  ],
])("says so once where a plugin %s", async (_, exec, message) => {
  const { url, authority } = await startServer();
  const onWait = vi.fn();
  const kubeconfig = writeKubeconfig(url, authority.certificate, { exec });
  const cluster = toClient(connect({ kubeconfig, env: {} }), { onWait });
  const error = await cluster.get({ verb: "get", resource: "", apiGroup: "", path: "/apis" }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "Unauthorized", message: expect.stringMatching(message) });
  expect(onWait).not.toHaveBeenCalled();
});

/** An HTTP proxy that lets this login through. */
async function startProxy(login: string) {
  const targets: string[] = [];
  const proxy = createProxy().on("connect", (request, socket) => {
    targets.push(request.url ?? "");
    if (request.headers["proxy-authorization"] !== `Basic ${btoa(login)}`) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const [host, port] = (request.url ?? "").split(":");
    const server = connectSocket(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(server).pipe(socket);
    });
  });
  return { targets, port: await listen(proxy) };
}

test("goes by the proxy that the cluster names", async () => {
  const { url, authority, seen } = await startServer();
  const { targets, port } = await startProxy("me:pw");
  const to = (login: string) => ({ cluster: { "proxy-url": `http://${login}@127.0.0.1:${port}` } });
  const kubeconfigWith = (login: string) => writeKubeconfig(url, authority.certificate, { token: "t" }, to(login));
  const connectBy = (login: string) => connect({ kubeconfig: kubeconfigWith(login), env: {} }).send("/apis", "a/b");
  expect((await connectBy("me:pw")).status).toBe(200);
  expect(seen[0]?.authorization).toBe("Bearer t");
  expect(targets).toEqual([url.replace("https://", "")]);
  await expect(connectBy("me:wrong")).rejects.toThrow("Bad response: 407");
});
