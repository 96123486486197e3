import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import type { ToolName } from "../tools/catalogue.ts";
import { bundle } from "./bundle.ts";
import { makeImage } from "./image.ts";
import { type Architecture, inRepository, NAME, type Target, targets, VERSION } from "./layout.ts";
import { type Origin, readOrigin } from "./origin.ts";
import { startRegistry } from "./registry.ts";
import { pathOf, run } from "./run.ts";

/** The files that were built for one architecture. */
export interface Built {
  readonly architecture: Architecture;
  /** The images, as `docker save` writes one. */
  readonly images: Readonly<Record<Target, string>>;
  /** The package, with the function's image in it. */
  readonly xpkg: string;
}

export interface PackageOptions {
  /** The runtime's base image, or `local`. */
  readonly base: string;
  readonly architectures: readonly Architecture[];
  /** Where everything is written; what was there before goes. */
  readonly folder: string;
  /** Where the sources lie. By default what the environment or the checkout says. */
  readonly origin?: Origin;
}

/** The programs that `makePackages` runs. */
export const packageTools = ["crane", "crossplane-v2.5"] as const satisfies readonly ToolName[];

/** Builds the images and the packages. */
export async function makePackages(options: PackageOptions): Promise<readonly Built[]> {
  const { base, architectures, folder, origin = await readOrigin() } = options;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const target of targets) await bundle(join(folder, target), target);
  const staged = stage(join(folder, "package"), origin);
  const registry = await startRegistry();
  try {
    const built: Built[] = [];
    for (const architecture of architectures) {
      const imageOf = (target: Target): Promise<string> =>
        makeImage({ base, architecture, target, app: join(folder, target), folder, registry, origin });
      const images = { function: await imageOf("function"), cli: await imageOf("cli") };
      built.push({ architecture, images, xpkg: await makeXpkg(staged, architecture, images.function, folder) });
    }
    return built;
  } finally {
    registry.stop();
  }
}

/** `crossplane xpkg build` takes every YAML file below its root: the root holds what belongs into the package and no more. */
function stage(folder: string, { source }: Origin): string {
  mkdirSync(join(folder, "input"), { recursive: true });
  const manifest = parseDocument(readFileSync(inRepository("crossplane.yaml"), "utf8"));
  if (source !== undefined) manifest.setIn(["metadata", "annotations", "meta.crossplane.io/source"], source);
  writeFileSync(join(folder, "crossplane.yaml"), manifest.toString());
  for (const file of readdirSync(inRepository("package/input")).filter((name) => name.endsWith(".yaml"))) {
    cpSync(inRepository(`package/input/${file}`), join(folder, "input", file));
  }
  return folder;
}

async function makeXpkg(staged: string, architecture: Architecture, image: string, folder: string): Promise<string> {
  const xpkg = join(folder, `${NAME}-${VERSION}-${architecture}.xpkg`);
  const examples = `--examples-root=${inRepository("examples")}`;
  const flags = [
    `--package-root=${staged}`,
    examples,
    `--embed-runtime-image-tarball=${image}`,
    `--package-file=${xpkg}`,
  ];
  await run(pathOf("crossplane-v2.5"), ["xpkg", "build", ...flags], { cwd: folder });
  return xpkg;
}
