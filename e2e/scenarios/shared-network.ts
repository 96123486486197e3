import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { runCommand } from "../../testing/tools/run-command.ts";
import { isV2 } from "../rig/crossplane.ts";
import { roleFor } from "../rig/crossplane-rights.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { compose, compositionOf, definitionOf, GROUP, open, ours, readManagedKind, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** A platform team's network, whose subnets go into the databases of another team. */

export const sharedNetwork: Suite = {
  name: "a shared network",
  scenarios: [
    { name: "gives its subnets to a database before that is created", run: isGranted },
    { name: "lists the claim that takes its fields, and is not deleted under it", run: isProtected },
    {
      name: "leaves them in a running database when its grant is taken back, and is protected no longer",
      run: isTakenBack,
    },
    { name: "is patched into a resource of another name: the XR stops, and nothing is created", run: isMisspelt },
    {
      name: "is shown in a status field that the XRD lacks: the conditions are right all the same",
      run: statusIsMissing,
      isFor: isV2, // earlier ones cannot be asked for a schema
    },
    { name: 'is granted to "*" and protected, and deleted when that is taken back', run: isDeleted },
  ],
};

const CLOUD = "network.example.org";
const TEAM = "site-team";

const network = { fromFieldPath: "status.subnets", toResource: { name: "subnets", fieldPath: "spec.forProvider.ids" } };

const sharing = (patches: readonly object[]) =>
  ours("share", {
    sharedResources: [
      {
        name: "network",
        apiVersion: VERSION,
        kind: "XNet",
        select: { name: "main" },
        grant: "Annotation",
        patches,
      },
    ],
  });

const group = { apiVersion: `${CLOUD}/v1`, kind: "Group", spec: { forProvider: { region: "eu" } } };
const composing = (patch: object) => [compose({ subnets: group }), sharing([patch])];
const misspelt = { ...network, toResource: { ...network.toResource, name: "subnet" } };
const shown = { fromFieldPath: "status.subnets", toCompositeFieldPath: "status.missing" };

async function prepare({ kubectl }: Rig): Promise<void> {
  await kubectl.apply(
    namespaceOf(TEAM),
    readManagedKind("Group", CLOUD),
    roleFor("network", [CLOUD]),
    definitionOf({
      kind: "XNet",
      status: { subnets: { type: "array", items: { type: "string" } }, consumers: open },
    }),
    definitionOf({ kind: "XSite", claim: "Site" }),
  );
  await kubectl.established(`xrd/xnets.${GROUP}`, `xrd/xsites.${GROUP}`);
  await kubectl.apply(
    compositionOf("XNet", [
      ours("consumers", { consumers: { list: { toCompositeFieldPath: "status.consumers" }, protect: true } }),
    ]),
    compositionOf("XSite", composing(network), { name: "granted" }),
    compositionOf("XSite", composing(misspelt), { name: "misspelt" }),
    compositionOf("XSite", [sharing([shown])], { name: "missing" }),
  );
}

const grant = ({ kubectl }: Rig, namespaces: string) =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: "XNet",
    metadata: { name: "main", annotations: { [ALLOWED]: namespaces } },
    spec: { writeConnectionSecretToRef: { namespace: TEAM, name: "net-conn" } },
  });

async function claim({ kubectl }: Rig, name: string): Promise<void> {
  const spec = { compositionRef: { name } };
  await kubectl.apply({ apiVersion: VERSION, kind: "Site", metadata: { namespace: TEAM, name }, spec });
}

const site = ({ kubectl }: Rig, name: string) => kubectl.get(`sites.${GROUP}/${name}`, TEAM);
const reasonOf = async (rig: Rig, name: string) => conditionOf(await site(rig, name), "SharedResourcesReady")?.reason;

/** The subnets of each group that was created, by the claim that it was composed for. */
async function subnetsOf({ kubectl }: Rig, name: string): Promise<readonly unknown[]> {
  const groups = await kubectl.list(`groups.${CLOUD}`);
  return groups
    .filter((one) => at(one, "metadata.labels[crossplane.io/claim-name]") === name)
    .map((one) => at(one, "spec.forProvider.ids"));
}

async function isGranted(rig: Rig): Promise<string> {
  await prepare(rig);
  await grant(rig, TEAM);
  await claim(rig, "granted");
  await until("it waits for the field", async () => (await reasonOf(rig, "granted")) === "FieldNotSet", PATIENCE);
  const before = await subnetsOf(rig, "granted");
  if (before.length > 0) throw new Error(`it was created before: ${JSON.stringify(before)}`);
  const status = { subnets: ["subnet-a", "subnet-b"] };
  await rig.kubectl.patch("xnet/main", { status }, { subresource: "status" });
  await until("it has them", async () => (await subnetsOf(rig, "granted")).length === 1, PATIENCE);
  return JSON.stringify(await subnetsOf(rig, "granted"));
}

