import { join } from "node:path";
import { sourceOf } from "../../scripts/tools/catalogue.ts";
import type { ControlPlane } from "./control-plane.ts";
import { NAMESPACE } from "./crossplane.ts";
import { groupsIn, roleFor } from "./crossplane-rights.ts";
import { pathOf } from "./kubectl.ts";
import { REGION } from "./moto.ts";
import { type Part, startPart } from "./process.ts";

const NAME = "provider-aws";
const MODULE = "github.com/crossplane-contrib/provider-aws";

/** Its metrics have this port and no flag for another: a machine has one of it. */
export const METRICS = 8080;

/**
 * provider-aws, which takes moto for AWS. It polls every two seconds, so that scenarios need not wait.
 *
 * It does not start without the CRDs of all its kinds.
 */
export async function startProviderAws(directory: string, plane: ControlPlane, cloud: string): Promise<Part> {
  const { kubectl, kubeconfig } = plane;
  const crds = join(sourceOf(NAME, MODULE), "package", "crds");
  await kubectl.run("create", "--validate=false", "-f", crds);
  await kubectl.apply(roleFor(NAME, groupsIn(crds)));
  await kubectl.established("crd", "--all");
  const part = await startPart({
    name: NAME,
    command: pathOf(NAME),
    args: ["--debug", "--enable-management-policies", "--poll=2s", "--sync=10m", "--max-reconcile-rate=50"],
    env: { KUBECONFIG: kubeconfig, POD_NAMESPACE: NAMESPACE, AWS_REGION: REGION },
    directory,
    isReady: async () => (await fetch(`http://127.0.0.1:${METRICS}/metrics`)).ok,
  });
  await configure(plane, cloud);
  return part;
}

async function configure({ kubectl }: ControlPlane, cloud: string): Promise<void> {
  const secretRef = { namespace: NAMESPACE, name: NAME, key: "credentials" };
  await kubectl.apply(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: NAMESPACE, name: NAME },
      stringData: { credentials: "[default]\naws_access_key_id = e2e\naws_secret_access_key = e2e\n" },
    },
    {
      apiVersion: "aws.crossplane.io/v1beta1",
      kind: "ProviderConfig",
      metadata: { name: "default" },
      spec: {
        credentials: { source: "Secret", secretRef },
        endpoint: { hostnameImmutable: true, url: { type: "Static", static: cloud } },
      },
    },
  );
}
