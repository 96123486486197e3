import { rmSync } from "node:fs";
import { join } from "node:path";
import { APP, type Architecture, ENTRYPOINT, LICENSE, PORTS, type Target, USER, VERSION } from "./layout.ts";
import { makeLocalBase } from "./local-base.ts";
import type { Origin } from "./origin.ts";
import type { Registry } from "./registry.ts";
import { archive, crane } from "./run.ts";

/** Where layers come from and the image goes to. */
export interface ImageOptions {
  /** An image, or `local` for one made on the spot. */
  readonly base: string;
  readonly architecture: Architecture;
  readonly target: Target;
  /** The folder that `bundle` wrote. */
  readonly app: string;
  /** Where layers and the image are written. */
  readonly folder: string;
  readonly registry: Registry;
  readonly origin: Origin;
}

/** Makes an image by crane, without a daemon. @returns the file, as `docker save` writes one. */
export async function makeImage(options: ImageOptions): Promise<string> {
  const { base, architecture, target, app, folder, registry, origin } = options;
  const reference = `${registry.address}/${target}:${architecture}`;
  const platform = `linux/${architecture}`;
  const layer = join(folder, `${target}-app-${architecture}.tar`);
  await archive(app, layer, APP);
  const { append, labels } =
    base === "local"
      ? { append: ["--new_layer", await baseLayer(architecture, folder)], labels: [] }
      : await pinned(base, platform);
  await crane("append", ...append, "--new_layer", layer, "--new_tag", reference);

  const settings = [
    ["--entrypoint", ENTRYPOINT.join(",")],
    ["--user", USER],
    ["--workdir", APP],
    ...(target === "function" ? [["--exposed-ports", PORTS.join(",")]] : []),
    ["--env", "NODE_ENV=production"],
    ...[...labelsOf(origin), ...labels].map((label) => ["--label", `org.opencontainers.image.${label}`]),
    ["--set-platform", platform],
    ["--tag", reference],
  ];
  await crane("mutate", reference, ...settings.flat());
  const image = join(folder, `${target}-${architecture}.tar`);
  await crane("pull", reference, image);
  return image;
}

const labelsOf = (origin: Origin): readonly string[] =>
  Object.entries({ version: VERSION, licenses: LICENSE, ...origin }).map(([name, value]) => `${name}=${value}`);

/** The base by its digest: a tag may be moved, and the image's labels are to stay true. */
async function pinned(base: string, platform: string) {
  const digest = await crane("digest", base);
  const [repository = ""] = base.replace(/:[^:/@]+(?=@|$)/, "").split("@");
  return {
    append: ["--base", `${repository}@${digest}`, "--platform", platform],
    labels: [`base.name=${base}`, `base.digest=${digest}`],
  };
}

async function baseLayer(architecture: Architecture, folder: string): Promise<string> {
  const layer = join(folder, `base-${architecture}.tar`);
  const root = join(folder, `base-${architecture}`);
  await makeLocalBase(architecture, root);
  await archive(root, layer);
  rmSync(root, { recursive: true });
  return layer;
}
