import { setTimeout as sleep } from "node:timers/promises";
import { isV2, type Version } from "../rig/crossplane.ts";
import { at, conditionOf, encode } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { referenceGrantKind } from "./reference-grant.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { grant, namespaceOf, putPassword, type Source, sourceOf } from "./source.ts";

/** Proves that a team gains nothing by writing arbitrary values into its own claims and XRs. */

export const hostileTenant: Suite = {
  name: "a hostile tenant",
  scenarios: [
    { name: "keeps its copy while that is granted", run: tricksAreTried },
    { name: "loses it with the grant, whatever its claim says", run: revocationArrives },
    { name: "sees nothing of the next password", run: rotationDoesNotArrive },
  ],
};

const vault: Kind = { kind: "XVault", scope: "Legacy", claim: "Vault", input: {} };
const main = sourceOf(vault, "main-vault", "vaults");
/** The team's own: its Secret has no password, so that a copy of it could keep another one's. */
const own = sourceOf(vault, "own-vault", "own-vaults");
/** The team's own, whose Secret is not there: nothing can be written in place of another one's password. */
const empty = sourceOf(vault, "empty-vault", "own-vaults");

/** A platform's Composition: which vault, and into which Secret, is the team's to say. */
const using = (select: object, more: object = {}) => ({
  sharedResources: [
    {
      name: "vault",
      apiVersion: VERSION,
      kind: vault.kind,
      select,
      connection: { copies: [{ secretName: { fromCompositeFieldPath: "spec.parameters.secret" } }] },
      ...more,
    },
  ],
});

const VAULT = { fromCompositeFieldPath: "spec.parameters.vault" };
const OWN = { fromCompositeFieldPath: "spec.parameters.own" };
const byName: Kind = { kind: "XVaultUser", scope: "Legacy", claim: "VaultUser", input: using({ name: VAULT }) };
const byLabel: Kind = {
  kind: "XVaultFinder",
  scope: "Legacy",
  claim: "VaultFinder",
  input: using({ matchLabels: { source: VAULT } }),
};
const optional: Kind = {
  kind: "XVaultGuest",
  scope: "Legacy",
  claim: "VaultGuest",
  input: using({ name: VAULT }, { resolution: "Optional" }),
};
const twice: Kind = {
  kind: "XVaultKeeper",
  scope: "Legacy",
  claim: "VaultKeeper",
  input: using({ name: VAULT }),
  later: using({ name: OWN }, { name: "own", resolution: "Optional" }),
};
const namespaced: Kind = { kind: "VaultApp", scope: "Namespaced", input: using({ name: VAULT }) };
const byReferenceGrant: Kind = {
  kind: "VaultHolder",
  scope: "Namespaced",
  input: using({ name: VAULT }, { grant: "ReferenceGrant" }),
};

/** A change that a team makes to its claim or XR before the grant is revoked. */
interface Trick {
  readonly name: string;
  readonly kind: Kind;
  readonly parameters: object;
  /** The condition's reason afterwards. */
  readonly reason: string;
  readonly hasDecoy?: boolean;
}

const tricks: readonly Trick[] = [
  { name: "other-name", kind: byName, parameters: { vault: "nope" }, reason: "NotFound" },
  { name: "no-name", kind: byName, parameters: { vault: null }, reason: "FieldNotSet" },
  { name: "invalid-secret", kind: byName, parameters: { secret: "No Name" }, reason: "InvalidTarget" },
  { name: "long-secret", kind: byName, parameters: { secret: "x".repeat(200_000) }, reason: "InvalidTarget" },
  { name: "deep-name", kind: byName, parameters: { vault: nested(500) }, reason: "FieldNotSet" },
  { name: "moves", kind: byName, parameters: { vault: empty.name }, reason: "CopyFailed" },
  { name: "later-step", kind: twice, parameters: { own: own.name }, reason: "TargetTaken" },
  { name: "decoy", kind: byLabel, parameters: {}, reason: "Available", hasDecoy: true },
  { name: "optional", kind: optional, parameters: { vault: "nope" }, reason: "Available" },
  { name: "namespaced", kind: namespaced, parameters: { vault: "nope" }, reason: "NotFound" },
  { name: "reference-grant", kind: byReferenceGrant, parameters: { vault: "nope" }, reason: "NotFound" },
  { name: "grant-moves", kind: byReferenceGrant, parameters: { vault: empty.name }, reason: "CopyFailed" },
];

/** An object that deep. */
function nested(levels: number): object {
  let object = {};
  for (let level = 0; level < levels; level++) object = { a: object };
  return object;
}

const tricksOn = (version: Version): readonly Trick[] =>
  tricks.filter(({ kind }) => kind.scope !== "Namespaced" || isV2(version));

/** Each trick has a namespace of its own. */
const namespaceFor = ({ name }: Trick): string => `tenant-${name}`;

