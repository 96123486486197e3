import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { freePort } from "../../testing/servers/free-port.ts";
import { NAMESPACE } from "./crossplane.ts";
import { pathOf } from "./kubectl.ts";
import { startPart } from "./process.ts";
import type { Rig } from "./rig.ts";
import { kubeconfigOf } from "./service-account.ts";

/** The real kube-state-metrics, set up as deploy/monitoring/kube-state-metrics.yaml has its chart do it. */
interface KubeStateMetrics {
  /** The conditions of one type in its metrics, such as `OrdersApp team-a/orders AccessNotGranted 0`. */
  conditions(type: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

interface Values {
  readonly "kube-state-metrics": {
    readonly rbac: { readonly extraRules: readonly object[] };
    readonly customResourceState: { readonly config: object };
  };
}

const NAME = "kube-state-metrics";

/** Starts it with the rights of that file, and no others. */
export async function startKubeStateMetrics(rig: Rig): Promise<KubeStateMetrics> {
  const file = new URL("../../deploy/monitoring/kube-state-metrics.yaml", import.meta.url);
  const { rbac, customResourceState } = (parse(readFileSync(file, "utf8")) as Values)[NAME];
  await rig.kubectl.apply(...accountWith(rbac.extraRules));
  const config = join(rig.directory, "custom-resource-state.yaml");
  writeFileSync(config, stringify(customResourceState.config));
  const [port, telemetry] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}/metrics`;
  const { stop } = await startPart({
    name: NAME,
    command: pathOf(NAME),
    args: [
      ...["--host=127.0.0.1", `--port=${port}`, "--telemetry-host=127.0.0.1", `--telemetry-port=${telemetry}`],
      ...[`--kubeconfig=${await kubeconfigOf(NAME, rig)}`],
      ...["--custom-resource-state-only", `--custom-resource-state-config-file=${config}`],
    ],
    directory: rig.directory,
    isReady: async () => (await fetch(url)).ok,
  });
  return { conditions: async (type) => conditionsIn(await (await fetch(url)).text(), type), stop };
}

const RBAC = "rbac.authorization.k8s.io";

const accountWith = (rules: readonly object[]): readonly object[] => [
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace: NAMESPACE } },
  { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata: { name: NAME }, rules },
  {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: NAME },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: NAME },
    subjects: [{ kind: "ServiceAccount", name: NAME, namespace: NAMESPACE }],
  },
];

function conditionsIn(metrics: string, type: string): readonly string[] {
  const samples = metrics.matchAll(/^kube_customresource_xr_condition\{(.*)\} (\S+)$/gm);
  return [...samples].flatMap(([, text = "", value = ""]) => {
    const labels = new Map([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", label = ""]) => [name, label]));
    const name = [labels.get("exported_namespace"), labels.get("name")].filter(Boolean).join("/");
    const line = [labels.get("customresource_kind"), name, labels.get("reason"), value].join(" ");
    return labels.get("type") === type ? [line] : [];
  });
}
