import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { toHost } from "../../cli/host.ts";
import { externallyNamed, withMetadata } from "../../testing/builders/composed.ts";
import { OWNER, registered } from "../../testing/builders/registered.ts";
import { kindOf, startApiServer } from "../../testing/servers/api-server.ts";
import { bundled } from "../../testing/servers/process.ts";
import { run } from "../../testing/tools/server-tools.ts";

const kinds = [kindOf("s3.aws.upbound.io", "Bucket")];
const bucket = registered({ bucket: "orders", owner: OWNER });

const manual = withMetadata(externallyNamed("orders"), { name: "x" });

const program = bundled("cli");

test.each([
  { args: ["registry", "who-owns", "bucket", "orders"], code: 0, says: "team-a/orders" },
  { args: ["registry", "who-owns", "bucket", "nothing"], code: 1 },
  { args: ["preflight", "-"], stdin: JSON.stringify({ ...bucket, ...manual }), code: 1, says: "is owned by" },
  { args: ["audit"], code: 2 },
])("the process of $args ends with exit code $code", async ({ args, stdin = "", code, says = "" }) => {
  const { kubeconfig } = await startApiServer({ kinds, objects: [bucket] });
  const { exitCode, stdout } = await run(process.execPath, [program, ...args, `--kubeconfig=${kubeconfig}`], stdin);
  expect([exitCode, stdout]).toEqual([code, expect.stringContaining(says)]);
});

const fakeProcess = () => {
  const ended: number[] = [];
  const stream = Object.assign(new EventEmitter(), { write: () => true });
  const signals = new EventEmitter();
  const host = toHost({
    stdout: stream,
    stderr: stream,
    once: (name: string, listener: () => void) => signals.once(name, listener),
    exit: (code?: number) => {
      ended.push(code ?? 0);
      return undefined as never;
    },
  } as unknown as Parameters<typeof toHost>[0]);
  return { host, stream, signals, ended };
};

test("the program ends quietly where nobody reads its output any more, and not where something else is wrong", () => {
  const { host, stream, ended } = fakeProcess();
  host.print("one");
  stream.emit("error", Object.assign(new Error("gone"), { code: "EPIPE" }));
  expect(ended).toEqual([0]);
  expect(() => stream.emit("error", Object.assign(new Error("full"), { code: "ENOSPC" }))).toThrow("full");
});

test("the next signal is told by its name", async () => {
  const { host, signals } = fakeProcess();
  const next = host.nextSignal();
  signals.emit("SIGINT");
  expect(await next).toBe("SIGINT");
});
