import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inputOf, shared, xr } from "../../testing/builders/sharing.ts";
import { bundled, serving } from "../../testing/servers/process.ts";
import { toolOrSkip } from "../../testing/tools/server-tools.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";
import { encodeRequest } from "../../testing/wire/oracle.ts";
import { stateOf, v2Request } from "../../testing/wire/plain.ts";

const client = toolOrSkip("grpc-drain") ?? "";
const program = bundled("function");

const CALLS_AT_A_TIME = 20;

/** An encoded request of 660 KB, like an XR's of a hundred composed resources. */
const largeRequest = encodeRequest({
  ...v2Request(inputOf({ sharedResources: [shared()] }), stateOf(xr())),
  context: { "example.org/large": "x".repeat(660_000) },
});

/** The calls of a client until it was told to stop. */
type Calls = { readonly calls: number; readonly failures: readonly string[] };

/**
 * Starts to call both ports with grpc-go and its defaults, as Crossplane does, which cannot send a lost call of more than 256 KB again.
 * Resolves when both are being called, with how to stop.
 */
async function startCalling(ports: readonly number[]): Promise<() => Promise<Calls>> {
  const request = join(temporaryFolder(), "request");
  writeFileSync(request, largeRequest);
  const targets = ports.map((port) => `127.0.0.1:${port}`).join(",");
  const args = [`-targets=${targets}`, `-request=${request}`, `-concurrency=${CALLS_AT_A_TIME}`];
  const child = spawn(client, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  while (!printed.includes("calling\n")) await once(child.stdout, "data");
  return async () => {
    child.stdin.end();
    await once(child, "close");
    return JSON.parse(printed.replace("calling\n", "")) as Calls;
  };
}

/** The runs to make, which DRAIN_RUNS sets: `DRAIN_RUNS=20 npx vitest run test/server/drain`. */
const runs = Array.from({ length: Number(process.env["DRAIN_RUNS"] ?? 2) }, (_, run) => run + 1);

test.skipIf(client === "").each(runs)(
  `no call of grpc-go fails when one of two replicas is ended with ${CALLS_AT_A_TIME} large calls in flight (%i)`,
  { timeout: 120_000 },
  async () => {
    const [leaving, staying] = await Promise.all([serving(program), serving(program)]);
    const stopCalling = await startCalling([leaving.port, staying.port]);

    leaving.process.kill("SIGTERM"); // as Kubernetes ends a pod
    const { exitCode, stderr } = await leaving.ended;
    const { calls, failures } = await stopCalling();

    expect({ exitCode, failures }).toEqual({ exitCode: 0, failures: [] });
    expect(stderr).not.toContain("connections are cut off: they were still open after --shutdown-grace-period");
    expect(calls).toBeGreaterThan(2 * CALLS_AT_A_TIME);
  },
);
