import { once } from "node:events";
import { createServer } from "node:net";

/** Finds a port on loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("cannot find a free port");
  return address.port;
}
