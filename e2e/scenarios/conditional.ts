import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "../../src/log.ts";
import { stringAt } from "../../src/model/document.ts";
import { emptyDraft, withResource } from "../../src/model/draft.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import type { Outcome } from "../../src/run-function.ts";
import { serve } from "../../src/server/server.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { insecure } from "../../testing/servers/config.ts";
import { registerFunction } from "../rig/function.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { UPJET_GROUP, upjetOf } from "../rig/upjet-provider.ts";
import { current, lose, restore } from "./backup.ts";
import { compose, compositionOf, definitionOf, GROUP, ours, VERSION } from "./definitions.ts";
import { composedOf, findController, isSynced, named, reasonOf, required } from "./restored.ts";
import { isNewest, PATIENCE, type Suite } from "./scenario.ts";

/**
 * A subnet that is desired only once its network's status is there, as by an `if` in a template, with upjet's runtime. A restore strips
 * the status, and the cloud does not answer for the network at first.
 */
export const conditional: Suite = {
  name: "restore of what depends on another one's status",
  scenarios: [
    { name: "with: the XR last: the subnet is kept until the network is looked at", run: restored, isFor: isNewest },
    { name: "with: a claim last, without a record: no second subnet", run: madeAnew, isFor: isNewest },
    { name: "with: a claim last, whose Composition gave a kind up: it goes", run: givenUp, isFor: isNewest },
  ],
};

const TEMPLATE = "function-template";
const MANAGED = `buckets.${UPJET_GROUP}`;
const DATABASES = `databases.${UPJET_GROUP}`;

const managed = (kind: string, name: string) => ({
  apiVersion: `${UPJET_GROUP}/v1alpha1`,
  kind,
  metadata: { annotations: { "crossplane.io/external-name": name } },
  spec: { forProvider: { region: "eu" }, providerConfigRef: { name: "default" } },
});

const estate = (name: string, more: Readonly<Record<string, object>> = {}) =>
  compositionOf(
    "XEstate",
    [
      compose({ network: managed("Bucket", `${name}-network`), subnet: managed("Bucket", `${name}-subnet`), ...more }),
      { step: "template", functionRef: { name: TEMPLATE } },
      ours("adopt", { adoption: {}, externalNames: {} }),
    ],
    { name },
  );

const xrOf = (name: string, kind = "XEstate") => ({
  apiVersion: VERSION,
  kind,
  metadata: { name, ...(kind === "Estate" && { namespace: "default" }) },
  spec: { compositionRef: { name } },
});

/** A function that leaves the subnet out while the network reports no id. */
function leaveOut(message: Uint8Array): Outcome {
  const request = readRequest(message);
  const network = request.observed.resources.get("network")?.document;
  const isThere = network !== undefined && stringAt(network, ["status", "atProvider", "id"]) !== undefined;
  const draft = isThere ? emptyDraft : withResource(emptyDraft, "subnet", { is: "removed" });
  return { ...draft, response: writeResponse(request, draft) };
}

/** Serves it as long as this process runs. */
async function serveTemplate({ kubectl, directory, authority }: Rig): Promise<void> {
  const certsDir = join(directory, "certificates", TEMPLATE);
  mkdirSync(certsDir, { recursive: true });
  writeCertificates(certsDir, authority, issue(authority, TEMPLATE));
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const config = { ...insecure, transport: { is: "mtls", certsDir } } as const;
  const server = await serve(config, { runFunction: leaveOut, log: createLog(config, nowhere) });
  await registerFunction(kubectl, `dns:///127.0.0.1:${server.port}`, TEMPLATE);
}

async function prepare(rig: Rig): Promise<void> {
  const { kubectl } = rig;
  await kubectl.apply(definitionOf({ kind: "XEstate", claim: "Estate" }));
  await kubectl.waitFor("Offered", `xrd/xestates.${GROUP}`);
  await serveTemplate(rig);
}

/** Waits until the XR has composed this many managed resources, and their provider has looked at each. */
async function settled(rig: Rig, xr: string, count: number) {
  const all = async () => [...(await composedOf(rig, xr, MANAGED)), ...(await composedOf(rig, xr, DATABASES))];
  const areThere = async () => (await all()).filter(isSynced).length === count;
  await until(`${xr} has composed ${count}`, areThere, PATIENCE);
  await until(`${xr} is synced`, async () => isSynced(await rig.kubectl.get(`xestate/${xr}`)), PATIENCE);
  return { xr: await required(rig, `xestate/${xr}`), composed: await all() };
}

