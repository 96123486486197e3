import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { RECORD_NAME } from "../../src/records/record.ts";
import { isV2, type Version } from "../rig/crossplane.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { lose, restore } from "./backup.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { composedNameOf, composedOf } from "./restored.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { grant, holdsPassword, namespaceOf, putPassword, type Source, sourceOf } from "./source.ts";

/** XRs that find their database by labels are bound to it, whatever else gets the same labels, and whatever is restored. */

export const bindings: Suite = {
  name: "bound by labels",
  scenarios: [
    { name: "a second database with the same labels moves nobody, and tells newcomers", run: secondMovesNobody },
    { name: "a restore keeps what the XRs are bound to", run: restoreKeeps },
  ],
};

const NAMESPACE = "pool-users";
const pool: Kind = { kind: "XPool", scope: "Legacy", input: {} };
const [first, second] = [sourceOf(pool, "pool-main", "pools"), sourceOf(pool, "pool-2", "pools")] as const;
const PASSWORDS = { first: "pool-s3cret-1", second: "pool-s3cret-2" };

const sharing = (more: object = {}) => ({
  adoption: {},
  sharedResources: [
    {
      name: "pool",
      apiVersion: VERSION,
      kind: pool.kind,
      select: { matchLabels: { tier: "prod" } },
      patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.endpoint" }],
      ...more,
    },
  ],
});

const copies = [{ secretName: "pool", namespaces: NAMESPACE }];
const byFields: Kind = { kind: "XPoolReader", scope: "Legacy", input: sharing() };
const byCopy: Kind = { kind: "XPoolUser", scope: "Legacy", input: sharing({ connection: { copies } }) };
/** Its record is a ConfigMap, which needs Crossplane v2. */
const namespaced: Kind = { kind: "PoolReader", scope: "Namespaced", input: sharing() };

const kindsOn = (version: Version): readonly Kind[] => [byFields, byCopy, ...(isV2(version) ? [namespaced] : [])];

const nameFor = ({ kind }: Kind): string => `bound-${kind.toLowerCase()}`;

/** The kinds of records, and of what makes copies. */
const COMPOSED = ["environmentconfigs", "configmaps", "objects.kubernetes.crossplane.io"];

const targetOf = ({ kind }: Kind, name: string): string => `${pluralOf(kind)}.${GROUP}/${name}`;

const use = ({ kubectl }: Rig, { kind, scope }: Kind, name: string): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind,
    metadata: { name, ...(scope === "Namespaced" && { namespace: NAMESPACE }) },
    spec: {},
  });

const find = ({ kubectl }: Rig, kind: Kind, name: string): Promise<JsonObject | undefined> =>
  kubectl.get(targetOf(kind, name), NAMESPACE);

/** Makes a database with the labels of all. */
async function put({ kubectl }: Rig, source: Source, password: string): Promise<void> {
  await putPassword(kubectl, source, password);
  await grant(kubectl, source, "*");
  await kubectl.patch(targetOf(pool, source.name), { metadata: { labels: { tier: "prod" } } });
  await kubectl.patch(targetOf(pool, source.name), { status: { endpoint: source.name } }, { subresource: "status" });
}

async function isBound(rig: Rig, kind: Kind): Promise<boolean> {
  const xr = await find(rig, kind, nameFor(kind));
  const isCopied = kind !== byCopy || (await holdsPassword(rig.kubectl, "pool", NAMESPACE, PASSWORDS.first));
  return isCopied && at(xr, "status.endpoint") === first.name && reasonOf(xr) === "Available";
}

const reasonOf = (xr: JsonObject | undefined) => conditionOf(xr, "SharedResourcesReady")?.reason;

async function secondMovesNobody(rig: Rig): Promise<string> {
  const { kubectl, version } = rig;
  const kinds = kindsOn(version);
  await kubectl.apply(...["pools", NAMESPACE].map(namespaceOf));
  await install(kubectl, [pool, ...kinds]);
  await put(rig, first, PASSWORDS.first);
  for (const kind of kinds) await use(rig, kind, nameFor(kind));
  for (const kind of kinds) await until(`${kind.kind} is bound`, () => isBound(rig, kind), PATIENCE);
  await put(rig, second, PASSWORDS.second);
  await use(rig, byFields, "newcomer");
  const isTold = async () => reasonOf(await find(rig, byFields, "newcomer")) === "Ambiguous";
  await until("a newcomer is told so", isTold, PATIENCE);
  await assertBound(rig);
  return `${kinds.map(({ kind }) => kind).join(", ")}: bound to ${first.name}; a newcomer is told Ambiguous`;
}

async function assertBound(rig: Rig): Promise<void> {
  await sleep(6000); // several reconciles, in each of which it could go wrong
  for (const kind of kindsOn(rig.version)) {
    if (await isBound(rig, kind)) continue;
    const xr = await find(rig, kind, nameFor(kind));
    throw new Error(`${kind.kind} is not bound to ${first.name}: ${JSON.stringify(at(xr, "status"))}`);
  }
}

/** The XRs come back without status, and their records without owner references. */
async function restoreKeeps(rig: Rig): Promise<string> {
  const kinds = kindsOn(rig.version);
  const saved = await Promise.all(kinds.map((kind) => save(rig, kind)));
  for (const [xr, ...composed] of saved) await lose(rig, xr, ...composed);
  for (const [xr, ...composed] of saved) {
    for (const object of composed) await restore(rig, object);
    await restore(rig, xr);
  }
  for (const kind of kinds) await until(`${kind.kind} is bound again`, () => isBound(rig, kind), PATIENCE);
  await assertBound(rig);
  return `${saved.flat().length} objects came back; ${kinds.map(({ kind }) => kind).join(", ")}: bound to ${first.name}`;
}

/** The XR, and what it composes: its record, and the Object of a copy. */
async function save(rig: Rig, kind: Kind): Promise<readonly [JsonObject, ...JsonObject[]]> {
  const xr = await find(rig, kind, nameFor(kind));
  if (xr === undefined) throw new Error(`there is no ${kind.kind}`);
  const composed = await Promise.all(COMPOSED.map((composedKind) => composedOf(rig, nameFor(kind), composedKind)));
  const records = composed.flat().filter((object) => composedNameOf(object) === RECORD_NAME);
  if (records.length !== 1) throw new Error(`${kind.kind} has ${records.length} records`);
  return [xr, ...composed.flat()];
}
