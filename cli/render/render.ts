import { runFunction } from "../../src/run-function.ts";
import type { Host } from "../host.ts";
import { toPrintable } from "../text.ts";
import type { RenderOptions } from "./command.ts";
import { whileDoing } from "./error.ts";
import { type Files, readInputs } from "./inputs.ts";
import { toDocuments } from "./output.ts";
import { type CallFunction, runPipeline } from "./pipeline.ts";
import { loadMethod, type RunFunctionResponse } from "./protocol.ts";
import { callFunction } from "./runtime.ts";
import { toYamlStream } from "./yaml.ts";

/** Plays Crossplane's part for one XR, and prints what `crossplane render` prints. @returns the exit code. */
export async function render(files: Files, options: RenderOptions, host: Host): Promise<number> {
  const inputs = readInputs(files, options);
  const documents = await whileDoing("cannot render composite resource", async () => {
    const outcome = await runPipeline(inputs, toCaller(options.timeout, host));
    for (const warning of outcome.warnings) host.printError(`warning: ${toPrintable(warning)}\n`);
    return toDocuments(outcome, inputs, options);
  });
  host.print(toYamlStream(documents));
  return 0;
}

/** The time after which a call that waits is mentioned. */
const PATIENCE_MS = 3000;

/** Runs this function in the process, over the same bytes as on the wire, and calls others. */
function toCaller(timeoutMs: number, { printError }: Host): CallFunction {
  const { requestSerialize, responseDeserialize } = loadMethod();
  const deadline = Date.now() + timeoutMs;
  const call = (target: string, bytes: Buffer): Promise<Buffer> => {
    const say = () =>
      printError(`no answer yet from the function at ${target}: does it listen there, with --insecure?\n`);
    const timer = setTimeout(say, Math.min(PATIENCE_MS, timeoutMs / 2));
    return callFunction(target, bytes, deadline).finally(() => clearTimeout(timer));
  };
  return async (runtime, request) => {
    const bytes = requestSerialize(request);
    const response = runtime.is === "embedded" ? runFunction(bytes).response : await call(runtime.target, bytes);
    // The codec's type is `object`.
    return responseDeserialize(Buffer.from(response)) as RunFunctionResponse;
  };
}
