import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { packageRoot } from "../../src/package.ts";
import { until } from "./loopback.ts";

/** The function as a process of its own. */
interface Program {
  readonly process: ChildProcess;
  readonly ended: Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  /** Its standard error so far. */
  readonly stderr: () => string;
}

/** Starts the program; it ends with the test. */
export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, ["--import", "tsx", "src/main.ts", ...args], {
    cwd: packageRoot,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const ended = once(child, "close").then(([exitCode]) => ({ exitCode, ...output }));
  return { process: child, ended, stderr: () => output.stderr };
}

/** Starts the program without TLS on a free port of this machine and without metrics, and waits until it serves. */
export async function serving(args: readonly string[] = []): Promise<Program & { port: number }> {
  const program = start(["--insecure", "--address=127.0.0.1:0", "--metrics-address=", ...args]);
  await until(() => program.stderr().includes('"message":"serving"'));
  const port = /"address":"127\.0\.0\.1:(\d+)"/.exec(program.stderr())?.[1];
  return { ...program, port: Number(port) };
}
