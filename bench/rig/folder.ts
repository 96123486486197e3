import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let parent: string | undefined;

/** An empty folder, there until the process ends. */
export function temporaryFolder(): string {
  parent ??= makeParent();
  return mkdtempSync(join(parent, "folder-"));
}

function makeParent(): string {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  return folder;
}
