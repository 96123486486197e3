import { FunctionError } from "../../src/errors.ts";
import { runFunction } from "../../src/run-function.ts";
import { toRun } from "../run.ts";
import { callFunction } from "./call-function.ts";
import { loadCodec } from "./codec.ts";
import { renderCommand } from "./command.ts";
import { renderDocuments } from "./documents.ts";
import { explain, RenderError } from "./error.ts";
import { readInputs } from "./inputs.ts";
import { readOptions } from "./options.ts";
import type { CallFunction } from "./pipeline.ts";
import { toYamlStream } from "./yaml.ts";

/** `render`: plays Crossplane's part for one XR. */
export const run = toRun(
  renderCommand,
  async (line, host) => {
    const options = readOptions(line);
    const documents = await renderDocuments(readInputs(options), toCaller(options.timeoutMs), options);
    host.print(toYamlStream(documents));
    return 0;
  },
  (error) => (error instanceof RenderError || error instanceof FunctionError ? explain(error) : undefined),
);

/** Runs this function in the process, over the same bytes as on the wire, and calls others. */
function toCaller(timeoutMs: number): CallFunction {
  const { encodeRequest, decodeResponse } = loadCodec();
  const deadline = Date.now() + timeoutMs;
  return async (runtime, request) => {
    const bytes = encodeRequest(request);
    return decodeResponse(
      runtime.is === "embedded" ? runFunction(bytes).response : await callFunction(runtime.target, bytes, deadline),
    );
  };
}
