import { fileURLToPath } from "node:url";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { packageRoot } from "../../src/package.ts";

/**
 * Loads the RunFunction method of `proto/v1`, with the codecs of @grpc/proto-loader, for Crossplane's side of the wire. Its messages are
 * those of `protocol.ts`.
 */
export function loadMethod(): MethodDefinition<object, object> {
  const file = fileURLToPath(new URL("proto/v1/run_function.proto", packageRoot));
  const definitions = loadSync(file, { longs: Number, enums: String, defaults: true, oneofs: true });
  const service = definitions["apiextensions.fn.proto.v1.FunctionRunnerService"];
  const method = service && "RunFunction" in service ? service["RunFunction"] : undefined;
  if (method === undefined) throw new Error(`cannot find the method RunFunction in ${file}`);
  return method;
}
