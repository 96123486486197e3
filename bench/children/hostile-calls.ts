import { readFileSync } from "node:fs";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { V1 } from "../../testing/servers/frames.ts";

// `hostile-calls.ts ADDRESS REQUEST`: sends one request, over one connection and one call at a time, until it is killed.

const [, , address = "", file = ""] = process.argv;
const request = readFileSync(file);
const client = new Client(address, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
const same = (bytes: Buffer): Buffer => bytes;
const call = (): void => {
  client.makeUnaryRequest(V1, same, same, request, new Metadata(), {}, call);
};
call();
