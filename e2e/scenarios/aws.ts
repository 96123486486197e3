import { setTimeout as sleep } from "node:timers/promises";
import type { CloudResource } from "../rig/moto.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import {
  type AwsKind,
  awsXr,
  bucket,
  bucketPolicy,
  compositionFor,
  installAwsKinds,
  MANAGED,
  managedOf,
  motoOf,
} from "./aws-kinds.ts";
import { compose, compositionOf, definitionOf, ours, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/** Fault 2 on a real AWS provider: what it sends is counted in the cloud's own record of requests. */

const untamed: AwsKind = { kind: "XRawBucket", service: "s3", step: "none" };
const strict: AwsKind = { kind: "XStrictBucket", service: "s3", step: "none" };
const lateComer: AwsKind = { kind: "XLateBucket", service: "s3", step: "Observe" };
const elder: AwsKind = { kind: "XElderBucket", service: "s3", step: "none" };
const renamed: AwsKind = { kind: "XRenamedBucket", service: "s3", step: "Observe" };
const group: AwsKind = { kind: "XParameterGroup", service: "rds", step: "none" };
const table: AwsKind = { kind: "XTable", service: "dynamodb", step: "Observe" };

/** The provider polls every two seconds: a war writes about ten times in this time. */
const WINDOW_SECONDS = 10;

/** The writes of one XR's tags after the other's that are no coincidence. */
const WAR_WRITES = 8;

export const awsTagWar: Suite = {
  name: "aws: two XRs, one bucket",
  cloud: "AWS",
  scenarios: [
    { name: "without: both rewrite its tags for ever", run: warWithout },
    { name: "the same XRs, with our step in their Composition: the war ends", run: warEnds },
    { name: "both are ready behind function-auto-ready", run: bothReady },
    { name: "its owner goes: it stays, and gets the other's tags", run: ownerGoes },
    { name: "the last one goes, and it goes too", run: lastOneGoes },
  ],
};

export const awsMigration: Suite = {
  name: "aws: an XR without the step",
  cloud: "AWS",
  scenarios: [
    { name: "a newcomer leaves its bucket and its tags alone", run: newcomerObserves },
    { name: "the newcomer goes, and the bucket stays", run: newcomerGoes },
    { name: "an operator gives the bucket to a newcomer, which deletes it", run: operatorAllows },
  ],
};

export const awsMoves: Suite = {
  name: "aws: renames and onConflict: Fail",
  cloud: "AWS",
  scenarios: [
    { name: "the owner moves to another bucket: the old one gets an owner again", run: ownerRenames },
    { name: "onConflict: Fail on a war: the loser stops, the owner goes on", run: failOnWar },
  ],
};

export const awsReferences: Suite = {
  name: "aws: a policy that names its bucket by a reference",
  cloud: "AWS",
  scenarios: [
    { name: "two XRs declare it: the second one writes nothing", run: policyOfOne },
    { name: "its owner goes: it stays, and the other takes over", run: policyStays },
  ],
};

export const awsLists: Suite = {
  name: "aws: tags as lists",
  cloud: "AWS",
  scenarios: [
    { name: "RDS: a war over a DBParameterGroup ends", run: rdsWar },
    { name: "DynamoDB: a Table gets its owner's tags", run: dynamoTags },
  ],
};

async function warWithout(rig: Rig): Promise<string> {
  await installAwsKinds(rig, [untamed]);
  return startWar(rig, untamed, { service: "s3", name: "orders" });
}

/** Two XRs without the step, and what they do to each other. */
async function startWar(rig: Rig, kind: AwsKind, resource: CloudResource): Promise<string> {
  await rig.kubectl.apply(awsXr(kind, resource.name, "a"), awsXr(kind, resource.name, "b"));
  await until(`${resource.name} has tags`, async () => (await teamOf(rig, resource)) !== undefined, PATIENCE);
  const from = motoOf(rig).requests().length;
  const start = performance.now();
  // Both have to find out first, and then write at each poll.
  await until("they rewrite each other's tags", async () => writesTo(rig, resource, from) >= WAR_WRITES, PATIENCE);
  return `${writesTo(rig, resource, from)} writes in ${((performance.now() - start) / 1000).toFixed()} s`;
}

async function warEnds(rig: Rig): Promise<string> {
  return endWar(rig, untamed, { service: "s3", name: "orders" });
}

async function endWar(rig: Rig, kind: AwsKind, { service, name }: CloudResource): Promise<string> {
  const { kubectl } = rig;
  const resource = { service, name };
  await kubectl.apply(compositionFor({ ...kind, step: "Observe" }));
  const reasons = async () => [await reasonOf(rig, kind, `${name}-a`), await reasonOf(rig, kind, `${name}-b`)].sort();
  await until("one owns it", async () => (await reasons()).join() === "ObservedOnly,Owned", PATIENCE);
  await sleep(3000); // what the loser's provider had begun
  const writes = await countWrites(rig, resource);
  if (writes > 0) throw new Error(`${writes} writes in ${WINDOW_SECONDS} s`);
  for (const team of ["a", "b"]) await isSynced(rig, service, `${name}-${team}`);
  return `0 writes in ${WINDOW_SECONDS} s, both Synced, and the cloud has ${await teamOf(rig, resource)}'s tag`;
}

/** This provider sets Ready on what it writes only. */
async function bothReady(rig: Rig): Promise<string> {
  for (const team of ["a", "b"]) {
    const isReady = async () => (await conditionFor(rig, untamed, `orders-${team}`, "Ready"))?.status === "True";
    await until(`orders-${team} is ready`, isReady, PATIENCE);
  }
  const observer = (await ownerOf(rig, untamed, "orders")) === "a" ? "b" : "a";
  const own = conditionOf(await managedOf(rig, "s3", `orders-${observer}`), "Ready");
  return `the observer's own Bucket has Ready=${own?.status ?? "nothing"}`;
}

async function ownerGoes(rig: Rig): Promise<string> {
  const resource = { service: "s3", name: "orders" } as const;
  const owner = await ownerOf(rig, untamed, "orders");
  const other = owner === "a" ? "b" : "a";
  const from = motoOf(rig).requests().length;
  await rig.kubectl.run("delete", `${untamed.kind.toLowerCase()}/orders-${owner}`, "--timeout=180s");
  await until(`${other}'s tag is there`, async () => (await teamOf(rig, resource)) === other, PATIENCE);
  await isReason(rig, untamed, `orders-${other}`, "Owned");
  const deletions = motoOf(rig)
    .requests(from)
    .filter(({ action }) => action === "DELETE /orders").length;
  if (deletions > 0) throw new Error("it was deleted on the way");
  return `${writesTo(rig, resource, from)} write of its tags, and no deletion`;
}

async function lastOneGoes(rig: Rig): Promise<string> {
  const [last] = await rig.kubectl.list(untamed.kind.toLowerCase());
  const xr = last === undefined ? "" : nameOf(last);
  await until("it may delete it", async () => (await policiesOf(rig, xr)) === '["*"]', PATIENCE);
  await rig.kubectl.run("delete", `${untamed.kind.toLowerCase()}/${xr}`, "--timeout=180s");
  await until("it is gone", async () => !(await exists(rig, "orders")), PATIENCE);
  return "deleted with its last XR";
}

async function newcomerObserves(rig: Rig): Promise<string> {
  await installAwsKinds(rig, [elder, lateComer]);
  await rig.kubectl.apply(awsXr(elder, "ledger", "elder"));
  const ledger = { service: "s3", name: "ledger" } as const;
  await until("the elder's tag is there", async () => (await teamOf(rig, ledger)) === "elder", PATIENCE);
  const from = motoOf(rig).requests().length;
  await rig.kubectl.apply(awsXr(lateComer, "ledger", "new"));
  await isReason(rig, lateComer, "ledger-new", "ExistedBefore");
  await sleep(WINDOW_SECONDS * 1000);
  const policies = await policiesOf(rig, "ledger-new");
  const writes = writesTo(rig, ledger, from);
  if (writes > 0 || policies !== '["Observe"]') throw new Error(`${writes} writes, policies ${policies}`);
  return `0 writes in ${WINDOW_SECONDS} s: ${(await conditionFor(rig, lateComer, "ledger-new"))?.message}`;
}

async function newcomerGoes(rig: Rig): Promise<string> {
  const from = motoOf(rig).requests().length;
  await rig.kubectl.run("delete", "xlatebucket/ledger-new", "--timeout=180s");
  await sleep(5000); // more than the provider's poll
  const deletions = motoOf(rig)
    .requests(from)
    .filter(({ action }) => action === "DELETE /ledger").length;
  if (deletions > 0 || !(await exists(rig, "ledger"))) throw new Error(`the elder's bucket is gone`);
  return "no deletion, and the elder has it as before";
}

/** The elder leaves the bucket behind; nobody writes it any more. */
async function operatorAllows(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const ledger = { service: "s3", name: "ledger" } as const;
  const bucketOf = async (xr: string) => `${MANAGED.s3}/${String(at(await managedOf(rig, "s3", xr), "metadata.name"))}`;
  await kubectl.patch(await bucketOf("ledger-elder"), { spec: { deletionPolicy: "Orphan" } });
  await kubectl.run("delete", "xelderbucket/ledger-elder", "--timeout=180s");
  await kubectl.apply(awsXr(lateComer, "ledger", "heir"));
  await isReason(rig, lateComer, "ledger-heir", "ExistedBefore");
  const annotation = "shared-infrastructure.fn.crossplane.io/allow-delete=true";
  await kubectl.run("annotate", await bucketOf("ledger-heir"), annotation);
  await isReason(rig, lateComer, "ledger-heir", "Owned");
  await until("its tag is there", async () => (await teamOf(rig, ledger)) === "heir", PATIENCE);
  await until("it may delete it", async () => (await policiesOf(rig, "ledger-heir")) === '["*"]', PATIENCE);
  await kubectl.run("delete", "xlatebucket/ledger-heir", "--timeout=180s");
  await until("it is gone", async () => !(await exists(rig, "ledger")), PATIENCE);
  return "ExistedBefore; annotated: Owned, its tag is there, and the bucket is deleted with it";
}

async function ownerRenames(rig: Rig): Promise<string> {
  await installAwsKinds(rig, [renamed]);
  await rig.kubectl.apply(awsXr(renamed, "old-name", "a"));
  await isReason(rig, renamed, "old-name-a", "Owned");
  const old = { service: "s3", name: "old-name" } as const;
  await until("a's tag is there", async () => (await teamOf(rig, old)) === "a", PATIENCE);
  await rig.kubectl.apply(awsXr(renamed, "old-name", "b"));
  await isReason(rig, renamed, "old-name-b", "ObservedOnly");

  const moved = awsXr(renamed, "old-name", "a");
  await rig.kubectl.apply({ ...moved, spec: { ...moved.spec, resource: "new-name" } });
  await isReason(rig, renamed, "old-name-b", "Owned");
  await until("b's tag is there", async () => (await teamOf(rig, old)) === "b", PATIENCE);
  const other = { service: "s3", name: "new-name" } as const;
  // The provider waits a minute before it believes that there is no bucket of the new name.
  const isTagged = async () => (await teamOf(rig, other)) === "a";
  await until("a's tag is on the other", isTagged, PATIENCE);
  await isReason(rig, renamed, "old-name-a", "Owned");
  await rig.kubectl.run("delete", renamed.kind.toLowerCase(), "--all", "--wait=false");
  return "each owns one, and the old bucket has the other's tag";
}

async function failOnWar(rig: Rig): Promise<string> {
  await installAwsKinds(rig, [strict]);
  const resource = { service: "s3", name: "contested" } as const;
  const before = await startWar(rig, strict, resource);
  await rig.kubectl.apply(compositionFor({ ...strict, step: "Fail" }));
  const reasons = async () =>
    [await reasonOf(rig, strict, "contested-a"), await reasonOf(rig, strict, "contested-b")].sort();
  await until(
    "one owns it, and the other says so",
    async () => (await reasons()).join() === "Conflict,Owned",
    PATIENCE,
  );
  await sleep(3000); // what the loser's provider had begun
  const writes = await countWrites(rig, resource);
  const owner = await ownerOf(rig, strict, "contested");
  const team = await teamOf(rig, resource);
  if (writes > 0 || team !== owner) throw new Error(`${writes} writes, ${owner} owns it, and ${team}'s tag is there`);
  await rig.kubectl.run("delete", strict.kind.toLowerCase(), "--all", "--wait=false");
  return `${before} before, 0 after, and the tag is the owner's`;
}

const POLICY = "XBucketPolicy";

const policyXr = (team: string) => ({
  apiVersion: VERSION,
  kind: POLICY,
  metadata: { name: `policed-${team}` },
  spec: { bucket: "policed" },
});

async function policyOfOne(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const definition = definitionOf({ kind: POLICY, spec: { bucket: { type: "string" } } });
  await kubectl.apply(definition, { ...bucket(false), metadata: { name: "policed" } });
  await kubectl.established(`xrd/${definition.metadata.name}`);
  await kubectl.apply(compositionOf(POLICY, [compose({ policy: bucketPolicy }), ours("own", { tags: {} })]));
  await kubectl.apply(policyXr("a"));
  await isPolicyReason(rig, "a", "Owned");
  await until("the policy is there", async () => policyWrites(rig, 0).length > 0, PATIENCE);
  await sleep(3000); // what its provider had begun
  const from = motoOf(rig).requests().length;
  await kubectl.apply(policyXr("b"));
  await isPolicyReason(rig, "b", "ObservedOnly");
  await sleep(WINDOW_SECONDS * 1000);
  const writes = policyWrites(rig, from);
  if (writes.length > 0) throw new Error(writes.join());
  return `no write in ${WINDOW_SECONDS} s`;
}

async function policyStays(rig: Rig): Promise<string> {
  const from = motoOf(rig).requests().length;
  await rig.kubectl.run("delete", `${POLICY.toLowerCase()}/policed-a`, "--timeout=180s");
  await isPolicyReason(rig, "b", "Owned");
  const deletions = policyWrites(rig, from).filter((action) => action.startsWith("DELETE"));
  if (deletions.length > 0) throw new Error("it was deleted on the way");
  await rig.kubectl.run("delete", POLICY.toLowerCase(), "--all", "--wait=false");
  return "no deletion";
}

/** Lists the writes of the policy since a request. */
const policyWrites = (rig: Rig, from: number): readonly string[] =>
  motoOf(rig)
    .requests(from)
    .map(({ action }) => action)
    .filter((action) => /^(?:PUT|DELETE) \/policed\?policy$/.test(action));

const isPolicyReason = ({ kubectl }: Rig, team: string, reason: string): Promise<void> => {
  const xr = `${POLICY.toLowerCase()}/policed-${team}`;
  return until(
    `${xr} is ${reason}`,
    async () => conditionOf(await kubectl.get(xr), "TagsOwned")?.reason === reason,
    PATIENCE,
  );
};

async function rdsWar(rig: Rig): Promise<string> {
  await installAwsKinds(rig, [group]);
  const resource = { service: "rds", name: "tuned" } as const;
  const before = await startWar(rig, group, resource);
  const after = await endWar(rig, group, resource);
  await rig.kubectl.run("delete", group.kind.toLowerCase(), "--all", "--wait=false");
  return `${before}; with our step ${after}`;
}

/** This provider sets a table's tags when it creates it, and never again. */
async function dynamoTags(rig: Rig): Promise<string> {
  await installAwsKinds(rig, [table]);
  const resource = { service: "dynamodb", name: "carts" } as const;
  await rig.kubectl.apply(awsXr(table, "carts", "a"));
  await isReason(rig, table, "carts-a", "Owned");
  await until("a's tag is there", async () => (await teamOf(rig, resource)) === "a", PATIENCE);
  await rig.kubectl.apply(awsXr(table, "carts", "b"));
  await isReason(rig, table, "carts-b", "ObservedOnly");
  for (const team of ["a", "b"]) await isSynced(rig, "dynamodb", `carts-${team}`);
  const writes = await countWrites(rig, resource);
  if (writes > 0) throw new Error(`${writes} writes in ${WINDOW_SECONDS} s`);
  await rig.kubectl.run("delete", table.kind.toLowerCase(), "--all", "--wait=false");
  return `a's tag is there, both Synced, 0 writes in ${WINDOW_SECONDS} s`;
}

const TAGGING = /^(?:PUT \/[^?]+\?tagging|DELETE \/[^?]+\?tagging|(?:Add|Remove)Tags\w+|(?:Unt|T)agResource)$/;

/** Counts the writes to a cloud resource's tags since a request. */
const writesTo = (rig: Rig, { name }: CloudResource, from: number): number =>
  motoOf(rig)
    .requests(from)
    .filter(({ action, body }) => TAGGING.test(action) && `${action} ${body}`.includes(name)).length;

async function countWrites(rig: Rig, resource: CloudResource): Promise<number> {
  const from = motoOf(rig).requests().length;
  await sleep(WINDOW_SECONDS * 1000);
  return writesTo(rig, resource, from);
}

const teamOf = async (rig: Rig, resource: CloudResource) => (await motoOf(rig).tagsOf(resource))?.["team"];

const exists = async (rig: Rig, name: string) => (await motoOf(rig).tagsOf({ service: "s3", name })) !== undefined;

const conditionFor = async ({ kubectl }: Rig, { kind }: AwsKind, xr: string, type = "TagsOwned") =>
  conditionOf(await kubectl.get(`${kind.toLowerCase()}/${xr}`), type);

const reasonOf = async (rig: Rig, kind: AwsKind, xr: string) => (await conditionFor(rig, kind, xr))?.reason;

const isReason = (rig: Rig, kind: AwsKind, xr: string, reason: string): Promise<void> =>
  until(`${xr} is ${reason}`, async () => (await reasonOf(rig, kind, xr)) === reason, PATIENCE);

/** @returns the team whose XR owns it. */
const ownerOf = async (rig: Rig, kind: AwsKind, resource: string) =>
  (await reasonOf(rig, kind, `${resource}-a`)) === "Owned" ? "a" : "b";

const policiesOf = async (rig: Rig, xr: string) =>
  JSON.stringify(at(await managedOf(rig, "s3", xr), "spec.managementPolicies"));

const isSynced = (rig: Rig, service: CloudResource["service"], xr: string): Promise<void> =>
  until(
    `${xr} is Synced`,
    async () => conditionOf(await managedOf(rig, service, xr), "Synced")?.status === "True",
    PATIENCE,
  );