async function restored(rig: Rig): Promise<string> {
  await prepare(rig);
  await rig.kubectl.apply(estate("estate"), xrOf("estate"));
  const { xr, composed } = await settled(rig, "estate", 2);
  const subnet = named(composed, "subnet");
  await lose(rig, xr, ...composed);
  const { cloud } = upjetOf(rig);
  cloud.unanswered.add("buckets/estate-network");
  for (const one of [...composed, xr]) await restore(rig, one);
  await until("the XR keeps it", async () => (await reasonOf(rig, xr)) === "Adopting", PATIENCE);
  await sleep(12_000); // several reconciles
  const words = conditionOf(await current(rig, xr), "ResourcesAdopted")?.message;
  if (!String(words).includes("not looked at yet: network")) throw new Error(`the XR says ${String(words)}`);
  const uid = await uidOf(rig, subnet);
  cloud.unanswered.clear();
  await assertKept(rig, xr, composed);
  if ((await uidOf(rig, subnet)) !== uid) throw new Error("the subnet was made anew");
  return "kept while the network was not looked at, and adopted; none made twice";
}

async function madeAnew(rig: Rig): Promise<string> {
  const { claim, xr, composed } = await composedByClaim(rig, "anew", 2);
  await loseAll(rig, claim, xr, composed);
  const { cloud } = upjetOf(rig);
  cloud.unanswered.add("buckets/anew-network");
  for (const one of [...composed, claim]) await restore(rig, one);
  await until("the XR is made anew", async () => (await reasonOf(rig, xr)) !== undefined, PATIENCE);
  await sleep(12_000);
  const reason = await reasonOf(rig, xr);
  cloud.unanswered.clear();
  await assertKept(rig, xr, composed);
  return `${reason} meanwhile; then the same two, and no second one`;
}

async function givenUp(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { claim, xr, composed } = await composedByClaim(rig, "given", 3, { db: managed("Database", "given-db") });
  const references = at(xr, "spec.resourceRefs") as readonly JsonObject[];
  const name = String(references.find(({ kind }) => kind === "EnvironmentConfig")?.["name"]);
  const record = await required(rig, `environmentconfig/${name}`);
  await loseAll(rig, claim, xr, composed);
  await kubectl.apply(estate("given"));
  await sleep(5000); // until Crossplane has its revision
  for (const one of [...composed, record, claim]) await restore(rig, one);
  const db = named(composed, "db");
  await until("the database is gone", async () => (await current(rig, db)) === undefined, PATIENCE);
  await assertKept(
    rig,
    xr,
    composed.filter((one) => one !== db),
  );
  if (upjetOf(rig).cloud.resources.has("databases/given-db")) throw new Error("its cloud resource was left behind");
  return "adopted, and deleted with its cloud resource";
}

async function composedByClaim(rig: Rig, name: string, count: number, more: Readonly<Record<string, object>> = {}) {
  const { kubectl } = rig;
  await kubectl.apply(estate(name, more), xrOf(name, "Estate"));
  const find = async () => (await kubectl.list("xestates")).find((xr) => at(xr, "spec.claimRef.name") === name);
  await until(`${name} has an XR`, async () => (await find()) !== undefined, PATIENCE);
  const found = await settled(rig, nameOf((await find()) ?? {}), count);
  return { ...found, claim: await required(rig, `estate/${name}`) };
}

/** Loses the XR's records with it: nobody has restored them. */
async function loseAll(rig: Rig, claim: JsonObject, xr: JsonObject, composed: readonly JsonObject[]): Promise<void> {
  await lose(rig, claim, xr, ...composed);
  const areGone = async () => {
    const records = (await rig.kubectl.list("environmentconfigs")).filter(
      (record) => findController(record) === at(xr, "metadata.uid"),
    );
    for (const record of records) await rig.kubectl.run("delete", `environmentconfig/${nameOf(record)}`);
    return records.length === 0;
  };
  await until("its records are lost", areGone, PATIENCE);
}

const uidOf = async (rig: Rig, object: JsonObject): Promise<unknown> => at(await current(rig, object), "metadata.uid");

/** Waits until the XR controls these, and asserts that they are all that there is, in the cluster and in the cloud. */
async function assertKept(rig: Rig, xr: JsonObject, composed: readonly JsonObject[]): Promise<void> {
  const isOurs = async (one: JsonObject) =>
    findController(await current(rig, one)) === at(await current(rig, xr), "metadata.uid");
  for (const one of composed) await until(`${nameOf(one)} is adopted`, () => isOurs(one), PATIENCE);
  await until("all is adopted", async () => (await reasonOf(rig, xr)) === "Adopted", PATIENCE);
  await sleep(6000);
  const all = await composedOf(rig, nameOf(xr), MANAGED);
  if (
    all.length !== composed.length ||
    all.some((one) => isObject(one["metadata"]) && one["metadata"]["deletionTimestamp"])
  )
    throw new Error(`there are ${all.map(nameOf).join()}`);
}
