import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { sourceOf } from "../../scripts/tools/catalogue.ts";
import { issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import type { ControlPlane } from "./control-plane.ts";
import { NAMESPACE } from "./crossplane.ts";
import { groupsIn, roleFor } from "./crossplane-rights.ts";
import { startInPod } from "./injected-identity.ts";
import { pathOf } from "./kubectl.ts";
import { type Part, startPart, until } from "./process.ts";

const NAME = "provider-kubernetes";
const MODULE = "github.com/crossplane-contrib/provider-kubernetes";

/** Its part, and whether it can work as its own ServiceAccount, as `source: InjectedIdentity` says. */
interface ProviderKubernetes {
  readonly part: Part;
  readonly hasIdentity: boolean;
}

/** provider-kubernetes, with the rig's API server for its target. */
export async function startProviderKubernetes(
  directory: string,
  plane: ControlPlane,
  poll = "1s",
): Promise<ProviderKubernetes> {
  const { kubectl, kubeconfig, authority } = plane;
  const folder = join(sourceOf(NAME, MODULE), "package", "crds");
  await kubectl.apply(...readCrds(folder), roleFor(NAME, groupsIn(folder)));
  const certs = join(directory, NAME);
  mkdirSync(certs, { recursive: true });
  writeCertificates(certs, authority, issue(authority, NAME));

  const [probe, webhook] = [await freePort(), await freePort()];
  const listens = [
    `--health-probe-bind-addr=127.0.0.1:${probe}`,
    `--webhook-port=${webhook}`,
    "--metrics-bind-address=0",
  ];
  const start = {
    command: pathOf(NAME),
    args: [`--poll=${poll}`, "--enable-watches", "--sanitize-secrets", ...listens],
    env: { KUBECONFIG: kubeconfig, WEBHOOK_TLS_CERT_DIR: certs, POD_NAMESPACE: NAMESPACE },
  };
  const inPod = await startInPod(start, { namespace: NAMESPACE, name: NAME }, plane, directory);
  const part = await startPart({
    name: NAME,
    ...(inPod ?? start),
    directory,
    isReady: async () => (await fetch(`http://127.0.0.1:${probe}/readyz`)).ok,
  });
  await configure(plane);
  return { part, hasIdentity: inPod !== undefined };
}

/** Their conversion webhooks would need a Service; one version of each kind is enough here. */
function readCrds(folder: string): readonly object[] {
  return readdirSync(folder).map((file) => {
    const crd = parse(readFileSync(join(folder, file), "utf8")) as { spec: { conversion?: unknown } };
    delete crd.spec.conversion;
    return crd;
  });
}

async function configure({ kubectl, kubeconfig }: ControlPlane): Promise<void> {
  const secretRef = { namespace: NAMESPACE, name: NAME, key: "kubeconfig" };
  const spec = { credentials: { source: "Secret", secretRef } };
  const metadata = { name: "default" };
  await kubectl.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: NAMESPACE, name: NAME },
    stringData: { kubeconfig: readFileSync(kubeconfig, "utf8") },
  });
  await until("provider-kubernetes' kinds are served", () => served(kubectl), { timeoutMs: 30_000 });
  await kubectl.apply(
    { apiVersion: "kubernetes.crossplane.io/v1alpha1", kind: "ProviderConfig", metadata, spec },
    { apiVersion: "kubernetes.m.crossplane.io/v1alpha1", kind: "ClusterProviderConfig", metadata, spec },
  );
}

const served = async (kubectl: ControlPlane["kubectl"]): Promise<boolean> =>
  (await kubectl.run("api-resources", "-o", "name")).includes("clusterproviderconfigs.kubernetes.m.crossplane.io");
