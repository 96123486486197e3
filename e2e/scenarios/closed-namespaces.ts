import { setTimeout as sleep } from "node:timers/promises";
import { letRead } from "../rig/crossplane-rights.ts";
import { conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { compose, compositionOf, definitionOf, GROUP, install, type Kind, open, ours, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { grant, holdsPassword, namespaceOf, putPassword, sourceOf } from "./source.ts";

/** A team whose claim names the namespaces of others for its copies. */

export const closedNamespaces: Suite = {
  name: "a namespace of somebody else's",
  when: "beside all", // Crossplane gives up on what it may not read after two minutes, twice
  scenarios: [
    {
      name: "is not written to where Crossplane may not read Namespaces, and the claim names the rule",
      run: rightIsMissing,
      isFor: (version) => version === "v2.4", // for the time that it takes: the others do the same
    },
    { name: "is not written to before it takes copies", run: namespacesAreClosed },
    { name: "is, when it says so", run: namespaceOpens },
    { name: "is not written to by a nested XR, which asks in the name of its claim", run: nestedIsAsked },
    {
      name: "is granted by its labels: when they go, its copy goes, though the owner names no Secret any more",
      run: labelGoes,
    },
  ],
};

const vault: Kind = { kind: "XPushed", scope: "Legacy", input: {} };

/** Its Composition vouches for the source, and leaves it to the team where copies go. */
const pusher: Kind = {
  kind: "XPusher",
  scope: "Legacy",
  claim: "Pusher",
  input: {
    sharedResources: [
      {
        name: "vault",
        apiVersion: VERSION,
        kind: vault.kind,
        select: { name: "evil-vault" },
        grant: "None",
        connection: {
          copies: [
            {
              namespaces: { fromCompositeFieldPath: "spec.parameters.namespaces" },
              secretName: { fromCompositeFieldPath: "spec.parameters.secret" },
            },
          ],
        },
      },
    ],
  },
};

const EVIL = "evil";
const VICTIM = "victim";
const PUSHED = "root-ca";
const evil = sourceOf(vault, "evil-vault", EVIL);
const ACCEPT = "shared-infrastructure.fn.crossplane.io/accept-copies-from";

const isPushedInto = ({ kubectl }: Pick<Rig, "kubectl">, namespace: string): Promise<boolean> =>
  holdsPassword(kubectl, PUSHED, namespace, "evil-s3cret");

async function push({ kubectl }: Pick<Rig, "kubectl">): Promise<void> {
  await kubectl.apply(namespaceOf(EVIL), namespaceOf(VICTIM));
  await install(kubectl, [vault, pusher]);
  await putPassword(kubectl, evil, "evil-s3cret");
  await grant(kubectl, evil, "");
  await kubectl.apply({
    apiVersion: VERSION,
    kind: pusher.claim,
    metadata: { namespace: EVIL, name: "push" },
    spec: { parameters: { namespaces: [VICTIM, "kube-system"], secret: PUSHED } },
  });
}

const pushed = async ({ kubectl }: Pick<Rig, "kubectl">) =>
  conditionOf(await kubectl.get(`pushers.${GROUP}/push`, EVIL), "SharedResourcesReady");

/** Crossplane waits two minutes for what it may not read, and tries once more before its cache has seen how that ended. */
async function rightIsMissing({ kubectl }: Rig): Promise<string> {
  await push({ kubectl });
  const isTold = async () => (await pushed({ kubectl }))?.reason === "NamespaceNotReadable";
  await until("the claim says so", isTold, { timeoutMs: 300_000 }).catch(async (cause: unknown) => {
    const written = (await isPushedInto({ kubectl }, VICTIM)) ? "written" : "not written";
    throw new Error(`its reason is ${(await pushed({ kubectl }))?.reason}, and the Secret was ${written}`, { cause });
  });
  await assertClosed({ kubectl }, VICTIM, "kube-system");
  return String((await pushed({ kubectl }))?.message);
}

async function namespacesAreClosed({ kubectl }: Rig): Promise<string> {
  await letRead(kubectl, "namespaces", "referencegrants");
  await push({ kubectl });
  const isTold = async () => (await pushed({ kubectl }))?.reason === "NamespaceNotAccepting";
  await until("the claim says so", isTold, { timeoutMs: 180_000 });
  await assertClosed({ kubectl }, VICTIM, "kube-system");
  return String((await pushed({ kubectl }))?.message);
}

async function namespaceOpens({ kubectl }: Rig): Promise<string> {
  const accept = (from: string | null) =>
    kubectl.patch(`namespace/${VICTIM}`, { metadata: { annotations: { [ACCEPT]: from } } });
  await accept(EVIL);
  await until("the copy is there", () => isPushedInto({ kubectl }, VICTIM), PATIENCE);
  await assertClosed({ kubectl }, "kube-system");
  await accept(null);
  await until("it is gone again", async () => !(await isPushedInto({ kubectl }, VICTIM)), PATIENCE);
  return `Secret ${VICTIM}/${PUSHED} came and went with the annotation`;
}

async function assertClosed({ kubectl }: Pick<Rig, "kubectl">, ...namespaces: readonly string[]): Promise<void> {
  await sleep(4000); // several reconciles, in each of which it could go wrong
  for (const namespace of namespaces) {
    if (await kubectl.get(`secret/${PUSHED}`, namespace)) throw new Error(`Secret ${namespace}/${PUSHED} was written`);
  }
}

/** A claim whose XR composes another one, which has no claim of its own and takes the namespace from the claim. */
async function nestedIsAsked({ kubectl }: Rig): Promise<string> {
  const fields = { spec: { parameters: open } };
  const parameters = { namespaces: ["$(spec.parameters.namespaces[0])"], secret: PUSHED };
  await kubectl.apply(
    definitionOf({ kind: "XOuter", claim: "Outer", ...fields }),
    definitionOf({ kind: "XInner", ...fields }),
    compositionOf("XOuter", [compose({ inner: { apiVersion: VERSION, kind: "XInner", spec: { parameters } } })]),
    compositionOf("XInner", [ours("share", pusher.input)]),
  );
  await kubectl.waitFor("Offered", `xrd/xouters.${GROUP}`);
  await kubectl.established(`xrd/xinners.${GROUP}`);
  const spec = { parameters: { namespaces: [VICTIM], secret: PUSHED } };
  await kubectl.apply({ apiVersion: VERSION, kind: "Outer", metadata: { namespace: EVIL, name: "outer" }, spec });
  const told = async () => conditionOf((await kubectl.list(`xinners.${GROUP}`))[0], "SharedResourcesReady");
  await until("it is told so", async () => (await told())?.reason === "NamespaceNotAccepting", PATIENCE);
  await assertClosed({ kubectl }, VICTIM);
  return String((await told())?.message);
}

const reader: Kind = {
  kind: "XReader",
  scope: "Legacy",
  claim: "Reader",
  input: {
    sharedResources: [
      {
        name: "vault",
        apiVersion: VERSION,
        kind: vault.kind,
        select: { name: "labelled-vault" },
        connection: { copies: [{ secretName: "read" }] },
      },
    ],
  },
};

const SELECTOR = "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector";
const READERS = "vault-readers";
const labelled = sourceOf(vault, "labelled-vault", EVIL);

/** The longest chain of requirements: Crossplane gives up after five calls that ask for something new. */
async function labelGoes({ kubectl }: Rig): Promise<string> {
  const grantByLabel = (spec: object) =>
    kubectl.apply({
      apiVersion: VERSION,
      kind: vault.kind,
      metadata: { name: labelled.name, annotations: { [SELECTOR]: "vault=open" } },
      spec,
    });
  const label = (value: string | null) =>
    kubectl.patch(`namespace/${READERS}`, { metadata: { labels: { vault: value } } });
  const conditions = async () => {
    const claim = await kubectl.get(`readers.${GROUP}/app`, READERS);
    const [xr] = await kubectl.list(`xreaders.${GROUP}`);
    return { reason: conditionOf(claim, "SharedResourcesReady")?.reason, synced: conditionOf(xr, "Synced") };
  };
  const assertSynced = async () => {
    const { synced } = await conditions();
    if (synced?.status !== "True") throw new Error(`the XR is not synced: ${synced?.message}`);
  };
  const isThere = () => holdsPassword(kubectl, "read", READERS, "labelled-s3cret");

  await kubectl.apply(namespaceOf(READERS));
  await label("open");
  await install(kubectl, [reader]);
  await putPassword(kubectl, labelled, "labelled-s3cret");
  await grantByLabel({ writeConnectionSecretToRef: labelled.secret });
  await kubectl.apply({
    apiVersion: VERSION,
    kind: reader.claim,
    metadata: { namespace: READERS, name: "app" },
    spec: {},
  });
  await until("the copy is there", isThere, PATIENCE);
  await grantByLabel({});
  const isTold = async () => (await conditions()).reason === "NoConnectionSecret";
  await until("the claim is told that no Secret is named", isTold, PATIENCE);
  await sleep(4000); // several reconciles, in each of which it could go wrong
  await assertSynced();
  if (!(await isThere())) throw new Error("the copy is gone, while its namespace is granted");
  await label(null);
  await until("the copy is gone", async () => (await kubectl.get("secret/read", READERS)) === undefined, PATIENCE);
  const { reason } = await conditions();
  await assertSynced();
  return `kept while labelled, gone without the label; the claim says ${reason}, and its XR is Synced`;
}
