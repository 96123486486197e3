import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { readCredentials } from "../../src/server/tls/credentials.ts";
import { createAuthority, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

const REFRESH_MS = 1000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** Credentials that are followed; what was logged and what the server was given is noted. */
async function follow() {
  const authority = await createAuthority("ca");
  const [first, second] = await Promise.all([issue(authority, "first"), issue(authority, "second")]);
  const certsDir = temporaryFolder();
  writeCertificates(certsDir, authority, first);
  const messages: string[] = [];
  const note = (message: string): void => void messages.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const given: unknown[] = [];
  const credentials = readCredentials({ certsDir, requestCert: true, log, refreshMs: REFRESH_MS });
  const stop = credentials.follow({ setSecureContext: ({ cert }) => void given.push(String(cert)) });
  onTestFinished(stop);
  const write = (file: string, text: string): void => writeFileSync(join(certsDir, file), text);
  const read = (): unknown => vi.advanceTimersByTime(REFRESH_MS);
  return { messages, given, write, read, stop, second };
}

test("files that are half written when they are read are read again, and no error", async () => {
  const { messages, given, write, read, second } = await follow();
  write("tls.key", second.key.slice(0, 90));
  read();
  write("tls.key", second.key);
  read();
  write("tls.crt", second.certificate);
  read();
  expect(given).toEqual([]);
  read();
  expect(given).toEqual([second.certificate]);
  expect(messages).toEqual(["certificates read", "certificates changed"]);
});

test("files that do not change are given to the server no second time", async () => {
  const { given, read } = await follow();
  for (let n = 0; n < 5; n++) read();
  expect(given).toEqual([]);
});

test("once stopped, changes are not looked for", async () => {
  const { messages, write, read, stop } = await follow();
  stop();
  write("tls.key", "no key");
  for (let n = 0; n < 3; n++) read();
  expect(messages).toEqual(["certificates read"]);
});
