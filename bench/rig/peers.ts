import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { peersFolder } from "./peers-folder.ts";

const source = new URL("../peers/", import.meta.url);
const files = ["package.json", "package-lock.json"];

/** Installs the packages of bench/peers/package.json, unless they are installed. The function does not depend on them. */
export function installPeers(): void {
  if (files.every((file) => isCurrent(file)) && existsSync(new URL("node_modules", peersFolder))) return;
  mkdirSync(peersFolder, { recursive: true });
  for (const file of files) copyFileSync(new URL(file, source), new URL(file, peersFolder));
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: fileURLToPath(peersFolder),
    stdio: "inherit",
  });
}

const isCurrent = (file: string): boolean =>
  existsSync(new URL(file, peersFolder)) &&
  readFileSync(new URL(file, peersFolder)).equals(readFileSync(new URL(file, source)));
