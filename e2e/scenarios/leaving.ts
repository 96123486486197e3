import { execFileSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import type { Finding } from "../../cli/audit/world.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { pathOf } from "../rig/kubectl.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { audit } from "./audit.ts";
import { lose, restore } from "./backup.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { grant, holdsPassword, namespaceOf, putPassword, remove, sourceOf } from "./source.ts";

/** Teams' namespaces are deleted, with their XRs and copies in them. */

export const leaving: Suite = onNewestOnly({
  name: "a team leaves",
  scenarios: [
    { name: "its grant is taken back, and then its namespace goes", run: byTheBook },
    { name: "its namespace goes with its copies, however they are delivered", run: atOnce },
    { name: "after a restore, the Object owns its Secret anew", run: restored },
    { name: "its namespace goes before the provider comes to its Object, which owns the Secret", run: tooLate },
    {
      name: "where an Object hangs, whose copy is in another namespace, audit prints the command that ends it",
      run: hanging,
    },
    { name: "the owner and its Secret are free", run: nothingIsLeft },
  ],
});

const ELSEWHERE = "leaver-elsewhere";
const ACCEPT = "shared-infrastructure.fn.crossplane.io/accept-copies-from";

const vault: Kind = { kind: "XLeftVault", scope: "Legacy", input: {} };
const source = sourceOf(vault, "left-vault", "left-vaults");

const sharing = (via: string, more: object = {}) => ({
  sharedResources: [
    {
      name: "vault",
      apiVersion: VERSION,
      kind: vault.kind,
      select: { name: source.name },
      connection: { copies: [{ secretName: "vault", via, ...more }] },
    },
  ],
});

/** Teams with a kind each, by what is composed for their copies. */
const byObject: Kind = { kind: "LeaverByObject", scope: "Namespaced", input: sharing("Object") };
const byElsewhere: Kind = {
  kind: "LeaverElsewhere",
  scope: "Namespaced",
  input: sharing("Object", { namespaces: ELSEWHERE }),
};
const goingAtOnce: readonly Kind[] = [
  byObject,
  { kind: "LeaverBySecret", scope: "Namespaced", input: sharing("Secret") },
  { kind: "LeaverByConnectionSecret", scope: "Namespaced", input: sharing("ConnectionSecret") },
  { kind: "XLeaverByClaim", scope: "Legacy", claim: "LeaverByClaim", input: sharing("Object") },
];
const namespaceFor = ({ kind }: Kind): string => kind.toLowerCase();
const [BY_THE_BOOK, TOO_LATE] = ["leaver-by-the-book", "leaver-too-late"];
/** The policies of an Object whose Secret Kubernetes deletes. */
const OWNING = '["Observe","Create","Update"]';
const OBJECTS = "objects.kubernetes.m.crossplane.io";

const putXr = ({ kubectl }: Rig, { kind, claim }: Kind, namespace: string): Promise<void> =>
  kubectl.apply({ apiVersion: VERSION, kind: claim ?? kind, metadata: { namespace, name: "app" }, spec: {} });

const waitForCopy = ({ kubectl }: Rig, namespace: string): Promise<void> =>
  until(`${namespace} has its copy`, () => holdsPassword(kubectl, "vault", namespace, "left-s3cret"), PATIENCE);

const deleteNamespace = ({ kubectl }: Rig, name: string): Promise<string> =>
  kubectl.run("delete", `namespace/${name}`, "--wait=false");

/** @returns the time that it took. */
async function waitUntilGone({ kubectl }: Rig, name: string, start: number): Promise<string> {
  const isGone = async () => (await kubectl.get(`namespace/${name}`)) === undefined;
  await until(`namespace ${name} is gone`, isGone, PATIENCE);
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

async function byTheBook(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const teams = [...goingAtOnce, byElsewhere].map(namespaceFor);
  const [home, ...others] = [source.secret.namespace, BY_THE_BOOK, ...teams, TOO_LATE, ELSEWHERE];
  await kubectl.apply(...[home, ...others].map(namespaceOf));
  await kubectl.patch(`namespace/${ELSEWHERE}`, { metadata: { annotations: { [ACCEPT]: namespaceFor(byElsewhere) } } });
  await install(kubectl, [vault, ...goingAtOnce, byElsewhere]);
  await putPassword(kubectl, source, "left-s3cret");
  await grant(kubectl, source, others.join());
  for (const namespace of [BY_THE_BOOK, TOO_LATE]) await putXr(rig, byObject, namespace);
  for (const kind of [...goingAtOnce, byElsewhere]) await putXr(rig, kind, namespaceFor(kind));
  for (const namespace of others.filter((name) => name !== namespaceFor(byElsewhere)))
    await waitForCopy(rig, namespace);
  for (const namespace of [BY_THE_BOOK, TOO_LATE, namespaceFor(byObject)]) await waitForOwner(rig, namespace);
  await grant(kubectl, source, others.filter((name) => name !== BY_THE_BOOK).join());
  const isTaken = async () =>
    (await kubectl.list(OBJECTS, BY_THE_BOOK)).length === 0 &&
    (await kubectl.get("secret/vault", BY_THE_BOOK)) === undefined;
  await until("its Object and its Secret are gone", isTaken, PATIENCE);
  const start = Date.now();
  await deleteNamespace(rig, BY_THE_BOOK);
  return waitUntilGone(rig, BY_THE_BOOK, start);
}

/** Waits until Kubernetes is to delete the copy, and not its provider. */
function waitForOwner({ kubectl }: Rig, namespace: string): Promise<void> {
  const isOwned = async () => {
    const [object] = await kubectl.list(OBJECTS, namespace);
    const owners = at(await kubectl.get("secret/vault", namespace), "metadata.ownerReferences");
    const isOwner = Array.isArray(owners) && isObject(owners[0]) && owners[0]["uid"] === at(object, "metadata.uid");
    return isOwner && JSON.stringify(at(object, "spec.managementPolicies")) === OWNING;
  };
  return until(`the Object of ${namespace} owns its Secret`, isOwned, PATIENCE);
}

/** What a backup has of an Object names its UID of that time. */
async function restored(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const xr = await kubectl.get(`leaverbyobjects.${GROUP}/app`, TOO_LATE);
  const [object] = await kubectl.list(OBJECTS, TOO_LATE);
  const secret = await kubectl.get("secret/vault", TOO_LATE);
  if (xr === undefined || object === undefined || secret === undefined) throw new Error("there is nothing to lose");
  await lose(rig, xr, object);
  const isGone = async () => (await kubectl.get("secret/vault", TOO_LATE)) === undefined;
  await until("the Secret is gone with its Object", isGone, PATIENCE);
  await forget(rig, object);
  await restore(rig, secret);
  await restore(rig, object);
  // As Velero does: what the manifest says is Crossplane's to change.
  const managedFields = at(object, "metadata.managedFields") ?? [];
  await kubectl.patch(`${OBJECTS}/${nameOf(object)}`, { metadata: { managedFields } }, { namespace: TOO_LATE });
  await restore(rig, xr);
  await waitForOwner(rig, TOO_LATE);
  await waitForCopy(rig, TOO_LATE);
  const [now] = await kubectl.list(OBJECTS, TOO_LATE);
  if (at(now, "metadata.uid") === at(object, "metadata.uid")) throw new Error("the Object has its former UID");
  return "the Object owns the Secret by its new UID";
}

/** Has the source forget an Object that was lost without its provider, which would have removed this finalizer. */
async function forget({ kubectl }: Rig, object: JsonObject): Promise<void> {
  const { name, namespace } = source.secret;
  const finalizers = at(await kubectl.get(`secret/${name}`, namespace), "metadata.finalizers");
  const left = (Array.isArray(finalizers) ? finalizers : []).filter(
    (finalizer) => !String(finalizer).endsWith(String(at(object, "metadata.uid"))),
  );
  await kubectl.patch(`secret/${name}`, { metadata: { finalizers: left } }, { namespace });
}

async function atOnce(rig: Rig): Promise<string> {
  const start = Date.now();
  for (const kind of goingAtOnce) await deleteNamespace(rig, namespaceFor(kind));
  const seen = goingAtOnce.map(async (kind) => `${kind.kind} ${await waitUntilGone(rig, namespaceFor(kind), start)}`);
  return (await Promise.all(seen)).join(", ");
}

/** Deletes a namespace, and lets the provider of its Object come too late for certain: it depends on what Kubernetes deletes first. */
async function deleteBeforeProvider(rig: Rig, namespace: string): Promise<string> {
  const { kubectl } = rig;
  const [object] = (await kubectl.list(OBJECTS, namespace)).map(nameOf);
  const target = `${OBJECTS}/${object}`;
  const pause = (value: string | null) =>
    kubectl.patch(target, { metadata: { annotations: { "crossplane.io/paused": value } } }, { namespace });
  await pause("true");
  await deleteNamespace(rig, namespace);
  const isForgotten = async () =>
    at(await kubectl.get(target, namespace), "metadata.deletionTimestamp") !== undefined &&
    (await kubectl.list("providerconfigusages.kubernetes.m.crossplane.io", namespace)).length === 0;
  await until("the use of the ProviderConfig is deleted", isForgotten, PATIENCE);
  await pause(null);
  return target;
}

async function tooLate(rig: Rig): Promise<string> {
  await deleteBeforeProvider(rig, TOO_LATE);
  return waitUntilGone(rig, TOO_LATE, Date.now());
}

async function hanging(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const namespace = namespaceFor(byElsewhere);
  const target = await deleteBeforeProvider(rig, namespace);
  const isStuck = async () =>
    conditionOf(await kubectl.get(target, namespace), "Synced")?.message?.includes("is being terminated") === true;
  await until("the provider cannot record it again", isStuck, PATIENCE);
  const { out } = await audit(rig, "--grace=0s", "--output=json");
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
  const found = findings.find(
    ({ resource }) => resource.namespace === namespace && `${OBJECTS}/${resource.name}` === target,
  );
  if (found?.is !== "Hanging" || found.command === undefined) throw new Error(`audit found ${JSON.stringify(found)}`);
  const start = Date.now();
  const PATH = `${dirname(pathOf("kubectl"))}${delimiter}${process.env["PATH"]}`;
  execFileSync("sh", ["-c", found.command], {
    env: { PATH, KUBECONFIG: rig.kubeconfig, HOME: rig.directory },
    stdio: "pipe",
  });
  return `${found.message}: ${found.command}: gone after ${await waitUntilGone(rig, namespace, start)}`;
}

async function nothingIsLeft(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { name, namespace } = source.secret;
  const finalizers = at(await kubectl.get(`secret/${name}`, namespace), "metadata.finalizers");
  if (finalizers !== undefined) throw new Error(`the Secret has finalizers: ${JSON.stringify(finalizers)}`);
  await remove(kubectl, source);
  await kubectl.run("delete", `secret/${name}`, "-n", namespace);
  const isGone = async () => (await kubectl.get(`${pluralOf(vault.kind)}.${GROUP}/${source.name}`)) === undefined;
  await until("the owner is gone", isGone, PATIENCE);
  return "both are deleted at once";
}
