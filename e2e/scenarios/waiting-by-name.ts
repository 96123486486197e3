import { startKubeStateMetrics } from "../rig/kube-state-metrics.ts";
import { at } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { PATIENCE } from "./scenario.ts";

/** The real kube-state-metrics with deploy/monitoring/kube-state-metrics.yaml, where team-a waits for a grant and team-b has one. */
export async function waitingClaimIsNamed(rig: Rig): Promise<string> {
  const claim = await rig.kubectl.get("ordersapp/orders", "team-a");
  const wanted = [
    "OrdersApp team-a/orders AccessNotGranted 0",
    `XOrdersApp ${String(at(claim, "spec.resourceRef.name"))} AccessNotGranted 0`,
    "OrdersApp team-b/orders Available 1",
  ];
  const metrics = await startKubeStateMetrics(rig);
  const areShown = async () => {
    const shown = await metrics.conditions("SharedResourcesReady");
    return wanted.every((line) => shown.includes(line));
  };
  await until("its metrics name them", areShown, PATIENCE);
  await metrics.stop();
  return wanted.join(", ");
}
