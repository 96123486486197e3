import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runFunction } from "../../src/run-function.ts";
import { serveLoopback, serveMutualTls } from "../../testing/servers/loopback.ts";
import { run, toolOrSkip } from "../../testing/tools/server-tools.ts";

const grpcurl = toolOrSkip("grpcurl") ?? "";
const probe = toolOrSkip("grpc-health-probe") ?? "";

const SERVICE = "apiextensions.fn.proto.v1.FunctionRunnerService";

/** A server with mTLS, and the files that a client of it has. */
async function serveWithFiles() {
  const { target, certsDir, identity } = await serveMutualTls({}, { runFunction });
  const [cert, key] = [join(certsDir, "client.crt"), join(certsDir, "client.key")];
  writeFileSync(cert, identity.cert);
  writeFileSync(key, identity.key);
  return { target, ca: join(certsDir, "ca.crt"), cert, key };
}

describe.skipIf(grpcurl === "")("grpcurl", () => {
  test.each(["v1", "v1beta1"])(
    "finds by reflection what a %s request is made of, down to Google's messages",
    async (v) => {
      const { target } = await serveLoopback();
      const symbols = [`apiextensions.fn.proto.${v}.RunFunctionRequest`, "google.protobuf.Struct"];
      const describeSymbol = (symbol: string) => run(grpcurl, ["-plaintext", target, "describe", symbol]);
      const [request, struct] = await Promise.all(symbols.map(describeSymbol));
      expect(request?.stdout).toContain(`map<string, .apiextensions.fn.proto.${v}.Resources> required_resources = 8;`);
      expect(struct?.stdout).toContain("map<string, .google.protobuf.Value> fields = 1;");
    },
  );

  test.each(["v1", "v1beta1"])("calls %s over mTLS, in JSON", async (version) => {
    const { target, ca, cert, key } = await serveWithFiles();
    const method = `apiextensions.fn.proto.${version}.FunctionRunnerService/RunFunction`;
    const files = ["-cacert", ca, "-cert", cert, "-key", key];
    const { stdout, exitCode } = await run(grpcurl, [...files, "-d", "@", target, method], '{"meta": {"tag": "mine"}}');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ meta: { tag: "mine" } });
  });
});

describe.skipIf(probe === "")("grpc-health-probe", () => {
  test.each(["", SERVICE, SERVICE.replace("v1", "v1beta1")])("finds %j serving, over mTLS", async (service) => {
    const { target, ca, cert, key } = await serveWithFiles();
    const files = [`-tls-ca-cert=${ca}`, `-tls-client-cert=${cert}`, `-tls-client-key=${key}`];
    const { exitCode, stderr } = await run(probe, [`-addr=${target}`, "-tls", ...files, `-service=${service}`]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "status: SERVING\n" });
  });
});
