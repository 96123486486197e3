import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { invalidInput, whileDoing } from "../files.ts";
import type { FunctionManifest, Step } from "./inputs.ts";

/** A Function's runtime: this process, or a server that is called at `target`. */
export type Runtime = { readonly is: "embedded" } | { readonly is: "development"; readonly target: string };

const OURS = "function-shared-infrastructure";
const RUNTIME = "render.crossplane.io/runtime";
const TARGET = "render.crossplane.io/runtime-development-target";
/** Crossplane's own default. */
const DEFAULT_TARGET = "localhost:9443";

/**
 * Finds the runtime of a step's Function. A Function may have any name, so its package tells whether it is this function: the last part
 * before tag and digest, in any registry. Others are called as `crossplane render` calls those with the runtime Development.
 *
 * @throws {FunctionError} naming the step, the Function and what to do about it.
 */
export function findRuntime({ step, functionRef: { name } }: Step, functions: readonly FunctionManifest[]): Runtime {
  const fail = (reason: string) => invalidInput(`cannot run pipeline step ${JSON.stringify(step)}: ${reason}`);
  const quoted = JSON.stringify(name);
  const found = functions.find((manifest) => manifest.name === name);
  if (found === undefined) throw fail(`unknown Function ${quoted} - does it exist in your Functions file?`);
  if (toRepository(found.package) === OURS) return { is: "embedded" };

  const { [RUNTIME]: runtime, [TARGET]: target } = found.annotations;
  if (runtime === "Development") return { is: "development", target: target || DEFAULT_TARGET };
  throw fail(
    `Function ${quoted} is not ${OURS} (its package is ${JSON.stringify(found.package)}), and its runtime is not Development: run ` +
      `the function with --insecure, and annotate the Function with ${RUNTIME}: Development and ${TARGET}: HOST:PORT; or use ` +
      '"crossplane render", which runs it in Docker',
  );
}

/** Reads `NAME` of `registry.example.org:5000/mirror/NAME:v1@sha256:…`. */
const toRepository = (name: string): string | undefined => /(?:^|\/)([^/:@]+)(?::[^/@]*)?(?:@[^/]*)?$/.exec(name)?.[1];

/**
 * Calls a function over gRPC without TLS, as Crossplane's CLI does: fails at once where none listens, and falls back to v1beta1, the
 * only protocol of functions such as function-patch-and-transform v0.5.
 *
 * @param deadline in milliseconds since the epoch.
 * @throws {FunctionError} with the code and the message of a call that failed.
 */
export function callFunction(target: string, request: Buffer, deadline: number): Promise<Buffer> {
  const client = new Client(target, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
  const same = (bytes: Buffer): Buffer => bytes;
  const call = (version: "v1" | "v1beta1"): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const method = `/apiextensions.fn.proto.${version}.FunctionRunnerService/RunFunction`;
      client.makeUnaryRequest(method, same, same, request, new Metadata(), { deadline }, (error, response) =>
        error ? reject(error) : resolve(response ?? Buffer.alloc(0)),
      );
    });
  const answer = call("v1").catch((error: ServiceError) => {
    if (error.code === status.UNIMPLEMENTED) return call("v1beta1");
    if (error.code !== status.UNAVAILABLE) throw error;
    const reason = error.message.replace(/\. Resolution note:\s*$/, "");
    throw new Error(`${reason}; start it there, with --insecure, or change its Function's annotation ${TARGET}`);
  });
  return whileDoing(`cannot call the function at ${target}`, () => answer).finally(() => client.close());
}
