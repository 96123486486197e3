import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Finding } from "../../cli/audit/world.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { pathOf } from "../rig/kubectl.ts";
import { nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { kubeconfigOf } from "../rig/service-account.ts";
import { current, HOLD, release, restore } from "./backup.ts";
import { GROUP, pluralOf, VERSION } from "./definitions.ts";
import { bucket, restorable } from "./restorable.ts";
import {
  assertAdoptedThenDeleted,
  backUp,
  both,
  change,
  findController,
  isSynced,
  reasonOf,
  refersTo,
} from "./restored.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { unreachedOf } from "./unreached.ts";

/** The audit command against what the scenarios know: before the function acts, and after. */

export const auditing: Suite = {
  name: "audit",
  when: "after the others", // it reads all kinds, and others remove theirs
  scenarios: [
    { name: "after a restore it finds what is missing, what is not adopted, and then nothing", run: afterRestore },
    { name: "what Crossplane v2.4 has forgotten is found, put back, adopted and deleted", run: orphaned },
    { name: "an XR that was never reconciled is found", run: neverReconciled },
    { name: "it needs the rights of deploy/audit, and names those that it lacks", run: leastRights },
  ],
};

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

interface Audited {
  readonly exitCode: number;
  readonly out: string;
}

export async function audit({ kubeconfig }: Pick<Rig, "kubeconfig">, ...args: readonly string[]): Promise<Audited> {
  const all = [main, "audit", `--kubeconfig=${kubeconfig}`, ...args];
  try {
    return { exitCode: 0, out: (await promisify(execFile)(process.execPath, all)).stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    };
    // 2 with an answer: something could not be looked at.
    if (code !== 1 && !stdout.startsWith("{")) throw new Error(`audit ended with ${code}: ${stderr}`);
    return { exitCode: code, out: stdout };
  }
}

/** The findings about one XR, as `Finding Kind/name`. */
async function found(rig: Rig, composite: string): Promise<string> {
  const { exitCode, out } = await audit(rig, `--composite=${composite}`, "--grace=0s", "--output=json");
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
  if ((exitCode === 0) !== (findings.length === 0)) throw new Error(`exit code ${exitCode} and ${out}`);
  return findings.map(({ is, resource: { kind, name } }) => `${is} ${kind}/${name}`).join("\n");
}

const expected = (is: Finding["is"], ...objects: readonly JsonObject[]): string =>
  objects
    .map(nameOf)
    .sort()
    .map((name) => `${is} Bucket/${name}`)
    .join("\n");

function assertFound(what: string, wanted: string): void {
  if (what !== wanted) throw new Error(`found ${JSON.stringify(what)}, and not ${JSON.stringify(wanted)}`);
}

async function installed({ kubectl }: Rig): Promise<void> {
  await kubectl.apply(...restorable);
  await kubectl.established("crd/buckets.cloud.example.org", `xrd/xstores.${GROUP}`);
  await untilCollected(kubectl);
}

/**
 * Kubernetes' garbage collector takes up new kinds every half a minute. Before that it cannot let go what an XR owns when
 * the XR is lost, and would collect it later.
 */
async function untilCollected(kubectl: Rig["kubectl"]): Promise<void> {
  const { apiVersion, kind } = bucket;
  const owner = { apiVersion, kind, name: "nobody", uid: "00000000-0000-4000-8000-000000000000" };
  await kubectl.apply({ ...bucket, metadata: { name: "ownerless", ownerReferences: [owner] } });
  await until("Buckets are collected", async () => (await kubectl.get("bucket/ownerless")) === undefined, PATIENCE);
}

/** The XR comes back paused, so that the function does not act before it was looked. */
async function afterRestore(rig: Rig): Promise<string> {
  await installed(rig);
  const { xr, first, second } = await backUp(rig, "audited", { resources: both, isGuarded: true });
  await change(rig, "audited", { resources: { first: bucket }, isGuarded: true });
  const pause = (paused: string | null) =>
    rig.kubectl.patch(`xstore.${GROUP}/audited`, { metadata: { annotations: { "crossplane.io/paused": paused } } });
  const { metadata, ...rest } = xr;
  const annotations = { "crossplane.io/paused": "true" };
  await restore(rig, { ...rest, metadata: { ...(metadata as JsonObject), annotations } });
  assertFound(await found(rig, "audited"), expected("Dangling", first, second));
  await restore(rig, first);
  await restore(rig, second, [HOLD]);
  assertFound(await found(rig, "audited"), expected("Unadopted", first, second));
  await pause(null);
  await assertAdoptedThenDeleted(rig, xr, second);
  assertFound(await found(rig, "audited"), "");
  return "two dangling references, then two resources unadopted, then nothing";
}

/** Does what --adopt says. */
async function putBack(rig: Rig, composite: string): Promise<void> {
  const { out } = await audit(rig, `--composite=${composite}`, "--adopt");
  const kubectl = `${pathOf("kubectl")} --kubeconfig=${rig.kubeconfig}`;
  await promisify(execFile)("sh", ["-ec", out.replaceAll(/^kubectl/gm, kubectl)]);
}

/** Without our step; Crossplane before v2.4 deletes what v2.4 forgets. */
async function orphaned(rig: Rig): Promise<string> {
  const { xr, second } = await backUp(rig, "forgotten", { resources: both, isGuarded: false });
  await change(rig, "forgotten", { resources: { first: bucket }, isGuarded: false });
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await until("the XR is synced", async () => isSynced(await current(rig, xr)), PATIENCE);
  await until("the XR does not refer to it", async () => !refersTo(await current(rig, xr), second), PATIENCE);
  if (rig.version !== "v2.4") {
    assertFound(await found(rig, "forgotten"), "");
    await release(rig, second);
    return "nothing: it is being deleted";
  }
  assertFound(await found(rig, "forgotten"), expected("Orphaned", second));
  await change(rig, "forgotten", { resources: { first: bucket }, isGuarded: true });
  // Put back while the Composition of before is still in use, it would be forgotten once more.
  await until("our step has run", async () => (await reasonOf(rig, xr)) !== undefined, { timeoutMs: 180_000 });
  // Put back while a reconcile is under way, it is taken back by that one's end.
  const isAdopted = async () => {
    await putBack(rig, "forgotten");
    return findController(await current(rig, second)) !== undefined;
  };
  await until("it is adopted", isAdopted, { timeoutMs: 120_000 });
  await assertAdoptedThenDeleted(rig, xr, second);
  assertFound(await found(rig, "forgotten"), "");
  return "Orphaned; put back as --adopt says, it was adopted, then deleted";
}

const UNREACHED = "XUnreached";

/** Its function is not there to be reached, so for two minutes Crossplane has nothing to say of it. */
async function neverReconciled(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(...(await unreachedOf(rig, UNREACHED)));
  await kubectl.established(`xrd/${pluralOf(UNREACHED)}.${GROUP}`);
  await kubectl.apply({ apiVersion: VERSION, kind: UNREACHED, metadata: { name: "never" }, spec: {} });
  assertFound(await found(rig, "never"), `NeverReconciled ${UNREACHED}/never`);
  await kubectl.run("delete", `${pluralOf(UNREACHED)}.${GROUP}/never`, "--wait=false");
  return "NeverReconciled";
}

/** The rig has no RBAC manager, so what crossplane-view would show here is written down. */
const view = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "crossplane-view" },
  rules: ["apiextensions.crossplane.io", GROUP, "cloud.example.org"].map((group) => ({
    apiGroups: [group],
    resources: ["*"],
    verbs: ["get", "list"],
  })),
};

const manifestOf = (file: string): string => fileURLToPath(new URL(`../../deploy/audit/${file}`, import.meta.url));

async function leastRights(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(view);
  await kubectl.applyFile(manifestOf("rbac.yaml"));
  await kubectl.run("create", "--dry-run=server", "--validate=strict", "-f", manifestOf("job.yaml"));
  const kubeconfig = await kubeconfigOf("shared-infrastructure-audit", rig);

  const { out } = await audit({ kubeconfig }, "--output=json");
  const { notLookedAt } = JSON.parse(out) as { readonly notLookedAt: readonly { readonly message: string }[] };
  const messages = notLookedAt.map(({ message }) => message);
  const wrong = messages.filter((message) => /(cloud|platform)\.example\.org|configmaps|jobs\.batch/.test(message));
  if (wrong.length > 0) throw new Error(wrong.join("; "));
  const secrets = messages.find((message) => message.startsWith("cannot list secrets"));
  const rule = '{apiGroups: [""], resources: ["secrets"], verbs: ["list"]}';
  if (secrets?.includes(rule) !== true) throw new Error(`of Secrets it says ${secrets}`);
  return `${messages.length} kinds that it may not list, Secrets among them, each with the rule that is missing`;
}
