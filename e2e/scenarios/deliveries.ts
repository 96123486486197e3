import type { JsonObject } from "../../src/model/json.ts";
import { isV2 } from "../rig/crossplane.ts";
import { at, conditionOf, encode } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, open, pluralOf, VERSION } from "./definitions.ts";
import { referenceGrantKind } from "./reference-grant.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** Every way to deliver the Secret of a cache, and what becomes of targets that somebody else has. */

const NAMESPACE = "cache-users";
const SOURCE = { namespace: "caches", name: "cache-conn" };

/** The cache, by another step's name for it, and copies of its Secret. */
const sharing = (copies: readonly object[], more: object = {}) => ({
  sharedResources: [
    {
      name: "cache",
      apiVersion: VERSION,
      kind: "XCache",
      select: { name: "main" },
      connection: { copies },
      ...more,
    },
  ],
});

const named = { secretName: { fromCompositeFieldPath: "spec.parameters.secret" } };
const listed = { keys: [{ from: "password", to: "CACHE_PASSWORD" }] };
const all = { namespaces: NAMESPACE };

const cache: Kind = {
  kind: "XCache",
  scope: "Legacy",
  input: {
    publish: {
      environmentConfig: {
        name: "main-cache",
        labels: { cache: "main" },
        data: [{ value: { fromCompositeFieldPath: "spec.parameters.host" }, toFieldPath: "cache.host" }],
      },
    },
    sharedResources: [
      {
        name: "own",
        select: { self: {} },
        connection: { copies: [{ secretName: "pushed", ...all }] },
      },
    ],
  },
};

/** The cache that lists who uses it. ReferenceGrants need Crossplane v2. */
const listingCache: Kind = {
  ...cache,
  status: { consumers: open },
  input: { ...cache.input, consumers: { list: { toCompositeFieldPath: "status.consumers" }, grant: "ReferenceGrant" } },
};

const byConnectionSecret: Kind = {
  kind: "XConnectionSecretUser",
  scope: "Legacy",
  input: sharing([{ ...named, ...all, ...listed, via: "ConnectionSecret" }]),
};
const byObject: Kind = { kind: "XObjectUser", scope: "Legacy", input: sharing([{ ...named, ...all, ...listed }]) };
const byEnvironment: Kind = {
  kind: "XEnvironmentUser",
  scope: "Legacy",
  input: {
    sharedResources: [
      {
        name: "cache",
        apiVersion: "apiextensions.crossplane.io/v1beta1",
        kind: "EnvironmentConfig",
        select: { matchLabels: { cache: "main" } },
        grant: "None",
        patches: [{ fromFieldPath: "data.cache.host", toCompositeFieldPath: "status.database.host" }],
      },
    ],
  },
};

/** A kind that needs Crossplane v2. */
const bySecret: Kind = {
  kind: "SecretUser",
  scope: "Namespaced",
  input: sharing([{ ...named, via: "Secret" }], { grant: "ReferenceGrant" }),
};
const byTemplate: Kind = {
  kind: "TemplateUser",
  scope: "Namespaced",
  input: sharing([
    {
      ...named,
      keys: [
        { value: "redis://{username}:{password|url}@{xr:spec.parameters.secret}", to: "URL" },
        { value: "redis", to: "type" },
        ...listed.keys,
      ],
    },
  ]),
};
const byOwnKeys: Kind = {
  kind: "KeysUser",
  scope: "Namespaced",
  input: sharing([{ ...named, keys: { fromCompositeFieldPath: "spec.parameters.keys" } }]),
};

const since2 = [bySecret, byTemplate, byOwnKeys];

export const deliveries: Suite = {
  name: "delivering a connection Secret",
  scenarios: [
    { name: "a connection Secret that only the provider reads", run: connectionSecretIsWritten },
    { name: "a Secret that is not a copy stays as it is", run: foreignSecretIsRefused },
    { name: "an EnvironmentConfig is published, and selected", run: environmentConfigIsSelected },
    { name: "an XR pushes its own credentials", run: ownSecretIsPushed },
    { name: "a renamed target leaves no copy behind", run: renamedTargetLeavesNothing },
    { name: "a plain Secret, granted by a ReferenceGrant", run: plainSecretIsGranted, isFor: isV2 },
    { name: "the owner sees who a ReferenceGrant serves", run: ownerSeesWho, isFor: isV2 },
    { name: "an Object holds what a template makes, and the provider the rest", run: templateIsFilled, isFor: isV2 },
    { name: "keys that a team lists, and lists no longer", run: ownKeysAreListed, isFor: isV2 },
    { name: "a Secret that is nobody's copy is left alone", run: foreignSecretIsLeftAlone, isFor: isV2 },
    { name: "of two that want one Secret, the second is told", run: secondIsTold, isFor: isV2 },
    { name: "of two that wrote one Secret at once, one gives way", run: oneGivesWay },
    { name: "a deleted source leaves the copies", run: deletedSourceLeavesTheCopies },
    { name: "without its ReferenceGrant the copy goes, and its owner sees it", run: withoutItsGrant, isFor: isV2 },
  ],
};

