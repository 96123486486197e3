import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { preface } from "./frames.ts";

/** Opens an HTTP/2 connection for frames in bytes, until the test ends. */
export async function connectRaw(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").resume();
  socket.on("error", () => {}); // tests look at how they are cut off
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(preface());
  return socket;
}
