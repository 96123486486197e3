import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { packageRoot, readVersion } from "../src/package.ts";
import { frame } from "../testing/servers/frames.ts";
import { takePort } from "../testing/servers/free-port.ts";
import { connectHttp2, endOf, openStream, roundTrip } from "../testing/servers/http2.ts";
import { call, until } from "../testing/servers/loopback.ts";

/** The program as a process of its own. */
interface Program {
  readonly process: ChildProcess;
  readonly ended: Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  /** Its standard error so far. */
  readonly stderr: () => string;
}

const loopback = ["--address=127.0.0.1:0", "--metrics-address="];

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
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

/** Starts the program and waits until it serves. */
async function serving(args: readonly string[]): Promise<Program & { port: number }> {
  const program = start(["--insecure", ...loopback, ...args]);
  await until(() => program.stderr().includes('"message":"serving"'));
  const port = /"address":"127\.0\.0\.1:(\d+)"/.exec(program.stderr())?.[1];
  return { ...program, port: Number(port) };
}

/** A call of which only the half is sent. */
async function callHalf(port: number) {
  const session = await connectHttp2(`http://127.0.0.1:${port}`);
  const stream = openStream(session);
  const message = frame(Buffer.alloc(0));
  stream.write(message.subarray(0, 2));
  await roundTrip(session);
  return { stream, rest: message.subarray(2) };
}

describe("the program cannot start: exit code 1, and why on standard error", () => {
  test.each<{ reason: string; args: readonly string[]; env?: Record<string, string>; stderr: RegExp }>([
    { reason: "without certificates", args: [], stderr: /--tls-certs-dir: no directory of certificates; give one/ },
    { reason: "with a flag that there is not", args: ["--insecure", "--colour"], stderr: /--colour: unknown flag/ },
    {
      reason: "with a folder of certificates that is not there",
      args: loopback,
      env: { TLS_SERVER_CERTS_DIR: "/nonexistent" },
      stderr: /cannot use the certificates in \/nonexistent.+\n {2}tls\.crt: cannot be read: ENOENT/,
    },
  ])("the program does not start $reason", async ({ args, env = {}, stderr }) => {
    expect(await start(args, env).ended).toEqual({ exitCode: 1, stdout: "", stderr: expect.stringMatching(stderr) });
  });

  test("on an address that is taken", async () => {
    const { server, port } = await takePort();
    onTestFinished(() => void server.close());
    const address = `127.0.0.1:${port}`;
    const { exitCode, stderr } = await start(["--insecure", `--address=${address}`, "--metrics-address="]).ended;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(`cannot listen for gRPC at ${address}: listen EADDRINUSE`),
    });
  });
});

describe("the program answers", () => {
  test.each([
    { args: ["--version"], stdout: `${readVersion()}\n` },
    { args: ["--help"], stdout: expect.stringContaining("environment TLS_SERVER_CERTS_DIR") },
  ])("the program answers $args", async ({ args, stdout }) => {
    expect(await start(args).ended).toEqual({ exitCode: 0, stdout, stderr: "" });
  });
});

describe("signals", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("%s ends it with exit code 0", async (signal) => {
    const program = await serving([]);
    expect((await call(`127.0.0.1:${program.port}`, Buffer.alloc(0))).code).toBe("OK");
    program.process.kill(signal);
    expect((await program.ended).exitCode).toBe(0);
  });

  test("a call in flight is finished first", async () => {
    const program = await serving([]);
    const { stream, rest } = await callHalf(program.port);
    program.process.kill("SIGTERM");
    await until(() => program.stderr().includes("shutting down"));
    stream.end(rest);
    expect((await endOf(stream)).status).toBe("0");
    expect((await program.ended).exitCode).toBe(0);
  });

  test("a second one does not wait for it", async () => {
    const program = await serving(["--shutdown-grace-period=1h"]);
    const { stream } = await callHalf(program.port);
    const cut = endOf(stream);
    program.process.kill("SIGTERM");
    await until(() => program.stderr().includes("shutting down"));
    program.process.kill("SIGINT");
    expect((await cut).status).toBeUndefined();
    await program.ended;
  });
});
