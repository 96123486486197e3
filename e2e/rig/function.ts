import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Kubectl } from "./kubectl.ts";
import { type Part, startPart } from "./process.ts";

export const FUNCTION = "function-shared-infrastructure";

const main = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));

/** The function as Crossplane would run it: a process that serves over mTLS. */
export interface RunningFunction {
  readonly part: Part;
  readonly certsDir: string;
  readonly port: number;
  /** The URL of its metrics. */
  readonly metrics: string;
}

export interface FunctionOptions {
  /** The name that its certificate is for. */
  readonly name?: string;
  /** Of its log, and of the folder with its certificate, where several have one name. */
  readonly part?: string;
  readonly host?: string;
  /** One that is free where it is not said. */
  readonly port?: number;
}

export async function startFunction(
  directory: string,
  authority: Identity,
  { name = FUNCTION, part: partName = name, host = "127.0.0.1", port }: FunctionOptions = {},
): Promise<RunningFunction> {
  const certsDir = join(directory, "certificates", partName);
  mkdirSync(certsDir, { recursive: true });
  writeCertificates(certsDir, authority, issue(authority, name));
  const address = port ?? (await freePort());
  const metricsAddress = `127.0.0.1:${await freePort()}`;
  const metrics = `http://${metricsAddress}/metrics`;
  const part = await startPart({
    name: partName,
    command: process.execPath,
    args: [main, "--debug", `--address=${host}:${address}`, `--metrics-address=${metricsAddress}`],
    env: { TLS_SERVER_CERTS_DIR: certsDir },
    directory,
    isReady: async () => (await fetch(metrics)).ok,
  });
  return { part, certsDir, port: address, metrics };
}

/** Counts the calls that are in its log. */
export const countCalls = ({ part }: RunningFunction): number =>
  readFileSync(part.log, "utf8").split("ran function").length - 1;

/**
 * Tells Crossplane where a function is, without a package: a Function and its revision, both paused so that the package
 * manager leaves them alone.
 *
 * @param endpoint what grpc-go dials
 */
export async function registerFunction(kubectl: Kubectl, endpoint: string, name = FUNCTION): Promise<void> {
  const paused = { "crossplane.io/paused": "true" };
  const image = `xpkg.example.org/${name}:v0.0.0`;
  const revision = `${name}-1`;
  await kubectl.apply(
    {
      apiVersion: "pkg.crossplane.io/v1",
      kind: "Function",
      metadata: { name, annotations: paused },
      spec: { package: image },
    },
    {
      apiVersion: "pkg.crossplane.io/v1",
      kind: "FunctionRevision",
      metadata: { name: revision, annotations: paused, labels: { "pkg.crossplane.io/package": name } },
      spec: { image, desiredState: "Active", revision: 1, packagePullPolicy: "IfNotPresent" },
    },
  );
  const status = { endpoint, capabilities: ["composition", "operation"] };
  await kubectl.patch(`functionrevision/${revision}`, { status }, { subresource: "status" });
}

/** Runs a scenario with a function of its own, whose calls can be counted: no other suite's XRs go there. */
export async function withFunction<T>(
  { directory, authority, kubectl }: Pick<ControlPlane, "authority" | "kubectl"> & { readonly directory: string },
  name: string,
  scenario: (running: RunningFunction) => Promise<T>,
): Promise<T> {
  const running = await startFunction(directory, authority, { name });
  try {
    await registerFunction(kubectl, `dns:///127.0.0.1:${running.port}`, name);
    return await scenario(running);
  } finally {
    await running.part.stop();
  }
}
