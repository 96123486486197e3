import { describe, expect, onTestFinished, test } from "vitest";
import { takePort } from "../testing/servers/free-port.ts";
import { connectHttp2, endOf, frame, openStream, roundTrip } from "../testing/servers/http2.ts";
import { call, until } from "../testing/servers/loopback.ts";
import { bundled, serving, start } from "../testing/servers/process.ts";

const program = bundled("function");

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
    expect(await start(program, []).ended).toEqual({ exitCode: 1, stdout: "", stderr });
  });

  test("on an address that is taken", async () => {
    const { server, port } = await takePort();
    onTestFinished(() => void server.close());
    const address = `127.0.0.1:${port}`;
    const { exitCode, stderr } = await start(program, ["--insecure", `--address=${address}`, "--metrics-address="])
      .ended;
    expect(stderr).toContain(`cannot listen for gRPC at ${address}: listen EADDRINUSE`);
    expect(exitCode).toBe(1);
  });
});

test("the program prints its help", async () => {
  const stdout = expect.stringContaining("env: TLS_SERVER_CERTS_DIR");
  expect(await start(program, ["--help"]).ended).toEqual({ exitCode: 0, stdout, stderr: "" });
});

describe("signals", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("%s ends it with exit code 0", async (signal) => {
    const running = await serving(program);
    expect((await call(`127.0.0.1:${running.port}`, Buffer.alloc(0))).code).toBe("OK");
    running.process.kill(signal);
    expect((await running.ended).exitCode).toBe(0);
  });

  test("a call in flight is finished first", async () => {
    const running = await serving(program);
    const { stream, rest } = await callHalf(running.port);
    running.process.kill("SIGTERM");
    await until(() => running.stderr().includes("shutting down"));
    stream.end(rest);
    expect((await endOf(stream)).status).toBe("0");
    expect((await running.ended).exitCode).toBe(0);
  });

  test("a second one does not wait for it", async () => {
    const running = await serving(program, ["--shutdown-grace-period=1h"]);
    const { stream } = await callHalf(running.port);
    const cut = endOf(stream);
    running.process.kill("SIGTERM");
    await until(() => running.stderr().includes("shutting down"));
    running.process.kill("SIGINT");
    expect((await cut).status).toBeUndefined();
    await running.ended;
  });
});
