import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import type { JsonObject } from "../../src/model/json.ts";
import { issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { type Part, startPart, until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { kubeconfigOf } from "../rig/service-account.ts";
import { GROUP } from "./definitions.ts";
import { PATIENCE } from "./scenario.ts";
import { CLOUD, xrOf } from "./tagged.ts";

/** The admission webhook, asked by a real API server. XShelf, its mapping and the registry's ServiceAccount are there already. */

export const KIND = "objects.kubernetes.crossplane.io";
export const OWNER = `XShelf.${GROUP}/shelf-a`;

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

async function startAdmission(rig: Rig, port: number): Promise<Part> {
  const { directory, authority } = rig;
  const kubeconfig = await kubeconfigOf("shared-infrastructure-registry", rig);
  const certsDir = join(directory, "admission");
  mkdirSync(certsDir, { recursive: true });
  writeCertificates(certsDir, authority, issue(authority, "admission"));
  const metrics = await freePort();
  return startPart({
    name: "admission",
    command: process.execPath,
    args: [
      main,
      "admission",
      `--mapping=${join(directory, "mapping.json")}`,
      `--kubeconfig=${kubeconfig}`,
      `--tls-certs-dir=${certsDir}`,
      `--address=127.0.0.1:${port}`,
      `--metrics-address=127.0.0.1:${metrics}`,
    ],
    directory,
    isReady: async () => (await fetch(`http://127.0.0.1:${metrics}/readyz`)).ok,
  });
}

interface Webhook extends JsonObject {
  readonly objectSelector?: { readonly matchExpressions: readonly JsonObject[] };
}

/** The webhooks of deploy/admission, but for where they are, and what the scenario changes. */
function configurationOf(
  { port, ca }: { readonly port: number; readonly ca: string },
  changes: readonly ((deployed: Webhook) => JsonObject)[],
) {
  const file = fileURLToPath(new URL("../../deploy/admission/webhook.yaml", import.meta.url));
  const [deployed] = parseAllDocuments(readFileSync(file, "utf8")).map(
    (document) => document.toJS() as { readonly webhooks: readonly Webhook[] } & JsonObject,
  );
  const clientConfig = { url: `https://127.0.0.1:${port}/validate`, caBundle: Buffer.from(ca).toString("base64") };
  return {
    ...deployed,
    webhooks: (deployed?.webhooks ?? []).flatMap((webhook, index) => {
      const changed = changes[index]?.(webhook);
      return changed === undefined ? [] : [{ ...webhook, clientConfig, failurePolicy: "Fail", ...changed }];
    }),
  };
}

/** All that may be asked about the kind of this suite. */
const shelvesOnly = () => ({
  rules: [
    {
      apiGroups: [GROUP],
      apiVersions: ["*"],
      operations: ["CREATE", "UPDATE", "DELETE"],
      resources: ["xshelfs", "xshelfs/status"],
    },
  ],
});

/** Starts the webhook, and waits until the API server asks it. @returns a function that ends it. */
async function startAsked(
  rig: Rig,
  ...changes: readonly ((deployed: Webhook) => JsonObject)[]
): Promise<() => Promise<void>> {
  const { kubectl, authority } = rig;
  const port = await freePort();
  const admission = await startAdmission(rig, port);
  const configuration = configurationOf({ port, ca: authority.certificate }, changes);
  await kubectl.apply(configuration);
  // Until it knows of a new webhook a dry run passes, and leaves nothing behind.
  const asks = async () => (await createXr(rig, RIVAL, "--dry-run=server")) !== undefined;
  await until("the API server asks", asks, PATIENCE);
  return async () => {
    await kubectl.run("delete", `validatingwebhookconfiguration/${nameOf(configuration)}`);
    await admission.stop();
  };
}

/** Somebody else owns what it declares. */
const RIVAL = xrOf("XShelf", "shelf", "b");

/** @returns why it was denied. */
async function createXr({ kubectl }: Rig, xr: object, ...flags: readonly string[]): Promise<string | undefined> {
  return kubectl.create(xr, ...flags).then(() => undefined, String);
}

/** @returns why it was denied. */
const denialOf = ({ kubectl }: Rig, ...args: readonly string[]): Promise<string | undefined> =>
  kubectl.run(...args).then(() => undefined, String);

export async function admissionDenies(rig: Rig): Promise<string> {
  const end = await startAsked(rig, shelvesOnly);
  try {
    const message = (await createXr(rig, RIVAL)) ?? "";
    if (!message.includes(OWNER)) throw new Error(`not denied: ${message}`);

    const admitted = [
      await createXr(rig, xrOf("XShelf", "free", "b")),
      await denialOf(rig, "label", "xshelf/shelf-a", "seen=true"),
      await denialOf(rig, "annotate", "xshelf/free-b", "seen=true"),
    ];
    const renamed = await denialOf(
      rig,
      "patch",
      "xshelf/free-b",
      "--type=merge",
      "-p",
      '{"spec":{"resource":"shelf"}}',
    );
    if (renamed?.includes(OWNER) !== true) throw new Error(`a new name is not denied: ${renamed}`);
    admitted.push(await denialOf(rig, "delete", "xshelf/free-b", "--timeout=180s"));
    if (admitted.some((fault) => fault !== undefined)) throw new Error(`denied: ${admitted.join("; ")}`);
    return `denied: ${/spec\.resource: .*? \(/.exec(message)?.[0].slice(0, -2)}; admitted: the owner, another name, deletion`;
  } finally {
    await end();
  }
}

/** Neither of two managed resources has the policy Delete, and their XRs are deleted together. */
export async function leavesNothing(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const xrs = ["leak-a", "leak-b"];
  await kubectl.apply(xrOf("XShelf", "leak", "a"));
  await until("a owns it", async () => (await reasonOf(rig, "leak-a")) === "Owned", PATIENCE);
  await kubectl.apply(xrOf("XShelf", "leak", "b"));
  await until("b observes it", async () => (await reasonOf(rig, "leak-b")) === "ObservedOnly", PATIENCE);
  const left = () => objectsOf(rig, xrs);
  const mayDelete = (object: JsonObject) => /"(\*|Delete)"/.test(JSON.stringify(at(object, "spec.managementPolicies")));
  await until("none has Delete", async () => !(await left()).some(mayDelete), PATIENCE);

  // Other suites delete what they own meanwhile.
  const ours = { key: "crossplane.io/composite", operator: "In", values: xrs };
  const end = await startAsked(rig, shelvesOnly, ({ objectSelector }) => ({
    objectSelector: { matchExpressions: [...(objectSelector?.matchExpressions ?? []), ours] },
  }));
  try {
    await kubectl.run("delete", "xshelf", ...xrs, "--timeout=180s");
    await until("one Object is left", async () => (await left()).length === 1, PATIENCE);
    const [name = ""] = (await left()).map(nameOf);
    const message = (await denialOf(rig, "delete", KIND, name)) ?? "";
    if (!message.includes("the last managed resource of a cloud resource")) throw new Error(`not denied: ${message}`);
    const [, target = "", patch = ""] = /kubectl patch (\S+ \S+) --type=merge -p '(.*?)'/.exec(message) ?? [];
    await kubectl.run("patch", ...target.split(" "), "--type=merge", "-p", patch);
    await kubectl.run("delete", KIND, name, "--ignore-not-found", "--timeout=180s");
    if ((await kubectl.get("configmap/leak", CLOUD)) !== undefined) throw new Error("the ConfigMap is left behind");
    return "denied for the last Object; with the patch that the message names the ConfigMap goes with it";
  } finally {
    await end();
  }
}

async function reasonOf({ kubectl }: Rig, xr: string): Promise<string | undefined> {
  return conditionOf(await kubectl.get(`xshelf/${xr}`), "TagsOwned")?.reason;
}

async function objectsOf({ kubectl }: Rig, xrs: readonly string[]): Promise<readonly JsonObject[]> {
  const objects = await kubectl.list(KIND);
  return objects.filter((object) => xrs.includes(String(at(object, "metadata.labels[crossplane.io/composite]"))));
}
