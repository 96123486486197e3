import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { usesLabel } from "../../src/records/record.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { sumOf } from "./cost.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { grant, namespaceOf, sourceOf } from "./source.ts";

/** Before v2.4 Crossplane does not watch what a function requires: a change of a record wakes nobody. */
export const intrudingRecord: Suite = onNewestOnly({
  name: "a record of a team without a grant",
  scenarios: [
    { name: "is refused by the policy for records, which Crossplane passes", run: recordIsRefused },
    { name: "changes nothing of the owner's, and wakes none of its consumers", run: recordIsRenamed },
  ],
});

/** An XR whose circuit is open has its next reconcile when that is over. */
const TTL = "60s";
const loom: Kind = {
  kind: "XLoom",
  scope: "Legacy",
  input: { responseTTL: TTL, consumers: { protect: false, list: { toCompositeFieldPath: "status.database" } } },
};
const loomApp: Kind = {
  kind: "LoomApp",
  scope: "Namespaced",
  input: {
    responseTTL: "10m", // nothing but events wakes it meanwhile
    sharedResources: [{ name: "loom", apiVersion: VERSION, kind: loom.kind, select: { name: "loom" } }],
  },
};
const [LOOM_USERS, LOOM_INTRUDER] = ["loom-users", "loom-intruder"];
const CONSUMERS = 10;
/** Crossplane's circuit of an XR takes fifty updates at once. */
const [FEW, MANY] = [30, 130];

/** A record with another XR, Secret and place in a pool each time. */
const intruding = (turn: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    namespace: LOOM_INTRUDER,
    name: "record",
    labels: {
      [usesLabel({ apiVersion: VERSION, kind: loom.kind, namespace: undefined, name: "loom" })]: "true",
      "crossplane.io/composite": "x",
    },
    annotations: { "shared-infrastructure.fn.crossplane.io/owner": `LoomApp.${GROUP}/${LOOM_INTRUDER}/n-${turn}` },
  },
  data: {
    loom: JSON.stringify([
      { apiVersion: VERSION, kind: loom.kind, name: "loom", secrets: [`${LOOM_INTRUDER}/s-${turn}`] },
    ]),
  },
});

const appOf = (name: string) => ({
  apiVersion: VERSION,
  kind: loomApp.kind,
  metadata: { namespace: LOOM_USERS, name },
  spec: {},
});

const ownerOf = ({ kubectl }: Rig) => kubectl.get(`${pluralOf(loom.kind)}.${GROUP}/loom`);

const listed = (rig: Rig, count: number) => {
  const isListed = async () => at(await ownerOf(rig), "status.database.count") === count;
  return until(`the owner lists ${count} consumers`, isListed, PATIENCE);
};

const POLICY = fileURLToPath(new URL("../../deploy/policies/records.yaml", import.meta.url));
const TEAM = "loom-intruder-team";
const mayWriteConfigMaps = [
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { namespace: LOOM_INTRUDER, name: TEAM },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { namespace: LOOM_INTRUDER, name: TEAM },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: TEAM },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: TEAM }],
  },
];

