import { fileURLToPath } from "node:url";
import { assertNoLeak } from "./rig/leaks.ts";
import type { Rig } from "./rig/rig.ts";
import { conflicts } from "./scenarios/conflicts.ts";
import { deliveries } from "./scenarios/deliveries.ts";
import { losingExternalNames } from "./scenarios/external-name.ts";
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
  {
    name: "after all of it",
    when: "after the others",
    scenarios: [
      { name: "no password stands outside Secrets", run: (rig) => assertNoLeak(rig, passwords) },
      { name: "Kubernetes takes the input's CRD", run: takesInput },
    ],
  },
];
