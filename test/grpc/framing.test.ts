import { describe, expect, test } from "vitest";
import { MessageReader } from "../../src/grpc/framing.ts";
import { frame } from "../../testing/servers/http2.ts";

const messages = ["", "a", "", "some more", "x".repeat(300)];
const data = Buffer.concat(messages.map((text) => frame(Buffer.from(text))));

describe("messages are found however the data is cut", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 64, 1000])("into pieces of %i bytes", (size) => {
    const reader = new MessageReader(300);
    const found: string[] = [];
    for (let at = 0; at < data.length; at += size) {
      reader.push(data.subarray(at, at + size), (message) => found.push(String(message)));
    }
    expect(found).toEqual(messages);
    expect(() => reader.assertEmpty()).not.toThrow();
  });
});

describe("data that ends within a message is an error", () => {
  test.each([1, 4, 5, 7])("after %i bytes", (size) => {
    const reader = new MessageReader(300);
    reader.push(frame(Buffer.from("abc")).subarray(0, size), () => expect.unreachable());
    expect(() => reader.assertEmpty()).toThrow(expect.objectContaining({ code: "Internal" }));
  });
});

test("a message that is too large is refused before it is here", () => {
  const prefix = Buffer.from([0, 0, 0, 1, 45]);
  const push = () => new MessageReader(300).push(prefix, () => expect.unreachable());
  expect(push).toThrow(
    expect.objectContaining({ code: "ResourceExhausted", message: "Received message larger than max (301 vs 300)" }),
  );
});

test("a compressed message is refused", () => {
  const push = () => new MessageReader(300).push(Buffer.from([1, 0, 0, 0, 1, 7]), () => expect.unreachable());
  expect(push).toThrow(expect.objectContaining({ code: "Unimplemented" }));
});
