import { moduleOf } from "../../scripts/tools/catalogue.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { type Cloud, type ServedCloud, serveCloud } from "./cloud.ts";
import type { ControlPlane } from "./control-plane.ts";
import { roleFor } from "./crossplane-rights.ts";
import { pathOf } from "./kubectl.ts";
import { type Part, startPart } from "./process.ts";

const NAME = "upjet-provider";

export const UPJET_GROUP = "upjet.example.org";
/** The group of the namespaced kinds. */
export const UPJET_NAMESPACED_GROUP = "upjet.m.example.org";
const GROUPS = [UPJET_GROUP, UPJET_NAMESPACED_GROUP];

/** tools/upjet-provider: the runtime of the Upbound providers, with a cloud of ours. */
export interface UpjetProvider {
  readonly cloud: Cloud;
  /** Settles when it ends without having been told to. */
  readonly crashed: Promise<string>;
  /** Kills it and starts it anew, as when its node is lost: what it had in memory only is gone. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws {Error} where the rig has none. */
export function upjetOf({ upjet }: { readonly upjet: UpjetProvider | undefined }): UpjetProvider {
  if (upjet === undefined) throw new Error(`cannot find ${NAME}: the rig was started without it`);
  return upjet;
}

/** Starts it and its cloud, unless that is there already. It observes every second, so that scenarios need not wait. */
export async function startUpjetProvider(
  directory: string,
  { kubectl, kubeconfig }: ControlPlane,
  served?: ServedCloud,
): Promise<UpjetProvider> {
  await kubectl.applyFile(`${moduleOf(NAME)}/crds`);
  await kubectl.apply(roleFor(NAME, GROUPS));
  const kinds = ["attachments", "clusters", "buckets", "databases", "roles"];
  await kubectl.established(...GROUPS.flatMap((group) => kinds.map((kind) => `crd/${kind}.${group}`)));
  const { cloud, url, stop: stopCloud } = served ?? (await serveCloud());
  const probe = await freePort();
  let reportCrash: (words: string) => void = () => {};
  const crashed = new Promise<string>((resolve) => {
    reportCrash = resolve;
  });
  const start = async (): Promise<Part> => {
    const started = await startPart({
      name: NAME,
      command: pathOf(NAME),
      args: [`--cloud=${url}`, "--poll=1s", `--health-probe-bind-address=127.0.0.1:${probe}`],
      env: { KUBECONFIG: kubeconfig },
      directory,
      isReady: async () => (await fetch(`http://127.0.0.1:${probe}/readyz`)).ok,
    });
    started.crashed.then(reportCrash, () => {});
    return started;
  };
  let part = await start();
  return {
    cloud,
    crashed,
    restart: async () => {
      await part.stop("SIGKILL");
      part = await start();
    },
    stop: async () => {
      await part.stop();
      if (served === undefined) stopCloud();
    },
  };
}
