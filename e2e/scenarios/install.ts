import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { NAME, VERSION as PACKAGE_VERSION } from "../../scripts/package/layout.ts";
import { type Registry, startRegistry } from "../../scripts/package/registry.ts";
import { crane } from "../../scripts/package/run.ts";
import { makePackages, packageTools } from "../../scripts/package/xpkg.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { startContainer, type Unpacked, unpackImage } from "../rig/container.ts";
import { NAMESPACE } from "../rig/crossplane.ts";
import { at, conditionOf, encode, nameOf } from "../rig/objects.ts";
import { type Part, until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, pluralOf, seeker, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/** The xpkg, by the way that it takes into a cluster: registry, package manager, runtime. */

const FUNCTION = "function-installed";
/** The name that Crossplane v1 expects; v2 takes any, which its revision's status says. */
const SECRET = `${FUNCTION}-tls-server`;
/** A UID that no image knows, as OpenShift and others assign to a pod. */
const ANY_UID = "1000680000:0";

const installed = seeker("XInstalled", FUNCTION);

/** The state that the scenarios pass on to each other, for each control plane. */
interface Installation {
  readonly registry: Registry;
  readonly image: Unpacked;
  readonly address: string;
  readonly metrics: string;
}

const installations = new WeakMap<Rig, Installation>();

export const installation: Suite = {
  name: "the package",
  programs: packageTools,
  scenarios: [
    { name: "Crossplane's package manager installs the xpkg", run: installs },
    { name: "its runtime answers as the image's user, with a read-only root", run: (rig) => answers(rig, "a") },
    { name: "its runtime answers as any user", run: (rig) => answers(rig, "b", ANY_UID) },
    { name: "what was installed goes without a trace", run: uninstalls },
  ],
};

async function installs(rig: Rig): Promise<string> {
  const { kubectl, directory } = rig;
  const folder = join(directory, "package");
  const [built] = await makePackages({ base: "local", architectures: ["amd64"], folder });
  if (built === undefined) throw new Error("nothing was built");
  const registry = await startRegistry();
  const reference = `${registry.address}/example/${NAME}:${PACKAGE_VERSION}`;
  await crane("push", built.xpkg, reference);
  await createServerSecret(rig);
  await kubectl.apply({
    apiVersion: "pkg.crossplane.io/v1",
    kind: "Function",
    metadata: { name: FUNCTION },
    spec: { package: reference },
  });
  const [port, metricsPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const image = await unpackImage(reference, directory);
  installations.set(rig, { registry, image, address, metrics: `127.0.0.1:${metricsPort}` });
  await beRuntimeController(rig, address);

  const healthy = async () => conditionOf(await kubectl.get(`function.pkg.crossplane.io/${FUNCTION}`), "Healthy");
  await until("the Function is healthy", async () => (await healthy())?.status === "True", PATIENCE);
  await install(kubectl, [installed]);
  return `Installed and Healthy, ${Math.round(statSync(built.xpkg).size / 1e6)} MB`;
}

/** With `--package-runtime=External` somebody else runs a package's image and says where: here that is us. */
async function beRuntimeController({ kubectl }: Rig, address: string): Promise<void> {
  const revision = async () =>
    (await kubectl.list("functionrevisions.pkg.crossplane.io")).find(
      (one) => at(one, "metadata.labels[pkg.crossplane.io/package]") === FUNCTION,
    );
  await until("the Function has a revision", async () => (await revision()) !== undefined, PATIENCE);
  const runtimeHealthy = {
    type: "RuntimeHealthy",
    status: "True",
    reason: "HealthyPackageRevision",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const found = (await revision()) ?? {};
  const conditions = [...asList(at(found, "status.conditions")), runtimeHealthy];
  const status = { endpoint: `dns:///${address}`, tlsServerSecretName: SECRET, conditions };
  await kubectl.patch(`functionrevision.pkg.crossplane.io/${nameOf(found)}`, { status }, { subresource: "status" });
}

/** From which Crossplane takes the CA for conversion webhooks of a package's CRDs, whether there are any or not. */
async function createServerSecret({ kubectl, authority }: Rig): Promise<void> {
  await kubectl.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: NAMESPACE, name: SECRET },
    data: {
      "tls.crt": encode(authority.certificate),
      "tls.key": encode(authority.key),
      "ca.crt": encode(authority.certificate),
    },
  });
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

async function answers(rig: Rig, xr: string, user?: string): Promise<string> {
  const { kubectl } = rig;
  const { image } = installationOf(rig);
  const part = await run(rig, user);
  await kubectl.apply({ apiVersion: VERSION, kind: installed.kind, metadata: { name: xr }, spec: {} });
  const target = `${pluralOf(installed.kind)}.${GROUP}/${xr}`;
  const condition = async () => conditionOf(await kubectl.get(target), "SharedResourcesReady");
  await until(`XR ${xr} is answered`, async () => (await condition())?.reason === "NotFound", PATIENCE);
  await part.stop();
  return `${String((await condition())?.message)} (UID ${(user ?? image.config.User).split(":")[0]})`;
}

function run(rig: Rig, user?: string): Promise<Part> {
  const { image, address, metrics } = installationOf(rig);
  return startContainer({
    name: FUNCTION,
    image,
    ...(user !== undefined && { user }),
    args: [`--address=${address}`, `--metrics-address=${metrics}`],
    certsDir: rig.function.certsDir,
    directory: rig.directory,
    isReady: async () => (await fetch(`http://${metrics}/metrics`)).ok,
  });
}

function installationOf(rig: Rig): Installation {
  const found = installations.get(rig);
  if (found === undefined) throw new Error("nothing was installed");
  return found;
}

async function uninstalls(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.run("delete", `${pluralOf(installed.kind)}.${GROUP}`, "--all", "--wait=false");
  await kubectl.run("delete", `function.pkg.crossplane.io/${FUNCTION}`, "--wait=false");
  const revisions = async () =>
    (await kubectl.list("functionrevisions.pkg.crossplane.io")).filter((one) => nameOf(one).startsWith(FUNCTION));
  await until("its revisions are gone", async () => (await revisions()).length === 0, PATIENCE);
  const { registry, image } = installationOf(rig);
  registry.stop();
  for (const large of [image.root, join(rig.directory, "package")]) rmSync(large, { recursive: true });
  return "Function and revisions deleted";
}
