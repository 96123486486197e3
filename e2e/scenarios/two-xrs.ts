import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { grant, holdsPassword, namespaceOf, putPassword, sourceOf } from "./source.ts";

/** A claim that was replaced without its `spec.resourceRef`, as Helm does by force: Crossplane makes a second XR for it (crossplane#4803). */

export const twoXrs: Suite = {
  name: "two XRs of one claim",
  scenarios: [{ name: "the claim's XR has the Secret, and the other one is deleted without it", run: staleIsDeleted }],
};

const NAMESPACE = "forced";
const vault: Kind = { kind: "XForcedVault", scope: "Legacy", input: {} };
const source = sourceOf(vault, "forced-vault", "forced-vaults");
const user: Kind = {
  kind: "XForcedUser",
  scope: "Legacy",
  claim: "ForcedUser",
  input: {
    sharedResources: [
      {
        name: "vault",
        apiVersion: VERSION,
        kind: vault.kind,
        select: { name: source.name },
        connection: { copies: [{ secretName: "vault" }] },
      },
    ],
  },
};

const XRS = `${pluralOf(user.kind)}.${GROUP}`;
const CLAIM = `forcedusers.${GROUP}/app`;

async function staleIsDeleted({ kubectl }: Rig): Promise<string> {
  const secret = () => kubectl.get("secret/vault", NAMESPACE);
  const claimed = async () => String(at(await kubectl.get(CLAIM, NAMESPACE), "spec.resourceRef.name"));
  const shown = async (xr: string) => conditionOf(await kubectl.get(`${XRS}/${xr}`), "SharedResourcesReady");
  await kubectl.apply(...[source.secret.namespace, NAMESPACE].map(namespaceOf));
  await install(kubectl, [vault, user]);
  await putPassword(kubectl, source, "forced-s3cret-1");
  await grant(kubectl, source, NAMESPACE);
  await kubectl.apply({
    apiVersion: VERSION,
    kind: user.claim,
    metadata: { namespace: NAMESPACE, name: "app" },
    spec: {},
  });
  const isHeld = () => holdsPassword(kubectl, "vault", NAMESPACE, "forced-s3cret-1");
  await until("the copy is there", isHeld, PATIENCE);
  const [stale, uid] = [await claimed(), at(await secret(), "metadata.uid")];

  await kubectl.patch(CLAIM, { spec: { resourceRef: null } }, { namespace: NAMESPACE });
  const isSecond = async () => ![stale, "undefined"].includes(await claimed());
  await until("the claim has another XR", isSecond, PATIENCE);
  const xr = await claimed();
  const isSettled = async () => {
    const maker = at(await secret(), "metadata.annotations[shared-infrastructure.fn.crossplane.io/composite]");
    const reasons = [(await shown(xr))?.reason, (await shown(stale))?.reason];
    return maker === xr && reasons.join() === "Available,TargetTaken" && (await objectsOf({ kubectl }, stale)) === 0;
  };
  await until("the claim's XR has the Secret, and the other one has given it up", isSettled, PATIENCE);
  const told = (await shown(stale))?.message;

  await kubectl.run("delete", `${XRS}/${stale}`, "--wait=false");
  await until("the other XR is gone", async () => (await kubectl.get(`${XRS}/${stale}`)) === undefined, PATIENCE);
  await putPassword(kubectl, source, "forced-s3cret-2");
  const isFollowing = () => holdsPassword(kubectl, "vault", NAMESPACE, "forced-s3cret-2");
  await until("the copy follows its source", isFollowing, PATIENCE);
  if (at(await secret(), "metadata.uid") !== uid) throw new Error("the Secret was lost in between");
  return `${told}; the Secret is the same`;
}

async function objectsOf({ kubectl }: Pick<Rig, "kubectl">, xr: string): Promise<number> {
  const objects = await kubectl.list("objects.kubernetes.crossplane.io");
  return objects.filter((object) => String(at(object, "metadata.labels[crossplane.io/composite]")) === xr).length;
}
