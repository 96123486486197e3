import { setTimeout as sleep } from "node:timers/promises";
import { isV2 } from "../rig/crossplane.ts";
import { roleFor } from "../rig/crossplane-rights.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { PATCH_AND_TRANSFORM } from "../rig/other-function.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { UPJET_GROUP, upjetOf } from "../rig/upjet-provider.ts";
import { autoReady, compositionOf, definitionOf, GROUP, open, ours, readManagedKind, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";

/** Our step between the steps of others, in configurations of the shape that people have. */

export const neighbours: Suite = {
  name: "among other functions",
  scenarios: [
    {
      name: "before function-patch-and-transform: not Ready while what it shares is not there",
      run: isReadyWhenServed,
    },
    {
      name: "a network whose lists are empty at first: nothing is created with them, nor changed to them",
      run: isEmpty,
    },
    {
      name: "a network of 16 managed resources, a database and a cluster that use it: all are Ready, with its subnets",
      run: isComposed,
    },
    { name: "a number goes into a ConfigMap as its text", run: isText, isFor: isV2 }, // v1 may not write ConfigMaps
    { name: "two steps with a share of one name: the XR stops, and says which", run: isNamedTwice },
    { name: "an XR that is made anew finds its record and its ConfigMap again", run: isMadeAnew, isFor: isV2 },
  ],
};

const CLOUD = "neighbours.example.org";
const TEAM = "neighbours";
const KIND = { network: "XFabric", user: "XRented", app: "Tenant" } as const;

type Step = Parameters<typeof compositionOf>[1][number];

const patchAndTransform = (resources: readonly object[], environment?: object): Step => ({
  step: "compose",
  functionRef: { name: PATCH_AND_TRANSFORM },
  input: {
    apiVersion: "pt.fn.crossplane.io/v1beta1",
    kind: "Resources",
    ...(environment && { environment }),
    resources,
  },
});

/** A share of the network, by its name. */
const sharing = (share: object, step = "share") =>
  ours(step, {
    sharedResources: [
      { name: "network", apiVersion: VERSION, kind: KIND.network, select: { name: "small" }, grant: "None", ...share },
    ],
  });

const group = (...patches: readonly object[]) => ({
  name: "group",
  base: { apiVersion: `${CLOUD}/v1`, kind: "Group", spec: { forProvider: { region: "eu" } } },
  patches,
});

/** Network, database and cluster as Upbound's configurations compose them: references by selectors, ids by way of the status. */
const count = (most: number): readonly number[] => Array.from({ length: most }, (_, index) => index);

const managed = (kind: string, name: string, forProvider: object, ...patches: readonly object[]) => ({
  name,
  base: { apiVersion: `${UPJET_GROUP}/v1alpha1`, kind, metadata: { labels: { role: name } }, spec: { forProvider } },
  patches,
});

const toStatus = (fromFieldPath: string, toFieldPath: string) => ({
  type: "ToCompositeFieldPath",
  fromFieldPath,
  toFieldPath,
});

/** The kinds of the rig's cloud stand for others: what it names itself for VPC and subnets, buckets for tables, attachments for routes. */
const NETWORK = [
  managed("Cluster", "vpc", { region: "vpc" }, toStatus("status.atProvider.id", "status.vpcId")),
  ...count(4).map((index) =>
    managed(
      "Cluster",
      `subnet-${index}`,
      { region: "subnet" },
      toStatus("status.atProvider.id", `status.subnetIds[${index}]`),
    ),
  ),
  ...count(2).map((index) =>
    managed(
      "Cluster",
      `security-group-${index}`,
      { region: "security-group" },
      toStatus("status.atProvider.id", `status.securityGroupIds[${index}]`),
    ),
  ),
  ...count(5).map((index) => managed("Bucket", `table-${index}`, { region: "eu" })),
  ...count(4).map((index) =>
    managed("Attachment", `route-${index}`, {
      bucketSelector: { matchControllerRef: true, matchLabels: { role: `table-${index}` } },
    }),
  ),
];

const wantsSubnets = (name: string) => ({
  fromFieldPath: "status.subnetIds",
  toResource: { name, fieldPath: "spec.forProvider.subnetIds" },
});

const subnetsFromEnvironment = {
  type: "FromEnvironmentFieldPath",
  fromFieldPath: "network.subnetIds",
  toFieldPath: "spec.forProvider.subnetIds",
  policy: { fromFieldPath: "Required" },
};

const COMPOSITIONS = [
  // Its status is written by hand.
  compositionOf(KIND.network, [ours("ttl", {})], { name: "by-hand" }),
  compositionOf(KIND.network, [patchAndTransform(NETWORK), autoReady], { name: "composed" }),
  compositionOf(
    KIND.user,
    [
      sharing({ toEnvironment: { fromFieldPath: "status", toFieldPath: "network" } }),
      patchAndTransform([group(subnetsFromEnvironment)]),
      autoReady,
    ],
    { name: "before" },
  ),
  compositionOf(KIND.user, [patchAndTransform([group()]), sharing({ patches: [wantsSubnets("group")] }), autoReady], {
    name: "behind",
  }),
  compositionOf(
    KIND.user,
    [
      patchAndTransform([
        { ...group(), name: "database" },
        { ...group(), name: "cluster" },
      ]),
      sharing({ select: { name: "large" }, patches: [wantsSubnets("database"), wantsSubnets("cluster")] }),
      autoReady,
    ],
    { name: "stack" },
  ),
  compositionOf(
    KIND.user,
    [
      patchAndTransform([
        {
          name: "settings",
          base: {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { namespace: TEAM, name: "settings" },
            data: { HOST: "db" },
          },
        },
      ]),
      sharing({
        patches: [{ fromFieldPath: "status.port", toResource: { name: "settings", fieldPath: "data.PORT" } }],
      }),
    ],
    { name: "settings" },
  ),
  compositionOf(KIND.user, [sharing({}, "first"), sharing({}, "second")], { name: "named-twice" }),
];

async function prepare({ kubectl }: Rig): Promise<void> {
  const ids = { type: "array", items: { type: "string" } };
  await kubectl.apply(
    namespaceOf(TEAM),
    readManagedKind("Group", CLOUD),
    roleFor("neighbours", [CLOUD]),
    definitionOf({
      kind: KIND.network,
      status: { vpcId: { type: "string" }, subnetIds: ids, securityGroupIds: ids, port: { type: "integer" } },
    }),
    definitionOf({ kind: KIND.user, spec: { parameters: open } }),
  );
  await kubectl.established(`xrd/xfabrics.${GROUP}`, `xrd/xrenteds.${GROUP}`);
  await kubectl.apply(...COMPOSITIONS);
}

async function make({ kubectl }: Rig, kind: string, name: string, composition = name): Promise<void> {
  const spec = { compositionRef: { name: composition } };
  await kubectl.apply({ apiVersion: VERSION, kind, metadata: { name }, spec });
}

const xrOf = ({ kubectl }: Rig, name: string) => kubectl.get(`xrenteds.${GROUP}/${name}`);

/** The state of an XR in one text: `True Available, Ready True`. */
async function stateOf(rig: Rig, name: string): Promise<string> {
  const xr = await xrOf(rig, name);
  const shared = conditionOf(xr, "SharedResourcesReady");
  return `${shared?.status} ${shared?.reason}, Ready ${conditionOf(xr, "Ready")?.status}`;
}

const isIn = (rig: Rig, name: string, state: string) =>
  until(`${name} is ${state}`, async () => (await stateOf(rig, name)) === state, PATIENCE);

const publish = ({ kubectl }: Rig, status: object) =>
  kubectl.patch("xfabric/small", { status }, { subresource: "status" });

async function groupsOf({ kubectl }: Rig, name: string) {
  const all = await kubectl.list(`groups.${CLOUD}`);
  return all.filter((one) => at(one, "metadata.labels[crossplane.io/composite]") === name);
}

async function subnetsOf(rig: Rig, name: string): Promise<string> {
  return JSON.stringify((await groupsOf(rig, name)).map((one) => at(one, "spec.forProvider.subnetIds") ?? "none"));
}

/** Nobody provides the groups, so they are said to be Ready here. */
async function provide(rig: Rig, name: string): Promise<void> {
  const ready = { type: "Ready", status: "True", reason: "Available", lastTransitionTime: "2026-01-01T00:00:00Z" };
  for (const one of await groupsOf(rig, name)) {
    const status = { conditions: [ready] };
    await rig.kubectl.patch(`groups.${CLOUD}/${nameOf(one)}`, { status }, { subresource: "status" });
  }
}

/** Several reconciles later, the XR is still in this state. */
async function stays(rig: Rig, name: string, state: string): Promise<void> {
  await sleep(5000);
  const now = await stateOf(rig, name);
  if (now !== state) throw new Error(`${name} is ${now}, and not ${state}`);
}

async function isReadyWhenServed(rig: Rig): Promise<string> {
  await prepare(rig);
  await make(rig, KIND.user, "before");
  await isIn(rig, "before", "False NotFound, Ready False");
  await stays(rig, "before", "False NotFound, Ready False");
  await make(rig, KIND.network, "small", "by-hand");
  await publish(rig, { subnetIds: ["subnet-a"] });
  const isMade = async () => (await subnetsOf(rig, "before")) === '[["subnet-a"]]';
  await until("the group is there", isMade, PATIENCE);
  await provide(rig, "before");
  await isIn(rig, "before", "True Available, Ready True");
  return "Ready False with nothing composed, and Ready True once the group is";
}

async function isEmpty(rig: Rig): Promise<string> {
  const lists = [[], [""]];
  await publish(rig, { subnetIds: lists[0] });
  await make(rig, KIND.user, "behind");
  for (const subnetIds of lists) {
    await publish(rig, { subnetIds });
    await isIn(rig, "behind", "False FieldNotSet, Ready False");
    await sleep(4000); // several reconciles
    if ((await groupsOf(rig, "behind")).length > 0) throw new Error(`created with ${JSON.stringify(subnetIds)}`);
  }
  await publish(rig, { subnetIds: ["subnet-a", "subnet-b"] });
  const has = async () => (await subnetsOf(rig, "behind")) === '[["subnet-a","subnet-b"]]';
  await until("it is created with both", has, PATIENCE);
  await provide(rig, "behind");
  await isIn(rig, "behind", "True Available, Ready True");
  for (const subnetIds of lists) {
    await publish(rig, { subnetIds });
    await sleep(4000);
    if (!(await has())) throw new Error(`${JSON.stringify(subnetIds)} made it ${await subnetsOf(rig, "behind")}`);
  }
  return 'not created with [] and [""]; created with two subnets, and it kept them';
}

async function isComposed(rig: Rig): Promise<string> {
  const { cloud } = upjetOf(rig);
  await make(rig, KIND.user, "stack");
  await isIn(rig, "stack", "False NotFound, Ready False");
  await make(rig, KIND.network, "large", "composed");
  const network = () => rig.kubectl.get("xfabric/large");
  const isReady = async () => conditionOf(await network(), "Ready")?.status === "True";
  await until("the network is Ready", isReady, PATIENCE);
  const references = at(await network(), "spec.resourceRefs");
  const composed = Array.isArray(references) ? references.length : 0;
  if (composed !== NETWORK.length) throw new Error(`${composed} managed resources, and not ${NETWORK.length}`);
  const subnets = JSON.stringify(at(await network(), "status.subnetIds"));
  const known = cloud.clustersIn("subnet");
  if (known.length !== 4 || !known.every((id) => subnets.includes(id))) throw new Error(`${subnets}, and not ${known}`);
  const have = async () => (await subnetsOf(rig, "stack")) === `[${subnets},${subnets}]`;
  await until("database and cluster have all subnets", have, PATIENCE);
  await provide(rig, "stack");
  await isIn(rig, "stack", "True Available, Ready True");
  return `${composed} managed resources; database and cluster have ${subnets}`;
}

async function isText(rig: Rig): Promise<string> {
  await publish(rig, { subnetIds: ["subnet-a"], port: 5432 });
  await make(rig, KIND.user, "settings");
  const port = async () => at(await rig.kubectl.get("configmap/settings", TEAM), "data.PORT");
  await until("the ConfigMap is there", async () => (await port()) === "5432", PATIENCE);
  const synced = async () => conditionOf(await xrOf(rig, "settings"), "Synced")?.status === "True";
  await until("the XR is synced", synced, PATIENCE);
  return `PORT: ${JSON.stringify(await port())}`;
}

async function isNamedTwice(rig: Rig): Promise<string> {
  await make(rig, KIND.user, "named-twice");
  const message = async () => conditionOf(await xrOf(rig, "named-twice"), "Synced")?.message ?? "";
  await until("the XR says so", async () => (await message()).includes("network"), PATIENCE);
  return (await message()).replaceAll(/\s+/g, " ");
}

/** A namespaced XR with its two records, which are ConfigMaps, and a ConfigMap of its own. */
async function isMadeAnew(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(definitionOf({ kind: KIND.app, scope: "Namespaced" }));
  await kubectl.established(`xrd/tenants.${GROUP}`);
  const settings = { name: "settings", base: { apiVersion: "v1", kind: "ConfigMap", data: { HOST: "db" } } };
  const share = sharing({ toEnvironment: { fromFieldPath: "status", toFieldPath: "network" } });
  await kubectl.apply(
    compositionOf(KIND.app, [patchAndTransform([settings]), autoReady, share, ours("adopt", { adoption: {} })]),
  );
  const xr = { apiVersion: VERSION, kind: KIND.app, metadata: { namespace: TEAM, name: "anew" }, spec: {} };
  const own = async () => {
    const all = await kubectl.list("configmaps", TEAM);
    const mine = all.filter((one) => at(one, "metadata.labels[crossplane.io/composite]") === "anew");
    const uid = at(await kubectl.get("tenants/anew", TEAM), "metadata.uid");
    const isOurs = mine.every((one) => at(one, "metadata.ownerReferences[0].uid") === uid);
    return mine.length === 3 && isOurs ? mine.map(nameOf).sort().join() : "";
  };
  await kubectl.apply(xr);
  await until("it has composed", async () => (await own()) !== "", PATIENCE);
  const before = await own();
  await sleep(2000); // Kubernetes' garbage collector has to have seen what it is to orphan
  await kubectl.run("delete", "tenants/anew", "-n", TEAM, "--cascade=orphan", "--wait=false");
  const isGone = async () => (await kubectl.get("tenants/anew", TEAM)) === undefined;
  await until("it is gone", isGone, PATIENCE);
  await kubectl.apply(xr);
  await until("it has what it had", async () => (await own()) === before, PATIENCE);
  await sleep(4000); // several reconciles
  if ((await own()) !== before) throw new Error(`it has ${await own()}, and not ${before}`);
  const adopted = conditionOf(await kubectl.get("tenants/anew", TEAM), "ResourcesAdopted");
  if (adopted?.reason !== "Adopted") throw new Error(`it is ${adopted?.reason}: ${adopted?.message}`);
  return "Adopted, with the same three ConfigMaps";
}
