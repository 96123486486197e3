import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { makeImage } from "./image.ts";
import { type Architecture, inRepository, NAME, VERSION } from "./layout.ts";
import { startRegistry } from "./registry.ts";
import { pathOf, run } from "./run.ts";

/** The files that were built for one architecture. */
export interface Built {
  readonly architecture: Architecture;
  /** The runtime image, as `docker save` writes one. */
  readonly image: string;
  /** The package, with that image in it. */
  readonly xpkg: string;
}

export interface PackageOptions {
  /** The runtime's base image, or `local`. */
  readonly base: string;
  readonly architectures: readonly Architecture[];
  /** Where everything is written; what was there before goes. */
  readonly folder: string;
}

/** Builds the runtime images and the packages. */
export async function makePackages({ base, architectures, folder }: PackageOptions): Promise<readonly Built[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const app = join(folder, "function");
  await bundle(app);
  const staged = stage(join(folder, "package"));
  const registry = await startRegistry();
  try {
    const built: Built[] = [];
    for (const architecture of architectures) {
      const image = await makeImage({ base, architecture, app, folder, registry });
      built.push({ architecture, image, xpkg: await makeXpkg(staged, architecture, image, folder) });
    }
    return built;
  } finally {
    registry.stop();
  }
}

/** `crossplane xpkg build` takes every YAML file below its root: the root holds what belongs into the package and no more. */
function stage(folder: string): string {
  mkdirSync(join(folder, "input"), { recursive: true });
  cpSync(inRepository("crossplane.yaml"), join(folder, "crossplane.yaml"));
  for (const file of readdirSync(inRepository("package/input")).filter((name) => name.endsWith(".yaml"))) {
    cpSync(inRepository(`package/input/${file}`), join(folder, "input", file));
  }
  return folder;
}

async function makeXpkg(staged: string, architecture: Architecture, image: string, folder: string): Promise<string> {
  const xpkg = join(folder, `${NAME}-${VERSION}-${architecture}.xpkg`);
  const flags = [`--package-root=${staged}`, `--embed-runtime-image-tarball=${image}`, `--package-file=${xpkg}`];
  await run(pathOf("crossplane-v2.5"), ["xpkg", "build", ...flags], { cwd: folder });
  return xpkg;
}
