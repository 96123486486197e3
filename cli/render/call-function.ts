import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { RenderError } from "./error.ts";

const path = (version: string): string => `/apiextensions.fn.proto.${version}.FunctionRunnerService/RunFunction`;

/**
 * Calls a function over gRPC without TLS, as Crossplane's CLI does: waits until it listens, and falls
 * back to v1beta1 if it does not implement v1.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go RuntimeFunctionRunner.
 *
 * @param deadline in milliseconds since the epoch.
 * @throws {RenderError} with the code and the message of a call that failed.
 */
export async function callFunction(target: string, request: Buffer, deadline: number): Promise<Buffer> {
  const client = new Client(target, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
  try {
    return await call(client, path("v1"), request, deadline).catch((error: ServiceError) => {
      if (error.code !== status.UNIMPLEMENTED) throw error;
      return call(client, path("v1beta1"), request, deadline);
    });
  } catch (cause) {
    throw new RenderError(`cannot call the function at ${target}`, { cause });
  } finally {
    client.close();
  }
}

const call = (client: Client, method: string, request: Buffer, deadline: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const same = (bytes: Buffer): Buffer => bytes;
    const metadata = new Metadata({ waitForReady: true });
    client.makeUnaryRequest(method, same, same, request, metadata, { deadline }, (error, response) => {
      if (error) reject(error);
      else resolve(response ?? Buffer.alloc(0));
    });
  });
