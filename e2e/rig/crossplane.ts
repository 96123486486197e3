import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { sourceOf, type ToolName } from "../../scripts/tools/catalogue.ts";
import { issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import type { ControlPlane } from "./control-plane.ts";
import { grantRights } from "./crossplane-rights.ts";
import { pathOf } from "./kubectl.ts";
import { type Part, startPart, until } from "./process.ts";

export const NAMESPACE = "crossplane-system";

/** The Crossplanes that scenarios run on. */
export const versions = ["v1.20", "v2.3", "v2.4"] as const;
export type Version = (typeof versions)[number];
export const isV2 = (version: Version): boolean => version !== "v1.20";

export interface Crossplane extends Part {
  /** The URL of its metrics. */
  readonly metrics: string;
  /** Kills it, and starts it anew after `meanwhile`, with nothing of what it had in memory. */
  restart(meanwhile: () => Promise<unknown>): Promise<void>;
}

/** Crossplane's core, which calls functions over mTLS with a certificate of the rig's authority. */
export async function startCrossplane(
  version: Version,
  directory: string,
  plane: ControlPlane,
  flags: readonly string[] = [],
): Promise<Crossplane> {
  const name: ToolName = `crossplane-core-${version}`;
  const certs = join(directory, "crossplane");
  mkdirSync(join(directory, "xpkg"), { recursive: true });
  mkdirSync(certs, { recursive: true });
  writeCertificates(certs, plane.authority, issue(plane.authority, "crossplane"));

  const module = `github.com/crossplane/crossplane${isV2(version) ? "/v2" : ""}`;
  const source = sourceOf(name, module);
  await grantRights(plane.kubectl, source);
  const env = { KUBECONFIG: plane.crossplaneKubeconfig, POD_NAMESPACE: NAMESPACE, POD_SERVICE_ACCOUNT: "crossplane" };
  await plane.kubectl.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  await initialize(version, name, plane, env, source);

  const [metrics, probe, webhooks] = [await freePort(), await freePort(), await freePort()];
  const options = {
    name,
    command: pathOf(name),
    args: [
      ...["core", "start", "--debug", "-n", NAMESPACE, "--package-runtime=External"],
      ...["--enable-webhooks=true", `--webhook-port=${webhooks}`, `--tls-server-certs-dir=${certs}`],
      ...(isV2(version) ? ["--enable-operations"] : []),
      `--tls-client-certs-dir=${certs}`,
      `--xpkg-cache-dir=${join(directory, "xpkg")}`,
      `--metrics-port=${metrics}`,
      `--health-probe-port=${probe}`,
      ...flags,
    ],
    env,
    directory,
    isReady: async () => (await plane.kubectl.list("crd")).length > 0,
  };
  let part = await startPart(options);
  await plane.kubectl.apply(usageWebhook(source, webhooks, plane));
  return {
    ...part,
    metrics: `http://127.0.0.1:${metrics}/metrics`,
    restart: async (meanwhile) => {
      await part.stop("SIGKILL");
      await meanwhile();
      part = await startPart(options);
    },
    stop: (signal) => part.stop(signal),
  };
}

/** Crossplane's webhook that refuses to delete what a Usage protects, by its URL in place of a Service: there are no pods. */
function usageWebhook(source: string, port: number, { authority }: ControlPlane): object {
  const file = join(source, "cluster", "webhookconfigurations", "usage.yaml");
  const { webhooks, ...configuration } = parse(readFileSync(file, "utf8")) as { webhooks: readonly object[] };
  const clientConfig = {
    url: `https://127.0.0.1:${port}/validate-no-usages`,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
  };
  return { ...configuration, webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig })) };
}

/** v1.20 reads its CRDs from a folder of its image and has no flag for another. */
async function initialize(
  version: Version,
  name: ToolName,
  { kubectl }: ControlPlane,
  env: NodeJS.ProcessEnv,
  source: string,
): Promise<void> {
  const crds = join(source, "cluster", "crds");
  if (!isV2(version)) {
    await kubectl.applyFile(crds);
    const lock = { apiVersion: "pkg.crossplane.io/v1beta1", kind: "Lock", metadata: { name: "lock" } };
    await initialized(() => kubectl.apply(lock));
    return;
  }
  const args = ["core", "init", "-n", NAMESPACE, `--cr-ds-path=${crds}`, "--enable-webhooks=false"];
  const secrets = { ca: "crossplane-root-ca", server: "crossplane-tls-server", client: "crossplane-tls-client" };
  for (const [kind, secret] of Object.entries(secrets))
    args.push(`--tls${kind === "ca" ? "ca" : `-${kind}`}-secret-name=${secret}`);
  await initialized(() => promisify(execFile)(pathOf(name), args, { env: { ...process.env, ...env } }));
}

/** "no matches for kind Lock" at first: in a cluster its pod would be started again. */
const initialized = (work: () => Promise<unknown>): Promise<void> =>
  until("Crossplane is initialized", () => work().then(() => true), { timeoutMs: 30_000 });
