import { describe, expect, test } from "vitest";
import { serveTestService } from "../../testing/conformance/test-service.ts";
import { run, toolOrSkip } from "../../testing/tools/server-tools.ts";

/** gRPC's own interoperability tests, by grpc-go's client: https://github.com/grpc/grpc/blob/master/doc/interop-test-descriptions.md */

const client = toolOrSkip("grpc-interop") ?? "";
const gzipClient = toolOrSkip("grpc-interop-gzip") ?? "";

const passed = { exitCode: 0, stdout: "", stderr: expect.any(String) };

describe.skipIf(client === "")("grpc-go's interop client finds that our server passes", () => {
  test.each([
    "empty_unary",
    "large_unary",
    "client_streaming",
    "server_streaming",
    "ping_pong",
    "empty_stream",
    "timeout_on_sleeping_server",
    "cancel_after_begin",
    "cancel_after_first_response",
    "status_code_and_message",
    "special_status_message",
    "unimplemented_method",
    "unimplemented_service",
    "custom_metadata",
    "pick_first_unary",
  ])("%s", async (name) => {
    const port = await serveTestService();
    const args = ["--server_host=127.0.0.1", `--server_port=${port}`, `--test_case=${name}`];
    expect(await run(client, args)).toEqual(passed);
  });

  test.each(["rpc_soak", "channel_soak"])("%s, with twenty large calls", async (name) => {
    const port = await serveTestService();
    const args = ["--server_host=127.0.0.1", `--server_port=${port}`, `--test_case=${name}`, "--soak_iterations=20"];
    expect((await run(client, args)).exitCode).toBe(0);
  });
});

test.skipIf(gzipClient === "")("grpc-go's interop cases pass where every request is compressed by gzip", async () => {
  expect(await run(gzipClient, [`127.0.0.1:${await serveTestService()}`])).toEqual(passed);
});
