import type { Method } from "../grpc/method.ts";

/** The same service twice: Crossplane up to v1.16 knows v1beta1 only. */
export const serviceNames = [
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
] as const;

/** The method of each, as `/package.Service/Method`. */
export const runFunctionPaths: readonly string[] = serviceNames.map((name) => `/${name}/RunFunction`);

/**
 * The methods of both services, by path.
 *
 * Services are written down in this folder and not loaded from proto/, because the protobuf library that loads them takes as long to
 * start as everything else together. A test holds them against what @grpc/proto-loader makes of the .proto files.
 */
export const functionRunner = (runFunction: Method): ReadonlyMap<string, Method> =>
  new Map(runFunctionPaths.map((path) => [path, runFunction]));