/** Proves that a team that may write ConfigMaps writes no record while the policy is there, neither a new one nor one that there is. */
async function recordIsRefused(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(...[LOOM_USERS, LOOM_INTRUDER].map(namespaceOf), ...mayWriteConfigMaps);
  await kubectl.applyFile(POLICY);
  await install(kubectl, [loom, loomApp]);
  await grant(kubectl, sourceOf(loom, "loom", LOOM_USERS), LOOM_USERS);
  const asTeam = [`--as=${TEAM}`, `--namespace=${LOOM_INTRUDER}`] as const;
  const isRefused = (trying: Promise<unknown>) =>
    trying.then(
      () => false,
      (error: unknown) => String(error).includes("only Crossplane"),
    );
  const tried = () => isRefused(kubectl.create(intruding(0), ...asTeam, "--dry-run=server"));
  await until("the policy takes effect", tried, PATIENCE);
  await kubectl.apply(appOf("app-0"));
  await listed(rig, 1);

  await kubectl.apply(intruding(0));
  await kubectl.apply({ ...intruding(0), metadata: { namespace: LOOM_INTRUDER, name: "settings" } });
  await until(
    "nothing is reconciled any more",
    async () => (await counted(rig, async () => {})).owners === 0,
    PATIENCE,
  );
  const edits = {
    label: ["label", "x=y"],
    unlabel: ["label", "crossplane.io/composite-"],
    annotate: ["annotate", "x=y"],
  };
  const seen = await counted(rig, async () => {
    for (const [name, [verb = "", change = ""]] of Object.entries(edits))
      if (!(await isRefused(kubectl.run(verb, "configmap/record", change, ...asTeam))))
        throw new Error(`the team may ${name} a record`);
  });
  if (seen.isChanged || seen.owners > 1) throw new Error(`refused edits: ${JSON.stringify(seen)}`);
  await kubectl.run("annotate", "configmap/settings", "x=y", ...asTeam);
  await kubectl.run("delete", "configmap/record", ...asTeam);
  await kubectl.run("delete", "-f", POLICY);
  return `${Object.keys(edits).length} edits of its record refused, ${seen.owners} reconciles of the owner; the team writes its other ConfigMaps, and deletes the record`;
}

/** Proves that a record of a team without a grant changes nothing of the owner's XR, and so wakes none of its consumers. */
async function recordIsRenamed(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(...Array.from({ length: CONSUMERS }, (_, index) => appOf(`app-${index}`)));
  await listed(rig, CONSUMERS);
  await kubectl.apply(intruding(0));
  const isSeen = async () => at(await ownerOf(rig), "status.database.withoutGrant") === 1;
  await until("the owner has seen the intruder", isSeen, PATIENCE);
  const isQuiet = async () => {
    const { consumers } = await readAll(rig);
    await sleep(5000);
    return (await readAll(rig)).consumers === consumers;
  };
  await until("the consumers are settled", isQuiet, PATIENCE);

  const few = await during(rig, 1, FEW);
  if (few.isChanged || few.consumers > 0) throw new Error(`${FEW} edits: ${JSON.stringify(few)}`);
  const many = await during(rig, FEW, FEW + MANY);
  const isOpen = conditionOf(await ownerOf(rig), "Responsive")?.status === "False";
  const start = Date.now();
  await kubectl.apply(appOf("late"));
  await listed(rig, CONSUMERS + 1);
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  const told = (edits: number, { owners, consumers }: typeof few): string =>
    `${edits} edits: ${owners} reconciles of the owner, ${consumers} of its ${CONSUMERS} consumers`;
  return `${told(FEW - 1, few)}; ${told(MANY, many)}, its circuit ${isOpen ? "open" : "closed"}: the next consumer is listed after ${seconds} s`;
}

/** Counts the reconciles while the record is edited. */
const during = (rig: Rig, from: number, to: number) =>
  counted(rig, async () => {
    for (let turn = from; turn < to; turn++) await rig.kubectl.apply(intruding(turn));
  });

async function counted(rig: Rig, edit: () => Promise<void>) {
  const before = await readAll(rig);
  await edit();
  await sleep(5000);
  const after = await readAll(rig);
  return {
    owners: after.owners - before.owners,
    consumers: after.consumers - before.consumers,
    isChanged: after.version !== before.version,
  };
}

async function readAll(rig: Rig) {
  const version = at(await ownerOf(rig), "metadata.resourceVersion");
  const reconciles = ({ kind }: Kind): Promise<number> => {
    const controller = `controller="composite/${pluralOf(kind)}.${GROUP}"`;
    return sumOf(rig.crossplane.metrics, "controller_runtime_reconcile_total", controller);
  };
  return { owners: await reconciles(loom), consumers: await reconciles(loomApp), version };
}
