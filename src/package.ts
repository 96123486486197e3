import { existsSync, readFileSync } from "node:fs";

/** The folder of package.json and proto/, above this file, which is in src/, dist/src/ or a bundle. */
export const packageRoot = findPackageRoot(new URL(".", import.meta.url));

export function readVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8"));
  return manifest.version;
}

function findPackageRoot(folder: URL): URL {
  const above = new URL("../", folder);
  return existsSync(new URL("package.json", folder)) || above.href === folder.href ? folder : findPackageRoot(above);
}
