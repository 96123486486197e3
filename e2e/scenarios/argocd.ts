import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { INPUT_API_VERSION } from "../../src/input/schema.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { runCommand } from "../../testing/tools/run-command.ts";
import { type ArgoCd, healthOf, startArgoCd } from "../rig/argocd.ts";
import { NAMESPACE } from "../rig/crossplane.ts";
import { at, encode, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { kubeconfigOf } from "../rig/service-account.ts";
import { autoReady, compositionOf, definitionOf, GROUP, install, type Kind, ours, VERSION } from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, holdsPassword, namespaceOf, sourceOf } from "./source.ts";
import { CLOUD, object } from "./tagged.ts";

/** Applications of the real Argo CD: a database and an application that shares it, each in a folder of one repository. */
export const argoCd: Suite = onNewestOnly({
  name: "argo cd",
  // Its controller takes a core for itself when it starts.
  when: "after the others",
  programs: ["argocd", "argocd-redis", "helm"],
  scenarios: [
    { name: "without a grant an Application is Degraded, with the sentence; granted in Git: Healthy", run: degraded },
    { name: "pruning takes what left Git, and nothing that is composed; no ignoreDifferences", run: prunes },
    {
      name: "deploy/preflight/argocd.yaml in a Helm chart stops a sync on a conflict, and nothing is applied",
      run: preflights,
    },
  ],
});

const ledger: Kind = { kind: "XLedger", scope: "Legacy", input: { consumers: {} } };
const shop: Kind = {
  kind: "XShop",
  scope: "Legacy",
  claim: "Shop",
  input: {
    sharedResources: [
      {
        name: "ledger",
        apiVersion: VERSION,
        kind: "XLedger",
        select: { name: "orders" },
        connection: { copies: [{ secretName: "ledger", keys: [{ from: "password", to: "password" }] }] },
      },
    ],
  },
};
const TEAM = "shop-team";
const source = sourceOf(ledger, "orders", "ledgers");
const PASSWORD = "ledger-s3cret";

const ledgerIn = (annotations: Readonly<Record<string, string>>) => ({
  apiVersion: VERSION,
  kind: "XLedger",
  metadata: { name: "orders", annotations },
  spec: { writeConnectionSecretToRef: source.secret },
});
const claim = { apiVersion: VERSION, kind: "Shop", metadata: { namespace: TEAM, name: "orders" }, spec: {} };
const extra = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: TEAM, name: "extra" } };

const SENTENCE = /^Degraded SharedResourcesReady AccessNotGranted: .*shop-team/;

const started = new WeakMap<Rig, Promise<ArgoCd>>();

/** Starts it with the first scenario; the last one stops it. */
function argoCdOf(rig: Rig): Promise<ArgoCd> {
  const running = started.get(rig) ?? startArgoCd(rig);
  started.set(rig, running);
  return running;
}

const isSynced = (application: JsonObject | undefined): boolean => at(application, "status.sync.status") === "Synced";

async function degraded(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(namespaceOf(TEAM), namespaceOf("ledgers"));
  await install(kubectl, [ledger, shop]);
  // Of Crossplane's own type: it takes no other for what an XR writes, and the database would not be Healthy.
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: "connection.crossplane.io/v1alpha1",
    metadata: source.secret,
  };
  await kubectl.apply({ ...secret, data: { password: encode(PASSWORD) } });
  const argo = await argoCdOf(rig);
  await argo.commit("ledger", ledgerIn({}));
  await until("the database is Healthy", async () => (await statusOf(argo, "ledger")) === "Healthy Synced", PATIENCE);
  await argo.commit("shop", claim, extra);
  let sentence = "";
  const refused = await soon("the Application is Degraded and says why", async () => {
    sentence = healthOf(await argo.get("shop"), "Shop");
    return (await statusOf(argo, "shop")) === "Degraded Synced" && SENTENCE.test(sentence);
  });

  await argo.commit("ledger", ledgerIn({ [ALLOWED]: TEAM }));
  const granted = await soon("it is Healthy", async () => (await statusOf(argo, "shop")) === "Healthy Synced");
  await until("the copy is there", () => holdsPassword(kubectl, "ledger", TEAM, PASSWORD), PATIENCE);
  return `${sentence} (${refused} after the commit); Healthy ${granted} after the owner's commit`;
}

