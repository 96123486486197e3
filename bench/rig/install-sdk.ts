import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = new URL("../sdk/", import.meta.url);

/** The folder of function-sdk-typescript, apart from the function's own packages. */
export const sdkFolder = new URL("../../.cache/bench/sdk/", import.meta.url);

/** Installs function-sdk-typescript as bench/sdk/package-lock.json says, unless it is installed. */
export function installSdk(): void {
  const [wanted, installed] = [source, sdkFolder].map((folder) => new URL("package-lock.json", folder)) as [URL, URL];
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(wanted))) return;
  cpSync(source, sdkFolder, { recursive: true });
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: fileURLToPath(sdkFolder),
    stdio: "inherit",
  });
}
