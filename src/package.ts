import { readFileSync } from "node:fs";

/** Where package.json and proto/ lie. This file stays one level below: in src/, in dist/ and in a bundle in dist/ alike. */
export const packageRoot = new URL("../", import.meta.url);

/** The version of this package, as in package.json; "unknown" if that holds none. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8"));
  const isObject = typeof manifest === "object" && manifest !== null;
  return isObject && "version" in manifest && typeof manifest.version === "string" ? manifest.version : "unknown";
}
