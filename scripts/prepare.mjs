import { execSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";

/**
 * npm's `prepare`: builds dist/ after `npm ci` in a checkout and before `npm pack`. With `npm ci --omit=dev` there is no compiler;
 * dist/ then stays as it is. JavaScript, since it runs where no development dependency is installed.
 */
if (existsSync("node_modules/typescript")) {
  rmSync("dist", { recursive: true, force: true }); // files of sources that are gone would be packed as well
  execSync("npm run build", { stdio: "inherit" });
}