async function connectionSecretIsWritten({ kubectl, version }: Rig): Promise<string> {
  await kubectl.apply(...[NAMESPACE, SOURCE.namespace].map(namespaceOf));
  await kubectl.apply(...(isV2(version) ? [referenceGrantKind] : []));
  const owner = isV2(version) ? listingCache : cache;
  await install(kubectl, [owner, byConnectionSecret, byObject, byEnvironment, ...(isV2(version) ? since2 : [])]);
  await putPassword({ kubectl }, "cache-s3cret/1");
  await kubectl.apply({
    apiVersion: VERSION,
    kind: cache.kind,
    metadata: { name: "main", annotations: { [ALLOWED]: NAMESPACE } },
    spec: { parameters: { host: "cache.example.org" }, writeConnectionSecretToRef: SOURCE },
  });
  await use({ kubectl }, byConnectionSecret, "published");
  await until("the connection Secret is there", () => holds({ kubectl }, "published", "cache-s3cret/1"), PATIENCE);
  const object = (await kubectl.list("objects.kubernetes.crossplane.io")).find((item) =>
    at(item, "spec.connectionDetails"),
  );
  if (JSON.stringify(object).includes(encode("cache-s3cret/1"))) throw new Error("the Object holds the password");
  return String(at(await kubectl.get("secret/published", NAMESPACE), "type"));
}

async function foreignSecretIsRefused({ kubectl }: Rig): Promise<string> {
  await putForeign({ kubectl }, "foreign-1");
  await use({ kubectl }, byConnectionSecret, "foreign-1");
  const reason = () => reasonOf({ kubectl }, byConnectionSecret, "foreign-1");
  await until("the XR says so", async () => (await reason())?.reason === "TargetTaken", PATIENCE);
  await assertForeign({ kubectl }, "foreign-1");
  return String((await reason())?.message);
}

async function environmentConfigIsSelected({ kubectl }: Rig): Promise<string> {
  await use({ kubectl }, byEnvironment, "any");
  const host = async () =>
    at(await kubectl.get(`${pluralOf(byEnvironment.kind)}.${GROUP}/any`), "status.database.host");
  await until("its value arrived", async () => (await host()) === "cache.example.org", PATIENCE);
  return `status.database.host is ${String(await host())}`;
}

async function ownSecretIsPushed({ kubectl }: Rig): Promise<string> {
  const pushed = async () => at(await kubectl.get("secret/pushed", NAMESPACE), "data.password");
  await until("it is there", async () => (await pushed()) === encode("cache-s3cret/1"), PATIENCE);
  return `Secret ${NAMESPACE}/pushed`;
}

async function renamedTargetLeavesNothing({ kubectl }: Rig): Promise<string> {
  await use({ kubectl }, byObject, "before");
  await until("the copy is there", () => holds({ kubectl }, "before", "cache-s3cret/1"), PATIENCE);
  await kubectl.patch(`${pluralOf(byObject.kind)}.${GROUP}/before`, { spec: { parameters: { secret: "after" } } });
  await until("the new copy is there", () => holds({ kubectl }, "after", "cache-s3cret/1"), PATIENCE);
  await until(
    "the old one is gone",
    async () => (await kubectl.get("secret/before", NAMESPACE)) === undefined,
    PATIENCE,
  );
  return "Secret before is gone, Secret after is there";
}

async function plainSecretIsGranted({ kubectl }: Rig): Promise<string> {
  await use({ kubectl }, bySecret, "plain");
  const reason = async () => (await reasonOf({ kubectl }, bySecret, "plain"))?.reason;
  await until("the XR waits for its grant", async () => (await reason()) === "AccessNotGranted", PATIENCE);
  await kubectl.apply({
    apiVersion: "gateway.networking.k8s.io/v1beta1",
    kind: "ReferenceGrant",
    metadata: { namespace: SOURCE.namespace, name: "cache-users" },
    spec: {
      from: [{ group: GROUP, kind: bySecret.kind, namespace: NAMESPACE }],
      to: [{ group: "", kind: "Secret", name: SOURCE.name }],
    },
  });
  await until(
    "the copy is there",
    async () => (await password({ kubectl }, "plain")) === encode("cache-s3cret/1"),
    PATIENCE,
  );
  await putPassword({ kubectl }, "cache-s3cret/2");
  await until(
    "a new password follows",
    async () => (await password({ kubectl }, "plain")) === encode("cache-s3cret/2"),
    PATIENCE,
  );
  return "AccessNotGranted, then a Secret that follows its source";
}

