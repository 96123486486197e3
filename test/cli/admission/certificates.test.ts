import { rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../../src/log.ts";
import { readCredentials } from "../../../src/server/tls/credentials.ts";
import { createAuthority, issue, writeCertificates } from "../../../testing/servers/certificates.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

const nameServed = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", reject);
  });

test("a renewed certificate is taken over, and one that cannot be used is not", async () => {
  const folder = temporaryFolder();
  const authority = await createAuthority("webhook");
  writeCertificates(folder, authority, await issue(authority, "first"));
  rmSync(join(folder, "ca.crt")); // the API server shows no certificate, so there is nobody to vouch for
  const log = createLog({ debug: false }, new PassThrough().resume());
  const credentials = readCredentials({ certsDir: folder, requestCert: false, log, refreshMs: 20 });
  const server = createServer(credentials.secureContext);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = credentials.follow(server);
  onTestFinished(() => {
    stop();
    server.close();
  });
  expect(await nameServed(port)).toBe("first");

  writeCertificates(folder, authority, await issue(authority, "second"));
  await sleep(200);
  expect(await nameServed(port)).toBe("second");

  const third = await issue(authority, "third");
  writeCertificates(folder, authority, { ...third, key: "not a key" });
  await sleep(200);
  expect(await nameServed(port)).toBe("second");
});