/** Waits, and tells how long it took. */
async function soon(what: string, ask: () => Promise<boolean>): Promise<string> {
  const start = performance.now();
  await until(what, ask, PATIENCE);
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

async function statusOf(argo: ArgoCd, name: string): Promise<string> {
  const application = await argo.get(name);
  return [at(application, "status.health.status"), at(application, "status.sync.status")].join(" ");
}

/** All that was composed for the claim, with its UIDs: deleted and made anew would be another. */
async function composedOf({ kubectl }: Rig): Promise<readonly string[]> {
  const [xr] = await kubectl.list("xshops");
  const label = "metadata.labels[crossplane.io/composite]";
  const kinds = ["objects.kubernetes.crossplane.io", "configmaps", "environmentconfigs.apiextensions.crossplane.io"];
  const all = (await Promise.all(kinds.map((kind) => kubectl.list(kind)))).flat();
  const composed = all.filter((each) => at(each, label) === nameOf(xr ?? {}));
  const secret = await kubectl.get("secret/ledger", TEAM);
  return [xr, secret, ...composed].map((each) => `${at(each, "kind")} ${at(each, "metadata.uid")}`);
}

async function prunes(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const argo = await argoCdOf(rig);
  const before = await composedOf(rig);
  if (before.length < 4 || before.join().includes("undefined")) throw new Error(`composed: ${before.join()}`);
  await argo.commit("shop", claim);
  await until("it is pruned", async () => (await kubectl.get("configmap/extra", TEAM)) === undefined, PATIENCE);
  // What is pruned is gone before the sync has ended.
  const isOver = async () => at(await argo.get("shop"), "status.history[1]") !== undefined;
  const isHealthy = async () => (await isOver()) && (await statusOf(argo, "shop")) === "Healthy Synced";
  await until("it is Healthy again", isHealthy, PATIENCE);
  const after = await composedOf(rig);
  if (after.join() !== before.join()) throw new Error(`${before.join()}, and after: ${after.join()}`);
  const syncs = [await argo.get("shop"), await argo.get("ledger")].map((application) => {
    const history = at(application, "status.history");
    return Array.isArray(history) && isSynced(application) ? history.length : -1;
  });
  // One for each commit: what Crossplane and this function write is no difference that self-healing would undo.
  if (syncs.join() !== "2,2") throw new Error(`syncs of shop and ledger: ${syncs.join()}`);
  return `${after.length} objects stayed: ${after.map((each) => each.split(" ")[0]).join(", ")}; a sync for each commit`;
}

const elder = { apiVersion: VERSION, kind: "XCrate", metadata: { name: "elder" }, spec: { resource: "crate" } };

const mapping = {
  apiVersion: INPUT_API_VERSION,
  kind: "IdentityMapping",
  mappings: [
    {
      apiGroup: GROUP,
      kind: "XCrate",
      resources: [
        {
          apiGroup: "kubernetes.crossplane.io",
          kind: "Object",
          manifest: { apiVersion: "v1", kind: "ConfigMap", namespace: CLOUD, name: "{spec.resource}" },
        },
      ],
    },
  ],
};

const deployed = (file: string): string => fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url));

/** The ConfigMap's data in a chart: the claims come from the template that the chart renders for the sync, too. */
const DATA = `data:
  mapping.yaml: |
    {{- .Files.Get "mapping.yaml" | nindent 4 }}
  claims.yaml: |
    {{- include "claims" . | nindent 4 }}
`;

const XR = `apiVersion: ${VERSION}
kind: XCrate
metadata:
  name: newcomer
spec:
  resource: {{ .Values.resource }}
`;

/** A chart with the hooks as shipped, but for the ConfigMap's data and a wait that ends soon. */
const chartFor = (resource: string): Readonly<Record<string, string>> => ({
  "Chart.yaml": stringify({ apiVersion: "v2", name: "crates", version: "0.1.0" }),
  "values.yaml": stringify({ resource }),
  "mapping.yaml": stringify(mapping),
  "templates/_claims.tpl": `{{- define "claims" -}}\n${XR}{{- end }}\n`,
  "templates/claims.yaml": '{{ include "claims" . }}\n',
  "templates/preflight.yaml": readFileSync(deployed("preflight/argocd.yaml"), "utf8")
    .replace("--wait=2m", "--wait=1s")
    .replace(/^data:\n[\s\S]*?(?=^---$)/m, DATA),
});