/** The namespaced XR of a kind that a ReferenceGrant serves, as the cache's status lists it. */
async function findListed({ kubectl }: Reach): Promise<JsonObject | undefined> {
  const owner = await kubectl.get(`${pluralOf(cache.kind)}.${GROUP}/main`);
  const items = (at(owner, "status.consumers.items") ?? []) as readonly JsonObject[];
  return items.find(({ name }) => name === "plain");
}

async function ownerSeesWho({ kubectl }: Rig): Promise<string> {
  const isGranted = async () => (await findListed({ kubectl }))?.["granted"] === true;
  await until("it is listed as granted", isGranted, PATIENCE);
  const { kind, namespace, name, granted } = (await findListed({ kubectl })) ?? {};
  return `${String(kind)} ${String(namespace)}/${String(name)}: granted ${String(granted)}`;
}

async function withoutItsGrant({ kubectl }: Rig): Promise<string> {
  await kubectl.run("delete", "referencegrant/cache-users", "-n", SOURCE.namespace);
  const isGone = async () => (await password({ kubectl }, "plain")) === undefined;
  await until("the copy is gone", isGone, PATIENCE);
  // Its namespace is granted by the annotation, which the other XRs in it use.
  const isListed = async () => (await findListed({ kubectl }))?.["secretName"] === undefined;
  await until("it is listed without a copy", isListed, PATIENCE);
  return "Secret plain is gone, and status.consumers lists its XR without a copy";
}

async function templateIsFilled({ kubectl }: Rig): Promise<string> {
  await use({ kubectl }, byTemplate, "template");
  const data = async () => JSON.stringify(at(await kubectl.get("secret/template", NAMESPACE), "data"));
  const filled = (count: number) =>
    JSON.stringify({
      CACHE_PASSWORD: encode(`cache-s3cret/${count}`),
      URL: encode(`redis://cache:cache-s3cret%2F${count}@template`),
      type: encode("redis"),
    });
  await until("it is filled", async () => (await data()) === filled(2), PATIENCE);
  await putPassword({ kubectl }, "cache-s3cret/3");
  await until("both follow a new password", async () => (await data()) === filled(3), PATIENCE);
  return "URL, type and CACHE_PASSWORD, and both follow a new password";
}

async function ownKeysAreListed({ kubectl }: Rig): Promise<string> {
  const list = (keys: Readonly<Record<string, string | null>>) =>
    kubectl.apply({
      apiVersion: VERSION,
      kind: byOwnKeys.kind,
      metadata: { namespace: NAMESPACE, name: "own-keys" },
      spec: { parameters: { secret: "own-keys", keys } },
    });
  const data = async () => JSON.stringify(at(await kubectl.get("secret/own-keys", NAMESPACE), "data"));
  const password = encode("cache-s3cret/3");
  await list({ OLD: "password", OLD_URL: "{username}:{password}" });
  const url = encode("cache:cache-s3cret/3");
  await until(
    "they are there",
    async () => (await data()) === JSON.stringify({ OLD: password, OLD_URL: url }),
    PATIENCE,
  );
  await list({ NEW: "password", NEW_URL: "{username}:{password}" });
  await until(
    "the new ones alone",
    async () => (await data()) === JSON.stringify({ NEW: password, NEW_URL: url }),
    PATIENCE,
  );
  return "OLD and OLD_URL became NEW and NEW_URL";
}

async function foreignSecretIsLeftAlone({ kubectl }: Rig): Promise<string> {
  await putForeign({ kubectl }, "foreign-2");
  await use({ kubectl }, byObject, "foreign-2");
  const reason = () => reasonOf({ kubectl }, byObject, "foreign-2");
  await until("the XR says so", async () => (await reason())?.reason === "TargetTaken", PATIENCE);
  await assertForeign({ kubectl }, "foreign-2");
  return String((await reason())?.message);
}

async function secondIsTold({ kubectl }: Rig): Promise<string> {
  await use({ kubectl }, byObject, "wanted");
  await until("the first has it", () => holds({ kubectl }, "wanted", "cache-s3cret/3"), PATIENCE);
  await use({ kubectl }, byObject, "second", "wanted");
  const reason = () => reasonOf({ kubectl }, byObject, "second");
  await until("the second is told", async () => (await reason())?.reason === "TargetTaken", PATIENCE);
  return String((await reason())?.message);
}

const FOUGHT_OVER = ["first", "second", "third", "fourth"];