const PASSWORDS = { first: "vault-s3cret-1", next: "vault-s3cret-2" };

async function tricksAreTried({ kubectl, version }: Rig): Promise<string> {
  const tried = tricksOn(version);
  const namespaces = [main, own].map(({ secret }) => secret.namespace);
  await kubectl.apply(...[...namespaces, ...tried.map(namespaceFor)].map(namespaceOf));
  if (isV2(version)) {
    await kubectl.apply(referenceGrantKind);
    await kubectl.established(`crd/${referenceGrantKind.metadata.name}`);
  }
  await install(kubectl, [vault, ...new Set(tried.map(({ kind }) => kind))]);
  await putPassword(kubectl, main, PASSWORDS.first);
  await grant(kubectl, main, tried.map(namespaceFor).join(","));
  await kubectl.apply({ apiVersion: "v1", kind: "Secret", metadata: own.secret, data: { note: encode("own") } });
  for (const source of [own, empty]) await grant(kubectl, source, "*");
  if (isV2(version)) await kubectl.apply(...[main, empty].map(referenceGrantTo));
  for (const trick of tried) await write({ kubectl }, trick, { vault: main.name, secret: "copy" });
  await until(
    "all have their copies",
    async () => (await copied({ kubectl, version })).length === tried.length,
    PATIENCE,
  );

  for (const trick of tried) {
    if (trick.hasDecoy === true) await kubectl.apply(decoyIn(namespaceFor(trick)));
    await write({ kubectl }, trick, { vault: main.name, secret: "copy", ...trick.parameters });
  }
  for (const trick of tried) {
    const seen = async () => (await reasonOf({ kubectl }, trick)) === trick.reason;
    await until(`${trick.name} is told ${trick.reason}`, seen, PATIENCE);
  }
  await sleep(4000); // several reconciles, in each of which it could go wrong
  const there = await copied({ kubectl, version });
  if (there.length < tried.length) throw new Error(`only ${there.join(", ")} have their copies`);
  return `${tried.map(({ name }) => name).join(", ")}: all copies are there`;
}

async function revocationArrives({ kubectl, version }: Rig): Promise<string> {
  await grant(kubectl, main, "nobody");
  if (isV2(version)) await kubectl.run("delete", "referencegrants", "--all", "-n", main.secret.namespace);
  const start = Date.now();
  const areGone = async () => (await copied({ kubectl, version })).length === 0;
  await until("all copies are gone", areGone, PATIENCE).catch(async (cause: unknown) => {
    throw new Error(`${(await copied({ kubectl, version })).join(", ")} kept their copies`, { cause });
  });
  return `${tricksOn(version).length} copies gone after ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

async function rotationDoesNotArrive({ kubectl, version }: Rig): Promise<string> {
  await putPassword(kubectl, main, PASSWORDS.next);
  await sleep(5000);
  const copies = await copied({ kubectl, version });
  if (copies.length > 0) throw new Error(`${copies.join(", ")} have a copy again`);
  return "no copy";
}

const write = ({ kubectl }: Pick<Rig, "kubectl">, trick: Trick, parameters: object): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: trick.kind.claim ?? trick.kind.kind,
    metadata: { namespace: namespaceFor(trick), name: "app" },
    spec: { parameters },
  });

/** The tricks whose namespace holds a Secret of the vault's, by whatever name. */
async function copied({ kubectl, version }: Pick<Rig, "kubectl" | "version">): Promise<readonly string[]> {
  const secrets = await kubectl.list("secrets");
  const values = Object.values(PASSWORDS).map(encode);
  const holding = secrets.filter((secret) => values.includes(String(at(secret, "data.password"))));
  const namespaces = holding.map((secret) => at(secret, "metadata.namespace"));
  return tricksOn(version)
    .filter((trick) => namespaces.includes(namespaceFor(trick)))
    .map(({ name }) => name);
}

async function reasonOf({ kubectl }: Pick<Rig, "kubectl">, trick: Trick): Promise<string | undefined> {
  const target = `${pluralOf(trick.kind.claim ?? trick.kind.kind)}.${GROUP}/app`;
  return conditionOf(await kubectl.get(target, namespaceFor(trick)), "SharedResourcesReady")?.reason;
}

/** A vault of the team's own, with the labels of the one that it was granted: a claim's labels are its XR's. */
const decoyIn = (namespace: string) => ({
  apiVersion: VERSION,
  kind: vault.claim,
  metadata: { namespace, name: "decoy", labels: { source: main.name } },
  spec: {},
});

const referenceGrantTo = ({ secret }: Source) => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { namespace: secret.namespace, name: "tenants" },
  spec: {
    from: tricks
      .filter(({ kind }) => kind === byReferenceGrant)
      .map((trick) => ({ group: GROUP, kind: byReferenceGrant.kind, namespace: namespaceFor(trick) })),
    to: [{ group: "", kind: "Secret", name: secret.name }],
  },
});
