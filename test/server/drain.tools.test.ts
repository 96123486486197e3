import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import {
  CALLS_AT_A_TIME,
  type Calls,
  drainRuns,
  expectNoCallLost,
  largeRequest,
  type StartCalling,
} from "../../testing/servers/replicas.ts";
import { toolOrSkip } from "../../testing/tools/server-tools.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

const client = toolOrSkip("grpc-drain") ?? "";

/** Calls with grpc-go and its defaults, as Crossplane does: what it loses of a call of more than 256 KB it cannot send again. */
const callWithGrpcGo: StartCalling = async (ports) => {
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
};

test.skipIf(client === "").each(drainRuns)(
  `no call of grpc-go fails when one of two replicas is ended with ${CALLS_AT_A_TIME} large calls in flight (%i)`,
  { timeout: 120_000 },
  () => expectNoCallLost(callWithGrpcGo),
);