/** Without a lookup (Crossplane v1), or where both looked before either wrote. */
async function oneGivesWay(rig: Rig): Promise<string> {
  const winners = await Promise.all(FOUGHT_OVER.map((fight) => settled(rig, fight)));
  return `${winners.join(", ")}: one has it, one is told, and the Secret is the one that was there first`;
}

/** @returns who has the Secret in the end. */
async function settled({ kubectl }: Rig, fight: string): Promise<string> {
  const names = [`alice-${fight}`, `bob-${fight}`] as const;
  const name = `fought-over-${fight}`;
  await Promise.all(names.map((xr) => use({ kubectl }, byObject, xr, name)));
  const secret = () => kubectl.get(`secret/${name}`, NAMESPACE);
  await until("it is written", async () => (await secret()) !== undefined, PATIENCE);
  const uid = at(await secret(), "metadata.uid");
  const outcome = async () => {
    const reasons = await Promise.all(names.map(async (xr) => (await reasonOf({ kubectl }, byObject, xr))?.reason));
    const owner = at(await secret(), "metadata.annotations[shared-infrastructure.fn.crossplane.io/owner]");
    return `${reasons.join(" and ")}, written by ${String(owner).split("/").at(-1)}`;
  };
  const [alice, bob] = names;
  const wanted = [`Available and TargetTaken, written by ${alice}`, `TargetTaken and Available, written by ${bob}`];
  let since = 0;
  let before = "";
  const isSettled = async () => {
    const now = await outcome();
    if (now !== before || !wanted.includes(now)) [before, since] = [now, Date.now()];
    return Date.now() - since > 8000;
  };
  await until("one has it and one is told, and it stays so", isSettled, PATIENCE).catch((error: unknown) => {
    throw new Error(`${names.join(" and ")}: ${before}`, { cause: error });
  });
  if (at(await secret(), "metadata.uid") !== uid) throw new Error(`${name} was deleted in between`);
  return before === wanted[0] ? alice : bob;
}

async function deletedSourceLeavesTheCopies(rig: Rig): Promise<string> {
  const { kubectl, version } = rig;
  // provider-kubernetes keeps a source that Objects refer to; whoever takes its finalizer away means it.
  await kubectl.run("delete", `secret/${SOURCE.name}`, "-n", SOURCE.namespace, "--wait=false");
  await kubectl.patch(`secret/${SOURCE.name}`, { metadata: { finalizers: null } }, { namespace: SOURCE.namespace });
  await new Promise((resolve) => setTimeout(resolve, 8000)); // several reconciles, in each of which it could go wrong
  const copies = ["published", "after", ...(isV2(version) ? ["plain", "template", "wanted"] : [])];
  for (const name of copies) {
    if ((await kubectl.get(`secret/${name}`, NAMESPACE)) === undefined) throw new Error(`Secret ${name} is gone`);
  }
  return `${copies.length} copies are there`;
}

type Reach = Pick<Rig, "kubectl">;

const putPassword = ({ kubectl }: Reach, text: string): Promise<void> =>
  kubectl.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: SOURCE,
    type: "connection.crossplane.io/v1alpha1",
    data: { username: encode("cache"), password: encode(text) },
  });

/** An XR of that kind, by the name of the Secret it wants. */
const use = ({ kubectl }: Reach, { kind, scope }: Kind, name: string, secret = name): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind,
    metadata: { name, ...(scope === "Namespaced" && { namespace: NAMESPACE }) },
    spec: { parameters: { secret } },
  });

const password = async ({ kubectl }: Reach, name: string) =>
  at(await kubectl.get(`secret/${name}`, NAMESPACE), "data.password");

async function holds({ kubectl }: Reach, name: string, text: string): Promise<boolean> {
  return at(await kubectl.get(`secret/${name}`, NAMESPACE), "data.CACHE_PASSWORD") === encode(text);
}

const reasonOf = async ({ kubectl }: Reach, { kind, scope }: Kind, name: string) =>
  conditionOf(
    await kubectl.get(`${pluralOf(kind)}.${GROUP}/${name}`, scope === "Namespaced" ? NAMESPACE : undefined),
    "SharedResourcesReady",
  );

const putForeign = ({ kubectl }: Reach, name: string): Promise<void> =>
  kubectl.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: NAMESPACE, name },
    data: { mine: encode("!") },
  });

async function assertForeign({ kubectl }: Reach, name: string): Promise<void> {
  const data = at(await kubectl.get(`secret/${name}`, NAMESPACE), "data");
  if (JSON.stringify(data) !== JSON.stringify({ mine: encode("!") })) throw new Error(`Secret ${name} was written to`);
}
