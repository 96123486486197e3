import { Server } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { createTransport } from "../../src/server/transport/http2.ts";

test.each([
  { what: "no map", servers: [] },
  { what: "a map of something else", servers: new Map([[{}, {}]]) },
  { what: "an empty map", servers: new Map() },
])("a grpc-js with $what of HTTP/2 servers is not reached into", ({ servers }) => {
  const server = new Server();
  const make = server.createConnectionInjector.bind(server);
  server.createConnectionInjector = (credentials) => {
    const injector = make(credentials);
    Object.assign(server, { http2Servers: servers });
    return injector;
  };
  expect(createTransport(server, 1024).http2).toBeUndefined();
});

test("the grpc-js that is installed is reached into", () => {
  expect(createTransport(new Server(), 1024).http2).toBeDefined();
});
