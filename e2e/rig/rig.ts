import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolName } from "../../scripts/tools/catalogue.ts";
import type { ServedCloud } from "./cloud.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type Crossplane, startCrossplane, type Version } from "./crossplane.ts";
import { startGrantingXrds } from "./crossplane-rights.ts";
import { type RunningFunction, registerFunction, startFunction } from "./function.ts";
import { type Moto, startMoto } from "./moto.ts";
import { type OtherFunction, startOtherFunction } from "./other-function.ts";
import { assertIsFree } from "./ports.ts";
import type { Part } from "./process.ts";
import { METRICS, startProviderAws } from "./provider-aws.ts";
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
  /** The cloud of provider-aws. */
  readonly moto: Moto | undefined;
  readonly upjet: UpjetProvider | undefined;
  /** The function as it runs now. */
  function: RunningFunction;
  /** Settles when a part ends that nobody told to: with which one it was, and its last words. */
  readonly crashed: Promise<string>;
  stop(): Promise<void>;
}

/** provider-kubernetes writes into the rig's own API server, provider-aws into moto. */
export const providers = ["provider-kubernetes", "provider-aws", "upjet-provider"] as const;
export type Provider = (typeof providers)[number];

/** The parts that differ from rig to rig. Each has etcd, the API server with its controllers, Crossplane and the function. */
export interface RigOptions {
  readonly version: Version;
  readonly providers: readonly Provider[];
  /** The steps of others that Compositions name. */
  readonly functions: readonly OtherFunction[];
  /** Default: a new folder for temporary files. */
  readonly directory?: string;
  /** Flags of Crossplane's core beside the rig's own. */
  readonly crossplaneFlags?: readonly string[];
  /** The interval at which provider-kubernetes looks at each of its objects. Default: a second, so that scenarios need not wait. */
  readonly poll?: string;
  /** The cloud of the upjet provider, where it outlives the rig. */
  readonly cloud?: ServedCloud;
}

/** The programs that `startRig` starts, and kubectl, with which it sets them up. They have to be built first. */
export const programsOf = ({ version, providers, functions }: RigOptions): readonly ToolName[] => [
  ...(["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const),
  `crossplane-core-${version}`,
  ...providers,
  ...(providers.includes("provider-aws") ? (["moto"] as const) : []),
  ...functions,
];

type Keep = <T extends Pick<Part, "crashed" | "stop">>(part: T) => T;

/** Starts all parts, each on ports of its own. What was started is stopped where a later part does not start. */
export async function startRig(options: RigOptions): Promise<Rig> {
  if (options.providers.includes("provider-aws")) await assertIsFree(METRICS, "provider-aws");
  const { version, functions, directory = mkdtempSync(join(tmpdir(), `e2e-${version}-`)) } = options;
  const crashes: Promise<string>[] = [];
  const ends: (() => Promise<void>)[] = [];
  const keep: Keep = (part) => {
    crashes.push(part.crashed);
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
    crashes.push(running.part.crashed);
    ends.push(() => (rig?.function ?? running).part.stop());
    const crossplane = keep(await startCrossplane(version, directory, plane, options.crossplaneFlags));
    ends.push(startGrantingXrds(plane.kubectl));
    const started = await startProviders(options, directory, plane, keep);
    await registerFunction(plane.kubectl, `dns:///127.0.0.1:${running.port}`);
    for (const name of functions) {
      const { part, port } = await startOtherFunction(name, directory, plane.authority);
      keep(part);
      await registerFunction(plane.kubectl, `dns:///127.0.0.1:${port}`, name);
    }
    const crashed = Promise.race(crashes);
    rig = { ...plane, version, directory, crossplane, ...started, function: running, crashed, stop };
    return rig;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startProviders(
  { providers: names, poll, cloud }: RigOptions,
  directory: string,
  plane: ControlPlane,
  keep: Keep,
): Promise<Pick<Rig, "moto" | "providerHasIdentity" | "upjet">> {
  const has = (name: Provider): boolean => names.includes(name);
  const kubernetes = has("provider-kubernetes") ? await startProviderKubernetes(directory, plane, poll) : undefined;
  if (kubernetes) keep(kubernetes.part);
  const moto = has("provider-aws") ? await startMoto(directory) : undefined;
  if (moto) {
    keep(moto.part);
    keep(await startProviderAws(directory, plane, moto.url));
  }
  const upjet = has("upjet-provider") ? keep(await startUpjetProvider(directory, plane, cloud)) : undefined;
  return { moto, providerHasIdentity: kubernetes?.hasIdentity ?? false, upjet };
}