async function preflights(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const argo = await argoCdOf(rig);
  const tag = ours("tag", { tags: { add: [{ key: "team", value: "a" }] } });
  await kubectl.apply(namespaceOf(CLOUD), definitionOf({ kind: "XCrate", spec: { resource: { type: "string" } } }));
  await kubectl.applyFile(deployed("registry/rbac.yaml"));
  await kubectl.established(`xrd/xcrates.${GROUP}`);
  await kubectl.apply(compositionOf("XCrate", [object({}), tag, autoReady]), elder);
  const owned = async () =>
    (await runCommand("registry", ["list", "-o", "json", "--kubeconfig", rig.kubeconfig])).stdout;
  await until("elder owns it", async () => (await owned()).includes(`"owner": "XCrate.${GROUP}/elder",`), PATIENCE);

  const end = new AbortController();
  const kubelet = runPods(rig, end.signal);
  const phaseOf = async () => at(await argo.get("crates"), "status.operationState.phase");
  await argo.commitFiles("crates", chartFor("crate"));
  await until("the sync fails", async () => (await phaseOf()) === "Failed", PATIENCE);
  if (await kubectl.get("xcrate/newcomer")) throw new Error("the XR was applied in spite of the conflict");
  await argo.commitFiles("crates", chartFor("crate-2"));
  await until("the sync succeeds", async () => (await phaseOf()) === "Succeeded", PATIENCE);
  if (!(await kubectl.get("xcrate/newcomer"))) throw new Error("the XR was not applied");
  end.abort();
  const said = await kubelet;
  if (said.length !== 2 || !said[0]?.includes("is owned by XCrate.platform.example.org/elder"))
    throw new Error(`the Jobs said: ${said.join("; ")}`);
  const rendered = at(await argo.get("crates"), "status.sourceType");
  if (rendered !== "Helm") throw new Error(`rendered by ${String(rendered)}`);
  await argo.stop();
  return `${said[0].replace(/^.*(?=claims)/, "").replace(/ \(objects.*\)/, "")}; corrected: synced`;
}

const JOB = "orders-preflight";

/** Plays kubelet for the Job's pods. @returns the line that each printed. */
async function runPods(rig: Rig, end: AbortSignal): Promise<readonly string[]> {
  const said: string[] = [];
  while (!end.aborted) {
    const pods = await rig.kubectl.list("pods", NAMESPACE);
    const pending = pods.filter((pod) => nameOf(pod).startsWith(JOB) && at(pod, "status.phase") === "Pending");
    for (const pod of pending) said.push(await runPod(rig, pod));
    await sleep(300);
  }
  return said;
}

/** Runs our program with the container's arguments and files, as its ServiceAccount, and reports its exit code. */
async function runPod(rig: Rig, pod: JsonObject): Promise<string> {
  const { kubectl } = rig;
  const folder = join(rig.directory, nameOf(pod));
  mkdirSync(folder);
  const files = at(await kubectl.get(`configmap/${JOB}`, NAMESPACE), "data") as Readonly<Record<string, string>>;
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const [command = "", ...args] = at(pod, "spec.containers[0].args") as readonly string[];
  const kubeconfig = await kubeconfigOf(String(at(pod, "spec.serviceAccountName")), rig);
  const here = args.map((arg) => arg.replace("/preflight/", `${folder}/`));
  const { exitCode, stdout, stderr } = await runCommand(command, [...here, `--kubeconfig=${kubeconfig}`]);
  const container = { name: "preflight", image: "image", imageID: "", ready: false, restartCount: 0 };
  const status = {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [{ ...container, state: { terminated: { exitCode } } }],
  };
  await kubectl.patch(`pod/${nameOf(pod)}`, { status }, { namespace: NAMESPACE, subresource: "status" });
  return (stdout || stderr).trim();
}
