import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAuthority, type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { CROSSPLANE_USER } from "./crossplane-rights.ts";
import { Kubectl, pathOf } from "./kubectl.ts";
import { type Part, startPart } from "./process.ts";

/** A Kubernetes without nodes: etcd, the API server, and the controllers that collect garbage, end namespaces and aggregate roles. */
export interface ControlPlane {
  readonly kubeconfig: string;
  /** The port of the API server on loopback. */
  readonly port: number;
  /** With Crossplane's own rights. */
  readonly crossplaneKubeconfig: string;
  readonly kubectl: Kubectl;
  readonly authority: Identity;
  readonly parts: readonly Part[];
}

/** The rig is on loopback and lives for minutes; whoever is on this machine may as well be its administrator. */
const ADMIN = { name: "kubeconfig", token: "e2e" };
const CROSSPLANE = { name: "crossplane.kubeconfig", token: "e2e-crossplane" };

export async function startControlPlane(directory: string, onPart: (part: Part) => void): Promise<ControlPlane> {
  const authority = createAuthority("e2e");
  const certs = join(directory, "kubernetes");
  mkdirSync(certs, { recursive: true });
  writeCertificates(certs, authority, issue(authority, "localhost"));

  const started = async (part: Promise<Part>): Promise<Part> => {
    onPart(await part);
    return part;
  };
  const etcd = `http://127.0.0.1:${await freePort()}`;
  const port = await freePort();
  const kubeconfig = writeKubeconfig(directory, port, authority, ADMIN);
  const crossplaneKubeconfig = writeKubeconfig(directory, port, authority, CROSSPLANE);
  const kubectl = new Kubectl(kubeconfig);
  const parts = [
    await started(startEtcd(directory, etcd)),
    await started(startApiServer(directory, certs, etcd, port, kubectl)),
    await started(startControllerManager(directory, kubeconfig, kubectl)),
  ];
  return { kubeconfig, port, crossplaneKubeconfig, kubectl, authority, parts };
}

async function startEtcd(directory: string, client: string): Promise<Part> {
  const peer = `http://127.0.0.1:${await freePort()}`;
  return startPart({
    name: "etcd",
    command: pathOf("etcd"),
    args: [
      "--unsafe-no-fsync",
      `--data-dir=${join(directory, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    directory,
    isReady: async () => (await fetch(`${client}/health`)).ok,
  });
}

function startApiServer(directory: string, certs: string, etcd: string, port: number, kubectl: Kubectl): Promise<Part> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = join(certs, "service-account.key");
  const pub = join(certs, "service-account.pub");
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(pub, publicKey.export({ type: "spki", format: "pem" }));
  const users = [`${ADMIN.token},admin,admin,"system:masters"`, `${CROSSPLANE.token},${CROSSPLANE_USER},crossplane`];
  writeFileSync(join(certs, "tokens.csv"), `${users.join("\n")}\n`);
  return startPart({
    name: "kube-apiserver",
    command: pathOf("kube-apiserver"),
    args: [
      `--etcd-servers=${etcd}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      "--endpoint-reconciler-type=none",
      "--service-cluster-ip-range=10.0.0.0/24",
      `--tls-cert-file=${join(certs, "tls.crt")}`,
      `--tls-private-key-file=${join(certs, "tls.key")}`,
      `--client-ca-file=${join(certs, "ca.crt")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${pub}`,
      `--service-account-signing-key-file=${key}`,
      `--token-auth-file=${join(certs, "tokens.csv")}`,
      "--anonymous-auth=false",
      "--authorization-mode=RBAC",
      "--disable-admission-plugins=ServiceAccount",
    ],
    directory,
    isReady: async () => (await kubectl.run("get", "--raw", "/readyz")) === "ok",
  });
}

/** Without it nothing is ever collected, and foreground deletion hangs. */
const startControllerManager = (directory: string, kubeconfig: string, kubectl: Kubectl): Promise<Part> =>
  startPart({
    name: "kube-controller-manager",
    command: pathOf("kube-controller-manager"),
    args: [
      `--kubeconfig=${kubeconfig}`,
      "--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller",
      "--leader-elect=false",
      "--secure-port=0",
    ],
    directory,
    isReady: async () => (await kubectl.get("namespace/default")) !== undefined,
  });

function writeKubeconfig(
  directory: string,
  port: number,
  authority: Identity,
  { name, token }: { readonly name: string; readonly token: string },
): string {
  const path = join(directory, name);
  const ca = Buffer.from(authority.certificate).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "e2e", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority-data": ca } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "e2e", context: { cluster: "e2e", user: "admin" } }],
    "current-context": "e2e",
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}
