import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startCrossplane, type Version } from "./crossplane.ts";
import { type RunningFunction, registerFunction, startFunction } from "./function.ts";
import { startProviderKubernetes } from "./provider-kubernetes.ts";
import { STATIC_FUNCTION, startStaticFunction } from "./static-function.ts";

/** A real control plane with the function in it. */
export interface Rig extends ControlPlane {
  readonly version: Version;
  /** Logs, certificates and data of all parts. */
  readonly directory: string;
  /** The function as it runs now. */
  function: RunningFunction;
  stop(): Promise<void>;
}

/** Starts all parts, each on ports of its own. What was started is stopped where a later part does not start. */
export async function startRig(version: Version): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), `e2e-${version}-`));
  const parts: { stop(): Promise<void> }[] = [];
  const keep = <T extends { stop(): Promise<void> }>(part: T): T => {
    parts.push(part);
    return part;
  };
  const stop = async (): Promise<void> => {
    for (const part of parts.reverse()) await part.stop();
  };
  try {
    const plane = await startControlPlane(directory, keep);
    const running = await startFunction(directory, plane.authority);
    keep(await startCrossplane(version, directory, plane));
    keep(await startProviderKubernetes(directory, plane));
    await registerFunction(plane.kubectl, running.port);
    const composer = keep(await startStaticFunction(directory, plane.authority));
    await registerFunction(plane.kubectl, composer.port, STATIC_FUNCTION);
    const rig: Rig = {
      ...plane,
      version,
      directory,
      function: running,
      stop: () => rig.function.part.stop().then(stop),
    };
    return rig;
  } catch (error) {
    await stop();
    throw error;
  }
}
