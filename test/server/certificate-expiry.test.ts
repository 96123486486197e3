import { expect, test } from "vitest";
import { createAuthority, type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { call, channelOf, type Loopback, serveLoopback, until } from "../../testing/servers/loopback.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

const EXPIRED = "the server's certificate has expired: clients refuse it";

async function serveWith(authority: Identity, server: Identity): Promise<Loopback & { readonly certsDir: string }> {
  const certsDir = temporaryFolder();
  writeCertificates(certsDir, authority, server);
  const metricsAddress = { host: "127.0.0.1", port: 0 };
  const config = { transport: { is: "mtls", certsDir }, metricsAddress } as const;
  return { ...(await serveLoopback(config, { refreshMs: 10 })), certsDir };
}

const errorsOf = ({ lines }: Loopback) => lines.filter(({ level }) => level === "error");

/** When the certificate in use ends, in seconds since 1970, as the metric has it. */
async function endIn({ metricsPort }: Loopback): Promise<number | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const value = /^function_shared_infrastructure_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

test("a certificate that has expired is an error in the log, once, and the metric says when it ended", async () => {
  const authority = await createAuthority("ca");
  const server = await serveWith(authority, await issue(authority, "server", { endsInMs: -3_600_000 }));
  await new Promise((resolve) => setTimeout(resolve, 50)); // five readings
  expect(errorsOf(server)).toEqual([
    { level: "error", message: EXPIRED, certsDir: server.certsDir, expired: expect.stringMatching(/Z$/) },
  ]);
  expect(await endIn(server)).toBeCloseTo(Date.now() / 1000 - 3600, -2);
});

test("a certificate that expires while the server runs is an error, too", async () => {
  const authority = await createAuthority("ca");
  const server = await serveWith(authority, await issue(authority, "server", { endsInMs: 2000 }));
  expect(errorsOf(server)).toEqual([]);
  await until(() => errorsOf(server).some(({ message }) => message === EXPIRED));
});

test("once it is renewed, the metric has the new end, and clients are served", async () => {
  const authority = await createAuthority("ca");
  const server = await serveWith(authority, await issue(authority, "server", { endsInMs: -3_600_000 }));
  writeCertificates(server.certsDir, authority, await issue(authority, "server"));
  await until(() => server.lines.some(({ message }) => message === "certificates changed"));
  expect(await endIn(server)).toBeGreaterThan(Date.now() / 1000);
  const channel = channelOf(authority, await issue(authority, "client"));
  expect(await call(server.target, Buffer.alloc(0), { channel })).toMatchObject({ code: "OK" });
});

test("without TLS there is no certificate, and no metric of 1970", async () => {
  expect(await endIn(await serveLoopback({ metricsAddress: { host: "127.0.0.1", port: 0 } }))).toBeUndefined();
});
