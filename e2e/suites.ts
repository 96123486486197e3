import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { isV2, type Version } from "./rig/crossplane.ts";
import { assertNoLeak } from "./rig/leaks.ts";
import type { Rig } from "./rig/rig.ts";
import { access } from "./scenarios/access.ts";
import { accounts } from "./scenarios/accounts.ts";
import { argoCd } from "./scenarios/argocd.ts";
import { auditing } from "./scenarios/audit.ts";
import { awsLists, awsMigration, awsMoves, awsReferences, awsTagWar } from "./scenarios/aws.ts";
import { awsAccess } from "./scenarios/aws-access.ts";
import { bindings } from "./scenarios/bindings.ts";
import { changes } from "./scenarios/changes.ts";
import { claimToNamespaced } from "./scenarios/claim-to-namespaced.ts";
import { closedNamespaces } from "./scenarios/closed-namespaces.ts";
import { conditional } from "./scenarios/conditional.ts";
import { conflicts } from "./scenarios/conflicts.ts";
import { consumers } from "./scenarios/consumers.ts";
import { sharedCost, steadyCost } from "./scenarios/cost.ts";
import { deliveries } from "./scenarios/deliveries.ts";
import { losingExternalNames } from "./scenarios/external-name.ts";
import { givingUp } from "./scenarios/giving-up.ts";
import { hostileEdits } from "./scenarios/hostile-edits.ts";
import { hostileTenant } from "./scenarios/hostile-tenant.ts";
import { installation } from "./scenarios/install.ts";
import { intrudingRecord } from "./scenarios/intruding-record.ts";
import { leaving } from "./scenarios/leaving.ts";
import { login } from "./scenarios/login.ts";
import { loginPool } from "./scenarios/login-pool.ts";
import { naming } from "./scenarios/naming.ts";
import { neighbours } from "./scenarios/neighbours.ts";
import { operating } from "./scenarios/operation.ts";
import { pool } from "./scenarios/pool.ts";
import { quickStart } from "./scenarios/quick-start.ts";
import { rebuilding } from "./scenarios/rebuilt.ts";
import { severalReplicas } from "./scenarios/replicas.ts";
import { restoring, restoringClaims, restoringNested, restoringWithoutReferences } from "./scenarios/restore.ts";
import type { Suite } from "./scenarios/scenario.ts";
import { secondTeam } from "./scenarios/second-team.ts";
import { shareConnectionSecret } from "./scenarios/share-connection-secret.ts";
import { sharedNetwork } from "./scenarios/shared-network.ts";
import { stores } from "./scenarios/stores.ts";
import { tagOwners, tagPairs, tagWar } from "./scenarios/tag-war.ts";
import { twoXrs } from "./scenarios/two-xrs.ts";
import { upjetProvider } from "./scenarios/upjet.ts";
import { upjetMoves, upjetReferences, upjetTwins } from "./scenarios/upjet-ownership.ts";
import { restoringByVelero } from "./scenarios/velero.ts";
import { withoutEvents } from "./scenarios/without-events.ts";

async function takesInput({ kubectl }: Rig): Promise<string> {
  await kubectl.applyFile(fileURLToPath(new URL("../package/input/inputs.yaml", import.meta.url)));
  return "package/input/inputs.yaml";
}

/** Metrics that are served only after their event, such as an open circuit, a stopped watch or a cache hit. They may be missing. */
const RARE = /_(?:opens|stopped|hits)_total$/;

async function servesMetrics({ crossplane, version }: Rig): Promise<string> {
  const file = fileURLToPath(new URL("../deploy/monitoring/foreign-metrics.yaml", import.meta.url));
  const sources = Object.entries(parse(readFileSync(file, "utf8")) as Readonly<Record<string, string>>);
  const generation = `Crossplane ${isV2(version) ? "v2" : "v1.20"}`;
  const asked = sources.filter(([, source]) => source.startsWith(generation)).map(([name]) => name);
  const served = await (await fetch(crossplane.metrics)).text();
  const missing = asked.filter((name) => !RARE.test(name) && !served.includes(`\n${name}{`));
  if (missing.length > 0) throw new Error(`Crossplane ${version} does not serve ${missing.join(", ")}`);
  return asked.filter((name) => served.includes(`\n${name}{`)).join(", ");
}

/** Checks that the API server accepts the manifests. A dry run, so nothing is created. */
async function takesManifests({ kubectl }: Rig): Promise<string> {
  const folder = fileURLToPath(new URL("../deploy/function", import.meta.url));
  const taken = await kubectl.run("apply", "--server-side", "--dry-run=server", "-f", folder);
  return `${taken.trim().split("\n").length} objects of deploy/function`;
}

const afterAll: Suite = {
  name: "after all of it",
  when: "last",
  scenarios: [
    { name: "no password stands outside Secrets", run: assertNoLeak },
    { name: "Crossplane serves the metrics that alerts and dashboard ask it for", run: servesMetrics },
    { name: "Kubernetes takes the input's CRD", run: takesInput },
    { name: "Kubernetes takes the manifests for production", run: takesManifests },
  ],
};

/** All that is to be seen on a real control plane. */
export const suites: readonly Suite[] = [
  quickStart,
  withoutEvents,
  secondTeam,
  shareConnectionSecret,
  deliveries,
  givingUp,
  twoXrs,
  changes,
  access,
  hostileTenant,
  hostileEdits,
  intrudingRecord,
  closedNamespaces,
  leaving,
  sharedNetwork,
  neighbours,
  consumers,
  pool,
  login,
  loginPool,
  bindings,
  tagWar,
  tagOwners,
  tagPairs,
  claimToNamespaced,
  conflicts,
  restoring,
  restoringNested,
  restoringClaims,
  restoringWithoutReferences,
  conditional,
  restoringByVelero,
  stores,
  argoCd,
  losingExternalNames,
  rebuilding,
  upjetProvider,
  upjetReferences,
  upjetMoves,
  upjetTwins,
  accounts,
  naming,
  auditing,
  operating,
  installation,
  severalReplicas,
  steadyCost,
  sharedCost,
  awsTagWar,
  awsMigration,
  awsMoves,
  awsReferences,
  awsLists,
  awsAccess,
  afterAll,
];

/** What Crossplane's generations do differently. The rest was seen on each of them, too (docs/compatibility.md), and is so again by hand. */
const differing: Partial<Readonly<Record<Version, readonly Suite[]>>> = {
  "v1.20": [
    ...[
      withoutEvents,
      shareConnectionSecret,
      deliveries,
      givingUp,
      hostileTenant,
      sharedNetwork,
      neighbours,
      consumers,
      bindings,
    ],
    ...[tagWar, tagOwners, tagPairs, restoring, restoringNested, restoringClaims, restoringWithoutReferences],
    ...[twoXrs, installation, login, steadyCost, afterAll],
  ],
  "v2.3": [
    ...[withoutEvents, shareConnectionSecret, deliveries, consumers, tagWar, tagOwners, tagPairs],
    ...[steadyCost, afterAll],
  ],
};

/** The suites of a run on each change: all on the newest Crossplane, and on older ones those that differ. */
export const differingOn = (version: Version): readonly Suite[] => differing[version] ?? suites;