const NETWORK = `xnets.${GROUP}/main`;

/** Lists the Usages of the network. */
async function usagesOf({ kubectl, version }: Rig): Promise<readonly JsonObject[]> {
  const kind = isV2(version) ? "clusterusages.protection.crossplane.io" : "usages.apiextensions.crossplane.io";
  return (await kubectl.list(kind)).filter((usage) => at(usage, "spec.of.kind") === "XNet");
}

/** Crossplane has seen the Usage once it has set its label, which v1.20 may leave behind: it protects nothing by itself. */
const isInUse = async (rig: Rig) =>
  at(await rig.kubectl.get(NETWORK), "metadata.labels[crossplane.io/in-use]") === "true" &&
  (await usagesOf(rig)).length > 0;

const isFree = (rig: Rig) => until("nothing protects it", async () => (await usagesOf(rig)).length === 0, PATIENCE);

/** @returns the sentence with which deletion is refused. */
async function assertRefused(rig: Rig): Promise<string> {
  await until("Crossplane has seen the Usage", () => isInUse(rig), PATIENCE);
  const refusal = await rig.kubectl.run("delete", NETWORK, "--wait=false").then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refusal === undefined) throw new Error("it was deleted under its consumers");
  if (!refusal.includes(`in namespace ${TEAM}`)) throw new Error(`the sentence does not name ${TEAM}: ${refusal}`);
  return /with reason: "(?<sentence>[^"]*?)\\?"/.exec(refusal)?.groups?.["sentence"] ?? refusal;
}

async function isProtected(rig: Rig): Promise<string> {
  const listed = async () => JSON.stringify(at(await rig.kubectl.get(NETWORK), "status.consumers.items") ?? []);
  await until("its status lists the claim", async () => (await listed()).includes(`"namespace":"${TEAM}"`), PATIENCE);
  const args = ["consumers", `xnets.${GROUP}`, "main", "--kubeconfig", rig.kubeconfig];
  const { exitCode, stdout } = await runCommand("registry", args);
  const isShown = new RegExp(`^${TEAM} +Site\\.${GROUP} +granted +- +- +yes$`, "m").test(stdout);
  if (exitCode !== 0 || !isShown) throw new Error(`registry consumers printed ${stdout}`);
  return assertRefused(rig);
}

async function isTakenBack(rig: Rig): Promise<string> {
  await grant(rig, "somebody-else");
  const isRefused = async () => (await reasonOf(rig, "granted")) === "AccessNotGranted";
  await until("the claim says so", isRefused, PATIENCE);
  await sleep(4000); // several reconciles
  const after = JSON.stringify(await subnetsOf(rig, "granted"));
  if (after !== '[["subnet-a","subnet-b"]]') throw new Error(`it has ${after}`);
  await isFree(rig);
  return String(conditionOf(await site(rig, "granted"), "SharedResourcesReady")?.message);
}

async function isMisspelt(rig: Rig): Promise<string> {
  await grant(rig, TEAM);
  await claim(rig, "misspelt");
  const synced = async () => conditionOf(await xrOf(rig, "misspelt"), "Synced")?.message ?? "";
  await until("the XR says so", async () => (await synced()).includes("subnets"), PATIENCE);
  const made = await subnetsOf(rig, "misspelt");
  if (made.length > 0) throw new Error("it was created all the same");
  return (await synced()).replaceAll(/\s+/g, " ");
}

async function xrOf({ kubectl }: Rig, name: string) {
  const all = await kubectl.list(`xsites.${GROUP}`);
  return all.find((one) => at(one, "spec.claimRef.name") === name);
}

async function statusIsMissing(rig: Rig): Promise<string> {
  await claim(rig, "missing");
  await until("the claim says so", async () => (await reasonOf(rig, "missing")) === "PatchFailed", PATIENCE);
  const message = String(conditionOf(await site(rig, "missing"), "SharedResourcesReady")?.message);
  await grant(rig, "somebody-else");
  const isFresh = async () => (await reasonOf(rig, "missing")) === "AccessNotGranted";
  await until("the condition follows the grant", isFresh, PATIENCE);
  return message;
}

async function isDeleted(rig: Rig): Promise<string> {
  await grant(rig, "somebody-else");
  await isFree(rig); // or the Usage that is seen would be one that goes, of the grant before
  await grant(rig, "*");
  const sentence = await assertRefused(rig);
  await grant(rig, "somebody-else");
  await isFree(rig);
  await rig.kubectl.run("delete", NETWORK, "--wait=false");
  await until("it is gone", async () => (await rig.kubectl.get(NETWORK)) === undefined, PATIENCE);
  return `refused (${sentence}), and deleted at the first try without the grant`;
}
