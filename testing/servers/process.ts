import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, onTestFinished } from "vitest";
import { bundle } from "../../scripts/package/bundle.ts";
import { isObject, parseJson } from "../../src/model/json.ts";

let folder: string | undefined;
let program: Promise<string> | undefined;

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

/** Bundles the program, as the image has it, once for a file of tests. @returns its path. */
async function bundleProgram(): Promise<string> {
  folder = mkdtempSync(join(tmpdir(), "program-"));
  await bundle(folder);
  return join(folder, "dist/main.cjs");
}

/** The function in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  readonly metricsPort: number;
  /** Its log's messages so far. */
  readonly messages: readonly string[];
  /** As Kubernetes ends a pod; resolves with the exit code. */
  terminate(): Promise<number>;
}

/** Starts what the image runs, without TLS on free ports; it ends with the test. */
export async function startServer(...flags: readonly string[]): Promise<ServerProcess> {
  const addresses = ["--insecure", "--address=127.0.0.1:0", "--metrics-address=127.0.0.1:0"];
  program ??= bundleProgram();
  const child = spawn(process.execPath, [await program, ...addresses, ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: string[] = [];
  const serving = new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      // Node's own words, such as those of a crash, are no JSON.
      const fields = parseJson(line);
      messages.push(isObject(fields) ? String(fields["message"]) : line);
      if (isObject(fields) && fields["message"] === "serving") resolve(fields);
    });
    child.once("exit", () => reject(new Error(`the server ended: ${messages.join("; ")}`)));
  });
  const portIn = (address: unknown): number => Number(String(address).split(":").at(-1));
  const { address, metricsAddress } = await serving;
  const terminate = async (): Promise<number> => {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    return Number(code);
  };
  return { port: portIn(address), metricsPort: portIn(metricsAddress), messages, terminate };
}
