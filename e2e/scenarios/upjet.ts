import { setTimeout as sleep } from "node:timers/promises";
import { FIRST_PASSWORD } from "../rig/cloud.ts";
import type { Kubectl } from "../rig/kubectl.ts";
import { at, conditionOf, encode } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { UPJET_GROUP, upjetOf } from "../rig/upjet-provider.ts";
import { compose, compositionOf, definitionOf, install, type Kind, ours, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** Named resources of the upjet provider: one bucket that two XRs declare, and a database whose Secret a team uses. */
export const upjetProvider: Suite = {
  name: "a provider on upjet's runtime",
  scenarios: [
    { name: "without: two XRs rewrite the tags of one bucket for ever", run: warWithout },
    { name: "with: one XR owns the bucket, and nobody writes", run: oneOwns },
    { name: "its owner goes: the bucket stays, and the other XR takes over", run: ownerGoes },
    { name: "the last XR goes, and the bucket goes too", run: lastOneGoes },
    { name: "the Secret that the provider writes is copied to a team", run: secretIsShared },
    { name: "a password that the cloud changes follows", run: passwordFollows },
  ],
};

const MANAGED = `buckets.${UPJET_GROUP}`;
const apiVersion = `${UPJET_GROUP}/v1alpha1`;

const bucket = (tags: object) =>
  compose({
    bucket: {
      apiVersion,
      kind: "Bucket",
      metadata: { annotations: { "crossplane.io/external-name": "$(spec.bucket)" } },
      spec: { forProvider: { region: "eu", ...tags } },
    },
  });

/** Our facts do not know the kind. Crossplane v1 cannot be asked for its schema, so that the input says where its tags are. */
const tag = ours("tag", {
  tags: {
    add: [{ key: "team", value: { fromCompositeFieldPath: "spec.team" } }],
    resources: [{ apiGroup: UPJET_GROUP, kind: "Bucket", fieldPath: "spec.forProvider.tags" }],
  },
});

const spec = { team: { type: "string" }, bucket: { type: "string" } };
const definitions = ["XWildBucket", "XTameBucket"].map((kind) => definitionOf({ kind, spec }));

/** An XR of a team; its kind has one bucket, of its own name. */
const xrOf = (kind: "Wild" | "Tame", team: string) => {
  const bucket = kind.toLowerCase();
  return {
    apiVersion: VERSION,
    kind: `X${kind}Bucket`,
    metadata: { name: `${bucket}-${team}` },
    spec: { team, bucket },
  };
};

/** The writes of one XR's tags after the other's that are no coincidence. */
const WAR_WRITES = 6;

async function warWithout(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const upjet = upjetOf(rig);
  await kubectl.apply(...definitions);
  await kubectl.established(...definitions.map(({ metadata }) => `xrd/${metadata.name}`));
  await kubectl.apply(
    compositionOf("XWildBucket", [bucket({ tags: { team: "$(spec.team)" } })]),
    compositionOf("XTameBucket", [bucket({}), tag]),
  );
  await kubectl.apply(xrOf("Wild", "a"), xrOf("Wild", "b"));
  const writes = () => upjet.cloud.writes.filter((write) => write === "PUT buckets/wild").length;
  const since = { writes: 0, at: 0 };
  const isWar = async (): Promise<boolean> => {
    await confirmCreation(kubectl);
    // Both have to find out first, and then write at each poll.
    if (since.at === 0 && writes() > 4) Object.assign(since, { writes: writes(), at: performance.now() });
    return since.at > 0 && writes() - since.writes >= WAR_WRITES;
  };
  await until("both write", isWar, PATIENCE);
  const perMinute = ((writes() - since.writes) * 60_000) / (performance.now() - since.at);
  await kubectl.run("delete", "xwildbucket", "--all", "--wait=false");
  return `${perMinute.toFixed()} writes a minute`;
}

/**
 * Says of Buckets that they were created where their provider could not write that down and stops ("cannot determine creation
 * result"): on a busy machine Crossplane changes them at the same moment.
 */
async function confirmCreation(kubectl: Kubectl): Promise<void> {
  for (const managed of await kubectl.list(MANAGED)) {
    const message = String(conditionOf(managed, "Synced")?.message ?? "");
    if (!message.startsWith("cannot determine creation result")) continue;
    const name = String(at(managed, "metadata.name"));
    await kubectl.run("annotate", `${MANAGED}/${name}`, "crossplane.io/external-create-pending-");
  }
}

async function oneOwns(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const upjet = upjetOf(rig);
  await kubectl.apply(xrOf("Tame", "a"));
  await until("a owns it", async () => (await reasonOf(rig, "a")) === "Owned", PATIENCE);
  await until("a's tag is there", async () => teamOf(rig) === "a", PATIENCE);
  await kubectl.apply(xrOf("Tame", "b"));
  await until("b observes it", async () => (await reasonOf(rig, "b")) === "ObservedOnly", PATIENCE);
  const isReady = async () => conditionOf(await managedOf(rig, "b"), "Ready")?.status === "True";
  await until("b's managed resource is Ready", isReady, PATIENCE);
  await sleep(2000); // what b's provider had begun
  const before = upjet.cloud.writes.filter((write) => write.endsWith("buckets/tame")).length;
  await sleep(20_000);
  const count = upjet.cloud.writes.filter((write) => write.endsWith("buckets/tame")).length - before;
  if (count > 0 || teamOf(rig) !== "a") throw new Error(`${count} writes in 20 s, and the tag of ${teamOf(rig)}`);
  return "0 writes in 20 s, and the observer's managed resource is Ready";
}

async function ownerGoes(rig: Rig): Promise<string> {
  await rig.kubectl.run("delete", "xtamebucket/tame-a", "--timeout=180s");
  await until("b owns it", async () => (await reasonOf(rig, "b")) === "Owned", PATIENCE);
  await until("b's tag is there", async () => teamOf(rig) === "b", PATIENCE);
  if (upjetOf(rig).cloud.writes.includes("DELETE buckets/tame")) throw new Error("it was deleted");
  return "the same bucket, with b's tag";
}

async function lastOneGoes(rig: Rig): Promise<string> {
  const policies = async () => JSON.stringify(at(await managedOf(rig, "b"), "spec.managementPolicies"));
  await until("b may delete it", async () => (await policies()) === '["*"]', PATIENCE);
  await rig.kubectl.run("delete", "xtamebucket/tame-b", "--timeout=180s");
  await until("it is gone", async () => teamOf(rig) === undefined, PATIENCE);
  return "deleted with its last XR";
}

const [OWNER, TEAM] = ["upjet-databases", "upjet-team"];
const SECOND_PASSWORD = "upjet-s3cret-2";

const user: Kind = {
  kind: "XDatabaseUser",
  scope: "Legacy",
  claim: "DatabaseUser",
  input: {
    sharedResources: [
      {
        name: "database",
        apiVersion,
        kind: "Database",
        select: { name: "ledger" },
        patches: [{ fromFieldPath: "status.atProvider.endpoint", toCompositeFieldPath: "status.endpoint" }],
        connection: { copies: [{ secretName: "ledger" }] },
      },
    ],
  },
};

/** The managed resource itself is shared: its owner lets the team have what the provider writes. */
async function secretIsShared({ kubectl }: Rig): Promise<string> {
  await kubectl.apply(...[OWNER, TEAM].map(namespaceOf));
  await install(kubectl, [user]);
  await kubectl.apply({
    apiVersion,
    kind: "Database",
    metadata: { name: "ledger", annotations: { [ALLOWED]: TEAM } },
    spec: {
      forProvider: { region: "eu" },
      writeConnectionSecretToRef: { namespace: OWNER, name: "ledger-conn" },
    },
  });
  await kubectl.apply({
    apiVersion: VERSION,
    kind: user.claim,
    metadata: { namespace: TEAM, name: "ledger" },
    spec: {},
  });
  await until("the copy is there", () => isCopied({ kubectl }, FIRST_PASSWORD), PATIENCE);
  const copy = await kubectl.get("secret/ledger", TEAM);
  if (at(copy, "data.endpoint") !== encode("ledger.example.org")) throw new Error("the copy has no endpoint");
  return `Secret ${TEAM}/ledger with ${Object.keys(Object(at(copy, "data")))
    .sort()
    .join(", ")}`;
}

async function passwordFollows(rig: Rig): Promise<string> {
  upjetOf(rig).cloud.put("databases/ledger", { password: SECOND_PASSWORD });
  const start = Date.now();
  await until("the copy has the new password", () => isCopied(rig, SECOND_PASSWORD), PATIENCE);
  return `after ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

type Reach = Pick<Rig, "kubectl">;

const isCopied = async ({ kubectl }: Reach, password: string): Promise<boolean> =>
  at(await kubectl.get("secret/ledger", TEAM), "data.password") === encode(password);

/** Whose tag the bucket has in the cloud; undefined where there is no bucket. */
const teamOf = (rig: Rig) => at(upjetOf(rig).cloud.resources.get("buckets/tame"), "tags.team");

const reasonOf = async ({ kubectl }: Reach, team: string) =>
  conditionOf(await kubectl.get(`xtamebucket/tame-${team}`), "TagsOwned")?.reason;

async function managedOf({ kubectl }: Reach, team: string) {
  const all = await kubectl.list(MANAGED);
  return all.find((found) => at(found, "metadata.labels[crossplane.io/composite]") === `tame-${team}`);
}
