import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Takes a port on loopback, for the caller to close. */
export async function takePort(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("cannot find a free port");
  return { server, port: address.port };
}

/** Finds a port on loopback that is free now. */
export async function freePort(): Promise<number> {
  const { server, port } = await takePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
