import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeAll, onTestFinished } from "vitest";
import { bundle } from "../../scripts/package/bundle.ts";
import type { Target } from "../../scripts/package/layout.ts";
import { sharedFolder } from "../tools/temporary-folder.ts";
import { until } from "./loopback.ts";

/** The function as a process of its own. */
interface Program {
  readonly process: ChildProcess;
  readonly ended: Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  /** Its standard error so far. */
  readonly stderr: () => string;
}

/**
 * Bundles a program as the image has it, for all tests of the file that calls this: tsx would translate it anew at each start, which takes
 * ten times as long.
 *
 * @returns the file to run, which is there before the first test.
 */
export function bundled(target: Target): string {
  const folder = sharedFolder();
  beforeAll(async () => void (await bundle(folder, target)));
  return join(folder, "dist/main.cjs");
}

/** Starts the bundled function; it ends with the test. */
export function start(file: string, args: readonly string[]): Program {
  const env = { PATH: process.env["PATH"] };
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const ended = once(child, "close").then(([exitCode]) => ({ exitCode, ...output }));
  return { process: child, ended, stderr: () => output.stderr };
}

/** Starts it without TLS on a free port of this machine and without metrics, and waits until it serves. */
export async function serving(file: string, args: readonly string[] = []): Promise<Program & { port: number }> {
  const program = start(file, ["--insecure", "--address=127.0.0.1:0", "--metrics-address=", ...args]);
  await until(() => program.stderr().includes('"message":"serving"'));
  const port = /"address":"127\.0\.0\.1:(\d+)"/.exec(program.stderr())?.[1];
  return { ...program, port: Number(port) };
}
