import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { processIo } from "../../src/programs/process.ts";
import { PLATFORM, registered } from "../../testing/builders/registered.ts";
import { kindOf, startApiServer } from "../../testing/servers/api-server.ts";

const kinds = [kindOf("s3.aws.upbound.io", "Bucket")];
const objects = [registered({ bucket: "orders", owner: `${PLATFORM}/team-a/orders` })];

function run(program: string, args: readonly string[], stdin: string): Promise<{ code: number | null; out: string }> {
  const main = fileURLToPath(new URL(`../../src/programs/${program}/main.ts`, import.meta.url));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--import", "tsx", main, ...args]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
    });
    child.once("close", (code) => resolve({ code, out }));
    child.stdin.end(stdin);
  });
}

test.each([
  { program: "registry", args: ["who-owns", "bucket", "orders"], stdin: "", code: 0 },
  { program: "registry", args: ["who-owns", "bucket", "nothing"], stdin: "", code: 1 },
  {
    program: "preflight",
    args: ["-"],
    stdin: JSON.stringify({
      ...objects[0],
      metadata: { name: "x", annotations: { "crossplane.io/external-name": "orders" } },
    }),
    code: 1,
  },
  { program: "admission", args: ["--tls-certs-dir=/nowhere"], stdin: "", code: 2 },
])("$program $args ends with exit code $code", async ({ program, args, stdin, code }) => {
  const { kubeconfig } = await startApiServer({ kinds, objects });
  const ran = await run(program, [...args, `--kubeconfig=${kubeconfig}`], stdin);
  expect(ran.code).toBe(code);
  if (program === "preflight") expect(ran.out).toContain("is owned by");
});

const streams = () => {
  const written: string[] = [];
  const ended: number[] = [];
  const stream = Object.assign(new EventEmitter(), { isTTY: true, write: (text: string) => written.push(text) > 0 });
  const io = processIo({
    stdin: Readable.from(["a: ", "1\n"]),
    stdout: stream,
    stderr: stream,
    exit: (code?: number) => {
      ended.push(code ?? 0);
      return undefined as never;
    },
  } as unknown as Parameters<typeof processIo>[0]);
  return { io, stream, written, ended };
};

test("writes, reads and watches by the process' streams", async () => {
  const { io, written } = streams();
  io.out("one");
  io.err("two");
  expect([written, io.isWatched, await io.readStdin()]).toEqual([["one", "two"], true, "a: 1\n"]);
});

test("ends quietly where nobody reads any more, and not where something else is wrong", () => {
  const { stream, ended } = streams();
  stream.emit("error", Object.assign(new Error("gone"), { code: "EPIPE" }));
  expect(ended).toEqual([0]);
  expect(() => stream.emit("error", Object.assign(new Error("full"), { code: "ENOSPC" }))).toThrow("full");
});
