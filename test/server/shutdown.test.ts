import { once } from "node:events";
import { connect as connectSession } from "node:http2";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectHttp2, endOf, frame, openStream, roundTrip } from "../../testing/servers/http2.ts";
import { isRefused, type Loopback, serveLoopback, serveMutualTls, until } from "../../testing/servers/loopback.ts";

/** UNAVAILABLE for gRPC's clients. */
const REFUSED_STREAM = 7;

/** Begins a call: the server has the first half of its request. */
async function beginCall({ port }: Pick<Loopback, "port">) {
  const session = await connectHttp2(`http://localhost:${port}`);
  const stream = openStream(session);
  const message = frame(Buffer.from("a request on its way"));
  stream.write(message.subarray(0, 9));
  await roundTrip(session);
  return { stream, message, finish: () => void stream.end(message.subarray(9)) };
}

describe("shutting down", () => {
  test("a call in flight is finished, and a new connection refused meanwhile", async () => {
    const server = await serveLoopback();
    const { stream, message, finish } = await beginCall(server);

    const stopped = server.shutDown();
    await until(() => isRefused(server.port));
    finish();

    expect(await endOf(stream)).toEqual({ data: message, status: "0" });
    await stopped;
  });

  test("who watches our health is told, and not waited for", async () => {
    const server = await serveLoopback();
    const session = await connectHttp2(`http://localhost:${server.port}`);
    const watch = openStream(session, "/grpc.health.v1.Health/Watch");
    watch.end(frame(Buffer.alloc(0)));
    const ended = endOf(watch);
    await once(watch, "data");

    await server.shutDown();

    const states = [1, 2].map((state) => frame(Buffer.from([0x08, state]))); // SERVING, NOT_SERVING
    expect((await ended).data).toEqual(Buffer.concat(states));
    expect(watch.rstCode).toBe(REFUSED_STREAM);
  });

  test("who has a stream open and could say more is told, and not waited for", async () => {
    const server = await serveLoopback({ shutdownGracePeriodMs: 60_000 });
    const session = await connectHttp2(`http://localhost:${server.port}`);
    const stream = openStream(session, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    const ended = endOf(stream);
    stream.write(frame(Buffer.from([0x3a, 1, 0x2a]))); // which services are there?
    await once(stream, "data");

    await server.shutDown();
    await ended;
    expect(stream.rstCode).toBe(REFUSED_STREAM);
  });

  test("who says nothing is not waited for", async () => {
    const server = await serveLoopback();
    const silent = connect(server.port, "127.0.0.1").resume();
    onTestFinished(() => void silent.destroy());
    await once(silent, "connect");
    await server.shutDown();
    if (!silent.closed) await once(silent, "close");
  });

  test("after the grace period, a call that does not end is cut off", async () => {
    const server = await serveLoopback({ shutdownGracePeriodMs: 100 });
    const { stream } = await beginCall(server);
    const ended = endOf(stream);

    const start = Date.now();
    await server.shutDown();
    expect(Date.now() - start).toBeGreaterThanOrEqual(90);
    expect((await ended).status).toBeUndefined();
    expect(server.lines.at(-1)).toMatchObject({
      message: "connections are cut off: they were still open after --shutdown-grace-period",
    });
  });

  test("it is not ready from the first moment on, and says so until it has ended", async () => {
    const server = await serveLoopback({ metricsAddress: { host: "127.0.0.1", port: 0 } });
    const { stream, finish } = await beginCall(server);

    const stopped = server.shutDown();
    const response = await fetch(`http://127.0.0.1:${server.metricsPort}/readyz`);
    expect([response.status, await response.text()]).toEqual([503, "draining\n"]);
    finish();
    expect((await endOf(stream)).status).toBe("0");
    await stopped;
    expect(await isRefused(server.metricsPort ?? 0)).toBe(true);
  });

  test("a client that is still connecting is asked to go, too", async () => {
    const server = await serveMutualTls({ shutdownGracePeriodMs: 20_000 });
    const { identity } = server;
    const early = await connectHttp2(`https://localhost:${server.port}`, identity);
    const stream = openStream(early); // keeps the server from ending
    stream.write(frame(Buffer.alloc(9)).subarray(0, 7));
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    await roundTrip(early);

    const stopped = server.shutDown();
    const late = connectTls({ socket, ...identity, servername: "localhost", ALPNProtocols: ["h2"] });
    const session = connectSession("https://localhost", { createConnection: () => late });
    session.on("error", () => {});
    onTestFinished(() => session.destroy());
    await once(session, "goaway");
    stream.end(frame(Buffer.alloc(9)).subarray(7));
    await stopped;
  });
});
