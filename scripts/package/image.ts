import { join } from "node:path";
import { APP, type Architecture, ENTRYPOINT, PORTS, USER, VERSION } from "./layout.ts";
import { makeLocalBase } from "./local-base.ts";
import type { Registry } from "./registry.ts";
import { archive, crane } from "./run.ts";

/** Where layers come from and the image goes to. */
export interface ImageOptions {
  /** An image, or `local` for one made on the spot. */
  readonly base: string;
  readonly architecture: Architecture;
  /** What `bundle` wrote. */
  readonly app: string;
  /** Where layers and the image are written. */
  readonly folder: string;
  readonly registry: Registry;
}

/** Makes the runtime image by crane, without a daemon. @returns the file, as `docker save` writes one. */
export async function makeImage({ base, architecture, app, folder, registry }: ImageOptions): Promise<string> {
  const reference = `${registry.address}/runtime:${architecture}`;
  const platform = `linux/${architecture}`;
  const layer = join(folder, `app-${architecture}.tar`);
  await archive(app, layer, APP);
  const below =
    base === "local"
      ? ["--new_layer", await baseLayer(architecture, folder)]
      : ["--base", base, "--platform", platform, "--set-base-image-annotations"];
  await crane("append", ...below, "--new_layer", layer, "--new_tag", reference);

  const settings = [
    ["--entrypoint", ENTRYPOINT.join(",")],
    ["--user", USER],
    ["--workdir", APP],
    ["--exposed-ports", PORTS.join(",")],
    ["--env", "NODE_ENV=production"],
    ["--label", `org.opencontainers.image.version=${VERSION}`],
    ["--set-platform", platform],
    ["--tag", reference],
  ];
  await crane("mutate", reference, ...settings.flat());
  const image = join(folder, `runtime-${architecture}.tar`);
  await crane("pull", reference, image);
  return image;
}

async function baseLayer(architecture: Architecture, folder: string): Promise<string> {
  const layer = join(folder, `base-${architecture}.tar`);
  await archive(await makeLocalBase(architecture), layer);
  return layer;
}
