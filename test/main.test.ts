import { describe, expect, onTestFinished, test } from "vitest";
import { readVersion } from "../src/package.ts";
import { takePort } from "../testing/servers/free-port.ts";
import { connectHttp2, endOf, frame, openStream, roundTrip } from "../testing/servers/http2.ts";
import { call, until } from "../testing/servers/loopback.ts";
import { serving, start } from "../testing/servers/process.ts";

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
  test("without certificates", async () => {
    const stderr = expect.stringContaining("--tls-certs-dir: no directory of certificates; give one");
    expect(await start([]).ended).toEqual({ exitCode: 1, stdout: "", stderr });
  });

  test("on an address that is taken", async () => {
    const { server, port } = await takePort();
    onTestFinished(() => void server.close());
    const address = `127.0.0.1:${port}`;
    const { exitCode, stderr } = await start(["--insecure", `--address=${address}`, "--metrics-address="]).ended;
    expect(stderr).toContain(`cannot listen for gRPC at ${address}: listen EADDRINUSE`);
    expect(exitCode).toBe(1);
  });
});

test.each([
  { args: ["--version"], stdout: `${readVersion()}\n` },
  { args: ["--help"], stdout: expect.stringContaining("environment TLS_SERVER_CERTS_DIR") },
])("the program answers $args", async ({ args, stdout }) => {
  expect(await start(args).ended).toEqual({ exitCode: 0, stdout, stderr: "" });
});

describe("signals", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("%s ends it with exit code 0", async (signal) => {
    const program = await serving();
    expect((await call(`127.0.0.1:${program.port}`, Buffer.alloc(0))).code).toBe("OK");
    program.process.kill(signal);
    expect((await program.ended).exitCode).toBe(0);
  });

  test("a call in flight is finished first", async () => {
    const program = await serving();
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
