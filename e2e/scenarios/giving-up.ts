import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import { at, conditionOf, encode, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { isPaused } from "./backup.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { grant, holdsPassword, namespaceOf, putPassword, remove, sourceOf } from "./source.ts";

/** The fate of a Secret, and of the Object that wrote it, once the Secret's mark names another owner. */

export const givingUp: Suite = {
  name: "giving a Secret up",
  scenarios: [
    { name: "an Object that is composed again while it goes does not take the Secret along", run: composedAgain },
    { name: "a copy that only observes goes on doing so when its source is gone", run: keptObserver },
  ],
};

const NAMESPACE = "stash-users";
const OWNER = "shared-infrastructure.fn.crossplane.io/owner";
const stash: Kind = { kind: "XStash", scope: "Legacy", input: {} };
const user: Kind = {
  kind: "XStashUser",
  scope: "Legacy",
  input: {
    sharedResources: [
      {
        name: "stash",
        apiVersion: VERSION,
        kind: stash.kind,
        select: { name: { fromCompositeFieldPath: "spec.parameters.stash" } },
        connection: {
          copies: [
            {
              secretName: { fromCompositeFieldPath: "spec.parameters.secret" },
              namespaces: NAMESPACE,
            },
          ],
        },
      },
    ],
  },
};

const [staying, going] = [sourceOf(stash, "staying", "stashes"), sourceOf(stash, "going", "stashes")] as const;

type Reach = Pick<Rig, "kubectl">;

/**
 * Crossplane v2 derives an Object's name from its XR and its name in the Composition, so one that is dropped and wanted again
 * is the one that is still going. With all policies put back, the provider's last deed would be to delete the Secret.
 */
async function composedAgain(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(namespaceOf("stashes"), namespaceOf(NAMESPACE));
  await install(kubectl, [stash, user]);
  for (const source of [staying, going]) {
    await putPassword(kubectl, source, "stash-s3cret-1");
    await grant(kubectl, source, NAMESPACE);
    await kubectl.apply({
      apiVersion: VERSION,
      kind: user.kind,
      metadata: { name: source.name },
      spec: { parameters: { stash: source.name, secret: source.name } },
    });
  }
  const secret = await readySecret(rig, "staying");
  const object = await objectFor(rig, "staying");
  await pauseOnceRead(rig, object); // or the provider would put our mark back
  await mark(rig, "staying", "somebody/else");
  const isGoing = async () => at(await objectNamed(rig, object), "metadata.deletionTimestamp") !== undefined;
  await until("its Object is going", isGoing, PATIENCE);
  await mark(rig, "staying", String(at(secret, `metadata.annotations[${OWNER}]`)));
  await sleep(6000); // several reconciles, in each of which it could go wrong
  await pause(rig, OBJECTS, nameOf(object), null);

  const isNew = async () => {
    const now = await objectFor(rig, "staying");
    return at(now, "metadata.uid") !== at(object, "metadata.uid") && readPolicies(now) === '["*"]';
  };
  await until("an Object of its own keeps the Secret again", isNew, PATIENCE);
  await putPassword(kubectl, staying, "stash-s3cret-2");
  await until(
    "the copy follows its source",
    () => holdsPassword(kubectl, "staying", NAMESPACE, "stash-s3cret-2"),
    PATIENCE,
  );
  await assertSame(rig, secret);
  return "the same Secret, kept by a new Object";
}

/** True if the provider has read an Object as it is now. */
async function isRead(rig: Rig, object: JsonObject): Promise<boolean> {
  const now = await objectNamed(rig, object);
  return readGeneration(now) === at(now, "metadata.generation");
}

/** A provider that is paused reads nothing, and an Object that is not read is kept: Crossplane may change it in between. */
async function pauseOnceRead(rig: Rig, object: JsonObject): Promise<void> {
  const isPausedAsRead = async () => {
    if (!(await isRead(rig, object))) return false;
    await pause(rig, OBJECTS, nameOf(object), "true");
    await sleep(3000); // a reconcile that was under way
    if (await isRead(rig, object)) return true;
    await pause(rig, OBJECTS, nameOf(object), null);
    return false;
  };
  await until("the provider has read the Object and is paused", isPausedAsRead, PATIENCE);
}

/** As it is between the reconcile that gives the Secret up and the next one, in which the source is not found any more. */
async function keptObserver(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const secret = await readySecret(rig, "going");
  const object = await objectFor(rig, "going");
  await pause(rig, USERS, "going", "true");
  const isLeftAlone = async () => isPaused(await kubectl.get(target("going")));
  await until("Crossplane leaves the XR alone", isLeftAlone, PATIENCE); // a reconcile under way would undo what follows
  await applyAsCrossplane(rig, object, { managementPolicies: ["Observe"] });
  await until("the provider has read the Object", () => isRead(rig, object), PATIENCE);
  await mark(rig, "going", "somebody/else", { password: encode("theirs") });
  await remove(kubectl, going);
  await sleep(3000); // until Crossplane's cache has seen it: while it has the source, the Secret is given up
  await pause(rig, USERS, "going", null);
  const reason = async () => conditionOf(await kubectl.get(target("going")), "SharedResourcesReady")?.reason;
  await until("the XR says that the source is gone", async () => (await reason()) === "NotFound", PATIENCE);
  await sleep(5000); // several reconciles, in each of which it could go wrong
  const policies = readPolicies(await objectNamed(rig, object));
  await assertTheirs(rig, secret);
  if (policies !== '["Observe"]') throw new Error(`its Object has ${policies}`);

  await kubectl.run("delete", target("going"), "--wait=false");
  await until("its Object is gone", async () => (await objectNamed(rig, object)) === undefined, PATIENCE);
  await assertTheirs(rig, secret);
  return 'the Object stayed ["Observe"], and went without the Secret';
}

const USERS = `${pluralOf(user.kind)}.${GROUP}`;
const OBJECTS = "objects.kubernetes.crossplane.io";

const target = (name: string): string => `${USERS}/${name}`;

/** The Secret, once it is written and its XR says so. */
async function readySecret({ kubectl }: Reach, name: string): Promise<JsonObject> {
  const isReady = async () => conditionOf(await kubectl.get(target(name)), "SharedResourcesReady")?.status === "True";
  await until(`Secret ${name} is there`, isReady, PATIENCE);
  const secret = await kubectl.get(`secret/${name}`, NAMESPACE);
  if (secret === undefined) throw new Error(`Secret ${name} is not there`);
  return secret;
}

/** Says on a Secret who has it, and what it holds where that is said. */
const mark = ({ kubectl }: Reach, name: string, owner: string, data?: JsonObject): Promise<void> =>
  kubectl.patch(
    `secret/${name}`,
    { metadata: { annotations: { [OWNER]: owner } }, ...(data !== undefined && { data }) },
    { namespace: NAMESPACE },
  );

/** Has Crossplane, or the provider, leave it alone. */
const pause = ({ kubectl }: Reach, kind: string, name: string, paused: string | null): Promise<void> =>
  kubectl.patch(`${kind}/${name}`, { metadata: { annotations: { "crossplane.io/paused": paused } } });

async function objectFor({ kubectl }: Reach, secret: string): Promise<JsonObject> {
  const objects = (await kubectl.list(OBJECTS)).filter(
    (object) =>
      at(object, "spec.forProvider.manifest.metadata.name") === secret &&
      at(object, "spec.forProvider.manifest.metadata.namespace") === NAMESPACE,
  );
  const [object] = objects.filter((one) => at(one, "metadata.deletionTimestamp") === undefined).concat(objects);
  return object ?? {};
}

const objectNamed = ({ kubectl }: Reach, object: JsonObject) => kubectl.get(`${OBJECTS}/${nameOf(object)}`);

/** The generation of the spec that the provider has read. */
function readGeneration(object: JsonObject | undefined): JsonValue | undefined {
  const conditions = at(object, "status.conditions");
  const synced = Array.isArray(conditions)
    ? conditions.filter(isObject).find(({ type }) => type === "Synced")
    : undefined;
  return synced?.["observedGeneration"];
}

const readPolicies = (object: JsonObject | undefined): string => JSON.stringify(at(object, "spec.managementPolicies"));

/** Changes an Object's spec as Crossplane does on behalf of its XR: what Crossplane no longer desires goes then. */
async function applyAsCrossplane({ kubectl, directory }: Rig, object: JsonObject, spec: JsonObject): Promise<void> {
  const withManagers = await kubectl.run("get", `${OBJECTS}/${nameOf(object)}`, "-o", "json", "--show-managed-fields");
  const live = JSON.parse(withManagers) as JsonObject;
  const managers = at(live, "metadata.managedFields") as readonly { readonly manager: string }[];
  const manager = managers.find((one) => one.manager.startsWith("apiextensions.crossplane.io/composed/"))?.manager;
  const { name, generateName, labels, annotations, ownerReferences } = live["metadata"] as JsonObject;
  const file = join(directory, `${nameOf(object)}.json`);
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: live["apiVersion"],
      kind: live["kind"],
      metadata: { name, generateName, labels, annotations, ownerReferences },
      spec: { ...(live["spec"] as JsonObject), ...spec },
    }),
  );
  await kubectl.run("apply", "--server-side", "--force-conflicts", `--field-manager=${manager}`, "-f", file);
}

async function assertSame({ kubectl }: Reach, secret: JsonObject): Promise<JsonObject> {
  const now = await kubectl.get(`secret/${nameOf(secret)}`, NAMESPACE);
  if (now === undefined || at(now, "metadata.uid") !== at(secret, "metadata.uid"))
    throw new Error("the Secret was lost");
  return now;
}

async function assertTheirs(rig: Reach, secret: JsonObject): Promise<void> {
  const now = await assertSame(rig, secret);
  if (at(now, "data.password") !== encode("theirs")) throw new Error("the Secret was written to");
}
