import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type Crossplane, startCrossplane, type Version } from "./crossplane.ts";
import { type RunningFunction, registerFunction, startFunction } from "./function.ts";
import type { Part } from "./process.ts";
import { startProviderKubernetes } from "./provider-kubernetes.ts";
import { STATIC_FUNCTION, startStaticFunction } from "./static-function.ts";

/** A real control plane with the function in it. */
export interface Rig extends ControlPlane {
  readonly version: Version;
  /** Logs, certificates and data of all parts. */
  readonly directory: string;
  readonly crossplane: Crossplane;
  /** The function as it runs now. */
  function: RunningFunction;
  /** Settles when a part ends that nobody told to: with which one it was, and its last words. */
  readonly crashed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts all parts, each on ports of its own. What was started is stopped where a later part does not start. */
export async function startRig(version: Version): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), `e2e-${version}-`));
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
    keep(await startProviderKubernetes(directory, plane));
    await registerFunction(plane.kubectl, `dns:///127.0.0.1:${running.port}`);
    const composer = await startStaticFunction(directory, plane.authority);
    ends.push(() => composer.stop());
    await registerFunction(plane.kubectl, `dns:///127.0.0.1:${composer.port}`, STATIC_FUNCTION);
    rig = {
      ...plane,
      version,
      directory,
      crossplane,
      function: running,
      crashed: Promise.race([running.part, ...parts].map((part) => part.crashed)),
      stop,
    };
    return rig;
  } catch (error) {
    await stop();
    throw error;
  }
}
