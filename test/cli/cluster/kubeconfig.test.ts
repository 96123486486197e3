import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { findTarget } from "../../../cli/cluster/kubeconfig.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly name?: string;
}

/** A kubeconfig with one cluster, one user and one context, all of one name. */
const configOf = ({ cluster = {}, user = {}, context = {}, name = "test" }: Parts) => ({
  clusters: [{ name, cluster: { server: `https://${name}.example.org`, ...cluster } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, ...context } }],
  "current-context": name,
});

function written(config: object, folder = temporaryFolder(), name = "config"): string {
  const file = join(folder, name);
  writeFileSync(file, stringify(config));
  return file;
}

const targetOf = (parts: Parts) => findTarget({ kubeconfig: written(configOf(parts)), env: {} });

test("reads YAML and JSON, and takes a context without a namespace or a user", () => {
  const kubeconfig = written({
    ...configOf({}),
    users: [],
    contexts: [{ name: "test", context: { cluster: "test" } }],
  });
  const target = { server: "https://test.example.org", namespace: "default", tls: {}, user: { headers: {} } };
  expect(findTarget({ kubeconfig, env: {} })).toEqual(target);
  writeFileSync(kubeconfig, JSON.stringify(configOf({})));
  expect(findTarget({ kubeconfig, env: {} })).toEqual(target);
});

describe("a cluster's fields", () => {
  test.each([
    { reason: "a CA as data", cluster: { "certificate-authority-data": base64("CA") }, tls: { ca: Buffer.from("CA") } },
    { reason: "another name on its certificate", cluster: { "tls-server-name": "api" }, tls: { servername: "api" } },
    {
      reason: "no verification",
      cluster: { "insecure-skip-tls-verify": true },
      tls: { rejectUnauthorized: false },
    },
  ])("have $reason", ({ cluster, tls }) => {
    expect(targetOf({ cluster })).toMatchObject({ tls });
  });

  test("have a proxy", () => {
    expect(targetOf({ cluster: { "proxy-url": "http://proxy:3128" } }).proxy?.host).toBe("proxy:3128");
  });

  test("have files, whose paths are relative to the kubeconfig", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "ca.crt"), "CA");
    writeFileSync(join(folder, "token"), "rotated");
    const config = configOf({ cluster: { "certificate-authority": "ca.crt" }, user: { tokenFile: "token" } });
    const target = findTarget({ kubeconfig: written(config, folder), env: {} });
    expect(target.tls.ca).toEqual(Buffer.from("CA"));
    expect(target.user.tokenFile).toBe(join(folder, "token"));
  });
});

test.each([
  { reason: "a token", user: { token: "t" }, is: { token: "t" } },
  { reason: "a name and a password", user: { username: "u", password: "p" }, is: { basic: "u:p" } },
  {
    reason: "a certificate",
    user: { "client-certificate-data": base64("C"), "client-key-data": base64("K") },
    is: { cert: Buffer.from("C"), key: Buffer.from("K") },
  },
  {
    reason: "somebody else's rights",
    user: { token: "t", as: "sa", "as-groups": ["g", "h"] },
    is: { token: "t", headers: { "impersonate-user": "sa", "impersonate-group": ["g", "h"] } },
  },
  {
    reason: "a plugin that is told of the cluster",
    user: { exec: { command: "aws", args: ["eks"], env: [{ name: "A", value: "b" }], provideClusterInfo: true } },
    is: {
      exec: {
        command: "aws",
        args: ["eks"],
        env: { A: "b" },
        apiVersion: "client.authentication.k8s.io/v1",
        cluster: { server: "https://test.example.org" },
        hint: undefined,
      },
    },
  },
])("a user is known by $reason", ({ user, is }) => {
  expect(targetOf({ user }).user).toEqual({ headers: {}, ...is });
});

describe("where there is no --kubeconfig", () => {
  test("files of KUBECONFIG are merged, of entries with one name the first counts, and missing files do not", () => {
    const folder = temporaryFolder();
    const first = { ...configOf({ name: "one" }), contexts: [], "current-context": "one" };
    const second = configOf({
      name: "one",
      cluster: { server: "https://other.example.org" },
      context: { namespace: "a" },
    });
    const files = [written(first, folder, "first"), join(folder, "missing"), written(second, folder, "second")];
    const { server, namespace } = findTarget({ env: { KUBECONFIG: files.join(delimiter) } });
    expect({ server, namespace }).toEqual({ server: "https://one.example.org", namespace: "a" });
  });

  test("the one in the home directory is taken", () => {
    const env = { HOME: "/nowhere" };
    expect(() => findTarget({ env })).toThrow("cannot find a cluster: there is no kubeconfig; give --kubeconfig");
  });
});

test.each([
  { reason: "is no mapping", config: ["x"], message: "is no kubeconfig" },
  { reason: "names no context", config: { clusters: [] }, message: "there is no current-context" },
  { reason: "lacks the cluster", config: { ...configOf({}), clusters: [] }, message: 'no cluster "test"; there is ' },
  { reason: "lacks the user", config: { ...configOf({}), users: [] }, message: 'no user "test"; there is ' },
  { reason: "has no valid server", config: configOf({ cluster: { server: "x" } }), message: "without a valid server" },
  {
    reason: "has a proxy of a kind that we do not speak",
    config: configOf({ cluster: { "proxy-url": "socks5://p:1" } }),
    message: "proxy-url socks5: is not supported",
  },
  {
    reason: "has what Kubernetes removed",
    config: configOf({ user: { "auth-provider": { name: "gcp" } } }),
    message: "Kubernetes 1.26 removed auth-provider",
  },
  {
    reason: "names a file that is not there",
    config: configOf({ user: { "client-key": "nowhere.key" } }),
    message: "client-key: ENOENT",
  },
  {
    reason: "has a plugin without a command",
    config: configOf({ user: { exec: {} } }),
    message: "exec without a command",
  },
])("cannot use a kubeconfig that $reason", ({ config, message }) => {
  expect(() => findTarget({ kubeconfig: written(config), env: {} })).toThrow(message);
});
