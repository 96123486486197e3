import type { JsonObject } from "../../src/model/json.ts";
import { DEPENDS_ON } from "../../src/ownership/annotations.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import {
  autoReady,
  compose,
  compositionOf,
  definitionOf,
  GROUP,
  type Kind,
  open,
  ours,
  VERSION,
} from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, grant, holdsPassword, namespaceOf, putPassword, sourceOf } from "./source.ts";

/** What exists only with a grant, such as a PushSecret or a RoleBinding: here a ConfigMap that says which database it is for. */
export const access: Suite = onNewestOnly({
  name: "access that is no Secret",
  scenarios: [
    { name: "a dependent comes with the grant and the copy, and goes with it", run: comesAndGoes },
    {
      name: "it goes though its team has paused the XR, and has changed all that it may write",
      run: attacked,
    },
    { name: "it goes though its team has left it out of the references in Crossplane's name", run: leftOut },
    { name: "for another database it is made anew", run: moved },
  ],
});

const TEAM = "access-red";
const OWNERS = "access-owners";
const owner: Kind = { kind: "XAccessed", scope: "Cluster", input: {} };
const [main, other] = [sourceOf(owner, "access-main", OWNERS), sourceOf(owner, "access-other", OWNERS)] as const;
const [PASSWORD, OTHER_PASSWORD] = ["access-s3cret-1", "access-s3cret-2"];
const XR = `accessers.${GROUP}/app`;

const composition = compositionOf("Accesser", [
  compose({ push: { apiVersion: "v1", kind: "ConfigMap", data: { for: "$(spec.database)" } } }),
  ours("share", {
    sharedResources: [
      {
        name: "db",
        apiVersion: VERSION,
        kind: owner.kind,
        select: { name: { fromCompositeFieldPath: "spec.database" } },
        connection: { copies: [{ secretName: "db" }] },
        dependents: ["push"],
      },
    ],
  }),
  autoReady,
]);

/** The dependents of the team, whoever refers to them. */
const dependents = async ({ kubectl }: Rig): Promise<readonly JsonObject[]> =>
  (await kubectl.list("configmaps", TEAM)).filter(
    (one) => at(one, `metadata.annotations[${DEPENDS_ON}]`) !== undefined,
  );

async function reasonOf({ kubectl }: Rig): Promise<string | undefined> {
  return conditionOf(await kubectl.get(XR, TEAM), "SharedResourcesReady")?.message;
}

/** Waits until the team has a copy with this password, and one dependent for this database. */
async function served(rig: Rig, database: string, password: string): Promise<void> {
  const isServed = async () => {
    const all = await dependents(rig);
    const isFor =
      all.length === 1 && at(all[0], "data.for") === database && at(all[0], "metadata.deletionTimestamp") === undefined;
    return isFor && (await holdsPassword(rig.kubectl, "db", TEAM, password));
  };
  await until(`${TEAM} has access to ${database}`, isServed, PATIENCE);
}

async function nothingLeft(rig: Rig): Promise<string> {
  const start = Date.now();
  const isGone = async () =>
    (await dependents(rig)).length === 0 && (await rig.kubectl.get("secret/db", TEAM)) === undefined;
  await until(`${TEAM} has neither copy nor dependent`, isGone, PATIENCE);
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

const use = ({ kubectl }: Rig, database: string): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: "Accesser",
    metadata: { name: "app", namespace: TEAM },
    spec: { database },
  });

