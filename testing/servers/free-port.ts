import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";

/** Lets a server listen on a free port of loopback, for the caller to close. */
export async function takePort(server: Server = createServer()) {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** Finds a port on loopback that is free now. */
export async function freePort(): Promise<number> {
  const { server, port } = await takePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Tells whether something accepts connections on a port of loopback. */
export async function isServing(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
