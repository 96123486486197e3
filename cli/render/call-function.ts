import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { RenderError } from "./error.ts";

const METHOD = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";

/**
 * Calls a function over gRPC without TLS, as Crossplane's CLI does: waits until it listens.
 *
 * @param deadline in milliseconds since the epoch.
 * @throws {RenderError} with the code and the message of a call that failed.
 */
export async function callFunction(target: string, request: Buffer, deadline: number): Promise<Buffer> {
  const client = new Client(target, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
  const same = (bytes: Buffer): Buffer => bytes;
  const metadata = new Metadata({ waitForReady: true });
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(METHOD, same, same, request, metadata, { deadline }, (error, response) =>
        error ? reject(error) : resolve(response ?? Buffer.alloc(0)),
      );
    });
  } catch (cause) {
    throw new RenderError(`cannot call the function at ${target}`, { cause });
  } finally {
    client.close();
  }
}
