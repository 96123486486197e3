import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileOf } from "./examples.ts";

/** Where functions listen, as host:port, by the Function's name. */
export type Targets = Readonly<Record<string, string>>;

/** Does the work with a copy of the example's functions file that names the targets: v1.20 has no flag for it. */
export async function withFunctions<T>(
  example: string,
  targets: Targets,
  work: (functions: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "render-"));
  try {
    return await work(writeFunctions(example, targets, directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function writeFunctions(example: string, targets: Targets, directory: string): string {
  const file = join(directory, "functions.yaml");
  const text = readFileSync(fileOf(example, "functions.yaml"), "utf8");
  const documents = text.split("---\n").map((document) => {
    const target = targets[/^ {2}name: (.*)$/m.exec(document)?.[1] ?? ""] ?? "";
    return document.replace(/(runtime-development-target:) .*/, `$1 ${target}`);
  });
  writeFileSync(file, documents.join("---\n"));
  return file;
}
