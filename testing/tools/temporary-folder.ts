import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Makes a folder with these files, which is there until the test ends. @param files texts by path */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Writes a file that is there until the test ends. @returns its path. */
export const temporaryFile = (name: string, text: string): string => join(temporaryFolder({ [name]: text }), name);

/** Makes a folder that is there until all tests of the file or the block have ended. */
export function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tests-"));
  afterAll(() => rmSync(folder, { recursive: true }), 300_000);
  return folder;
}
