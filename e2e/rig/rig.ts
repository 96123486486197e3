import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type Crossplane, startCrossplane, type Version } from "./crossplane.ts";
import { type RunningFunction, registerFunction, startFunction } from "./function.ts";
import { type Moto, startMoto } from "./moto.ts";
import { AUTO_READY, PATCH_AND_TRANSFORM, startOtherFunction } from "./other-function.ts";
import type { Part } from "./process.ts";
import { startProviderAws } from "./provider-aws.ts";
import { startProviderKubernetes } from "./provider-kubernetes.ts";
import { startUpjetProvider, type UpjetProvider } from "./upjet-provider.ts";

/** A real control plane with the function in it. */
export interface Rig extends ControlPlane {
  readonly version: Version;
  /** Logs, certificates and data of all parts. */
  readonly directory: string;
  readonly crossplane: Crossplane;
  /** True if `source: InjectedIdentity` works in a ProviderConfig. */
  readonly providerHasIdentity: boolean;
  /** Where the cloud is AWS. */
  readonly moto: Moto | undefined;
  readonly upjet: UpjetProvider;
  /** The function as it runs now. */
  function: RunningFunction;
  /** Settles when a part ends that nobody told to: with which one it was, and its last words. */
  readonly crashed: Promise<string>;
  stop(): Promise<void>;
}

/** Where managed resources are written: by provider-kubernetes into the rig's own API server, or by provider-aws into moto. */
export const clouds = ["Kubernetes", "AWS"] as const;
export type Cloud = (typeof clouds)[number];

interface RigOptions {
  readonly cloud?: Cloud;
  /** Default: a new folder for temporary files. */
  readonly directory?: string;
}

/** Starts all parts, each on ports of its own. What was started is stopped where a later part does not start. */
export async function startRig(
  version: Version,
  { cloud = "Kubernetes", directory = mkdtempSync(join(tmpdir(), `e2e-${version}-`)) }: RigOptions = {},
): Promise<Rig> {
  const parts: Part[] = [];
  const ends: (() => Promise<void>)[] = [];
  const keep = (part: Part): Part => {
    parts.push(part);
    ends.push(() => part.stop());
    return part;
  };
  const stop = async (): Promise<void> => {
    for (const end of ends.reverse()) await end();
  };
  let rig: Rig | undefined;
  try {
    const plane = await startControlPlane(directory, keep);
    const running = await startFunction(directory, plane.authority);
    ends.push(() => (rig?.function ?? running).part.stop());
    const crossplane = await startCrossplane(version, directory, plane);
    keep(crossplane);
    const provider = await startProvider(cloud, directory, plane, keep);
    const upjet = await startUpjetProvider(directory, plane);
    ends.push(upjet.stop);
    await registerFunction(plane.kubectl, `dns:///127.0.0.1:${running.port}`);
    for (const name of [PATCH_AND_TRANSFORM, AUTO_READY] as const) {
      const other = await startOtherFunction(name, directory, plane.authority);
      keep(other.part);
      await registerFunction(plane.kubectl, `dns:///127.0.0.1:${other.port}`, name);
    }
    rig = {
      ...plane,
      version,
      directory,
      crossplane,
      ...provider,
      upjet,
      function: running,
      crashed: Promise.race([running.part, upjet, ...parts].map((part) => part.crashed)),
      stop,
    };
    return rig;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startProvider(
  cloud: Cloud,
  directory: string,
  plane: ControlPlane,
  keep: (part: Part) => void,
): Promise<Pick<Rig, "moto" | "providerHasIdentity">> {
  if (cloud === "Kubernetes") {
    const { part, hasIdentity } = await startProviderKubernetes(directory, plane);
    keep(part);
    return { moto: undefined, providerHasIdentity: hasIdentity };
  }
  const moto = await startMoto(directory);
  keep(moto.part);
  keep(await startProviderAws(directory, plane, moto.url));
  return { moto, providerHasIdentity: false };
}
