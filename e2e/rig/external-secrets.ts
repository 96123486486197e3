import { join } from "node:path";
import { sourceOf } from "../../scripts/tools/catalogue.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { roleFor } from "./crossplane-rights.ts";
import { pathOf } from "./kubectl.ts";
import { type Part, startPart } from "./process.ts";
import type { Rig } from "./rig.ts";

const NAME = "external-secrets";

/** The real External Secrets Operator, of whose kinds Crossplane may compose all. */
export async function startExternalSecrets({ kubectl, kubeconfig, directory }: Rig): Promise<Part> {
  const source = sourceOf(NAME, "github.com/external-secrets/external-secrets");
  await kubectl.applyFile(join(source, "deploy", "crds", "bundle.yaml"));
  await kubectl.apply(roleFor(NAME, ["external-secrets.io"]));
  await kubectl.established("crd/pushsecrets.external-secrets.io", "crd/externalsecrets.external-secrets.io");
  const [metrics, live] = [await freePort(), await freePort()];
  return startPart({
    name: NAME,
    command: pathOf(NAME),
    args: [`--metrics-addr=127.0.0.1:${metrics}`, `--live-addr=127.0.0.1:${live}`, "--store-requeue-interval=5s"],
    env: { KUBECONFIG: kubeconfig },
    directory,
    isReady: async () => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).ok,
  });
}