async function comesAndGoes(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(
    ...[TEAM, OWNERS].map(namespaceOf),
    definitionOf({ kind: owner.kind, scope: "Cluster", spec: { writeConnectionSecretToRef: open } }),
    definitionOf({ kind: "Accesser", scope: "Namespaced", spec: { database: { type: "string" } } }),
  );
  await kubectl.established(`xrd/xaccesseds.${GROUP}`, `xrd/accessers.${GROUP}`);
  await kubectl.apply(composition);
  await putPassword(kubectl, main, PASSWORD);
  await grant(kubectl, main, "access-blue");
  await use(rig, main.name);
  const isHeldBack = async () => (await reasonOf(rig))?.includes("not created until this XR has access") === true;
  await until("it is held back", isHeldBack, PATIENCE);
  if ((await dependents(rig)).length > 0) throw new Error("there is a dependent without a grant");
  await grant(kubectl, main, TEAM);
  await served(rig, main.name, PASSWORD);
  const isReady = async () => conditionOf(await kubectl.get(XR, TEAM), "Ready")?.status === "True";
  await until("the XR is Ready", isReady, PATIENCE);
  await grant(kubectl, main, "access-blue");
  return `after the revocation both were gone within ${await nothingLeft(rig)}`;
}

/** The team pauses its XR, and edits its references, its record and its spec, before the grant is taken back. */
async function attacked(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await grant(kubectl, main, TEAM);
  await served(rig, main.name, PASSWORD);
  const paused = (value: string | null) =>
    kubectl.patch(XR, { metadata: { annotations: { "crossplane.io/paused": value } } }, { namespace: TEAM });
  await paused("true");
  const decoy = { metadata: { name: "access-decoy", annotations: { [ALLOWED]: "*" } }, spec: {} };
  await kubectl.apply({ apiVersion: VERSION, kind: owner.kind, ...decoy });
  const record = (await kubectl.list("configmaps", TEAM)).find((one) => at(one, "data.db") !== undefined);
  if (record === undefined) throw new Error("there is no record");
  const forged = [{ apiVersion: VERSION, kind: owner.kind, name: "never-there", access: "Granted" }];
  await kubectl.patch(`configmap/${nameOf(record)}`, { data: { db: JSON.stringify(forged) } }, { namespace: TEAM });
  const spec = { database: "access-decoy", crossplane: { resourceRefs: [] } };
  await kubectl.patch(XR, { spec }, { namespace: TEAM });
  await grant(kubectl, main, "access-blue");
  await paused(null);
  return `both were gone within ${await nothingLeft(rig)}`;
}

/** The team leaves all but the record in its XR's references, as Crossplane's field manager. */
async function leftOut(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await use(rig, main.name);
  await grant(kubectl, main, TEAM);
  await served(rig, main.name, PASSWORD);
  const refs = at(await kubectl.get(XR, TEAM), "spec.crossplane.resourceRefs");
  const record = (await kubectl.list("configmaps", TEAM)).find((one) => at(one, "data.db") !== undefined);
  const kept = Array.isArray(refs) ? refs.filter((one) => record && at(one, "name") === nameOf(record)) : [];
  if (kept.length !== 1) throw new Error("there is no reference to the record");
  const paused = (value: string | null) => ({ metadata: { annotations: { "crossplane.io/paused": value } } });
  await kubectl.patch(XR, paused("true"), { namespace: TEAM });
  const patch = JSON.stringify({ spec: { crossplane: { resourceRefs: kept } } });
  const manager = "--field-manager=apiextensions.crossplane.io/composite";
  await kubectl.run("patch", XR, "-n", TEAM, "--type=merge", manager, "-p", patch);
  await grant(kubectl, main, "access-blue");
  await kubectl.patch(XR, paused(null), { namespace: TEAM });
  return `both were gone within ${await nothingLeft(rig)}`;
}

async function moved(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await putPassword(kubectl, other, OTHER_PASSWORD);
  for (const source of [main, other]) await grant(kubectl, source, TEAM);
  await use(rig, main.name);
  await served(rig, main.name, PASSWORD);
  const [before] = await dependents(rig);
  await use(rig, other.name);
  await served(rig, other.name, OTHER_PASSWORD);
  const [after] = await dependents(rig);
  const [old, now] = [at(before, "metadata.uid"), at(after, "metadata.uid")];
  if (old === now) throw new Error("it is the same object");
  await kubectl.run("delete", XR, "-n", TEAM, "--wait=false");
  await nothingLeft(rig);
  return "another object, for the other database; both went with the XR";
}
