import { existsSync, readFileSync } from "node:fs";

/** The folder of package.json and proto/: the nearest one above this file, which lies in src/, dist/src/ or a bundle. */
export const packageRoot = findPackageRoot(new URL(".", import.meta.url));

/** The version of this package, as in package.json; "unknown" if that holds none. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8"));
  const isObject = typeof manifest === "object" && manifest !== null;
  return isObject && "version" in manifest && typeof manifest.version === "string" ? manifest.version : "unknown";
}

function findPackageRoot(folder: URL): URL {
  const above = new URL("../", folder);
  return existsSync(new URL("package.json", folder)) || above.href === folder.href ? folder : findPackageRoot(above);
}
