import { fileURLToPath } from "node:url";
import { assertNoLeak } from "./rig/leaks.ts";
import type { Rig } from "./rig/rig.ts";
import { auditing } from "./scenarios/audit.ts";
import { conflicts } from "./scenarios/conflicts.ts";
import { deliveries } from "./scenarios/deliveries.ts";
import { losingExternalNames } from "./scenarios/external-name.ts";
import { installation } from "./scenarios/install.ts";
import { naming } from "./scenarios/naming.ts";
import { operating } from "./scenarios/operation.ts";
import { severalReplicas } from "./scenarios/replicas.ts";
import { restoring } from "./scenarios/restore.ts";
import type { Suite } from "./scenarios/scenario.ts";
import { secondTeam } from "./scenarios/second-team.ts";
import { shareConnectionSecret } from "./scenarios/share-connection-secret.ts";
import { tagWar } from "./scenarios/tag-war.ts";
import { withoutEvents } from "./scenarios/without-events.ts";

/** Every password that the scenarios use. */
const passwords = ["orders-s3cret-1", "orders-s3cret-2", "cache-s3cret/1", "cache-s3cret/2", "queue-s3cret"];

async function takesInput({ kubectl }: Rig): Promise<string> {
  await kubectl.applyFile(fileURLToPath(new URL("../package/input/inputs.yaml", import.meta.url)));
  return "package/input/inputs.yaml";
}

/** What stays of them is nothing: the server only says whether it would take them. */
async function takesManifests({ kubectl }: Rig): Promise<string> {
  const folder = fileURLToPath(new URL("../deploy/function", import.meta.url));
  const taken = await kubectl.run("apply", "--server-side", "--dry-run=server", "-f", folder);
  return `${taken.trim().split("\n").length} objects of deploy/function`;
}

/** All that is to be seen on a real control plane. */
export const suites: readonly Suite[] = [
  withoutEvents,
  secondTeam,
  shareConnectionSecret,
  deliveries,
  tagWar,
  conflicts,
  restoring,
  losingExternalNames,
  naming,
  auditing,
  operating,
  installation,
  severalReplicas,
  {
    name: "after all of it",
    when: "after the others",
    scenarios: [
      { name: "no password stands outside Secrets", run: (rig) => assertNoLeak(rig, passwords) },
      { name: "Kubernetes takes the input's CRD", run: takesInput },
      { name: "Kubernetes takes the manifests for production", run: takesManifests },
    ],
  },
];
