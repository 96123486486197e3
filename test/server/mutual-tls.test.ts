import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { type ChannelCredentials, credentials } from "@grpc/grpc-js";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readCredentials } from "../../src/server/tls/credentials.ts";
import { createAuthority, type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { call, channelOf, type Loopback, serveLoopback, until } from "../../testing/servers/loopback.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

interface People {
  readonly authority: Identity;
  readonly stranger: Identity;
  readonly server: Identity;
  readonly client: Identity;
}

let people: People;
beforeAll(async () => {
  const [authority, stranger] = await Promise.all([createAuthority("ca"), createAuthority("another ca")]);
  const [server, client] = await Promise.all([issue(authority, "server"), issue(authority, "client")]);
  people = { authority, stranger, server, client };
});

/** A folder as Crossplane mounts it. */
function mount({ authority, server }: People): string {
  const certsDir = temporaryFolder();
  writeCertificates(certsDir, authority, server);
  return certsDir;
}

const serveMutualTls = (certsDir: string): Promise<Loopback> =>
  serveLoopback({ transport: { is: "mtls", certsDir } }, { refreshMs: 5 });

const codeOf = async ({ target }: Loopback, channel: ChannelCredentials): Promise<string> =>
  (await call(target, Buffer.from("hello"), { channel, deadlineMs: 2000 })).code;

test("a client with a certificate of our authority is answered", async () => {
  const server = await serveMutualTls(mount(people));
  expect(await codeOf(server, channelOf(people.authority, people.client))).toBe("OK");
});

describe("everybody else is refused before anything is computed", () => {
  interface Row {
    readonly who: string;
    readonly channel: () => ChannelCredentials | Promise<ChannelCredentials>;
    readonly reason: string;
  }
  test.each<Row>([
    {
      who: "a client without a certificate",
      channel: () => channelOf(people.authority),
      reason: "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE",
    },
    {
      who: "a client with another authority's certificate",
      channel: async () => channelOf(people.authority, await issue(people.stranger, "client")),
      reason: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    },
    {
      who: "a client with a certificate that has ended",
      channel: async () => channelOf(people.authority, await issue(people.authority, "client", { endsInMs: -1000 })),
      reason: "CERT_HAS_EXPIRED",
    },
    {
      who: "a client without TLS",
      channel: () => credentials.createInsecure(),
      reason: "ERR_SSL_WRONG_VERSION_NUMBER",
    },
  ])("$who", async ({ channel, reason }) => {
    let calls = 0;
    const certsDir = mount(people);
    const runFunction = (response: Uint8Array) => {
      calls++;
      return { response, conditions: [], results: [], audit: [] };
    };
    const server = await serveLoopback({ transport: { is: "mtls", certsDir } }, { runFunction });

    expect(await codeOf(server, await channel())).not.toBe("OK");
    expect(calls).toBe(0);
    await until(() => server.lines.some(({ message }) => message === "client refused"));
    const client = expect.stringMatching(/^(?:::ffff:)?127\.0\.0\.1$|^::1$/);
    expect(server.lines).toContainEqual({ level: "warn", message: "client refused", client, reason });
  });
});

describe("the version of TLS", () => {
  test.each([
    { maxVersion: "TLSv1.1", isServed: false },
    { maxVersion: "TLSv1.2", isServed: true },
    { maxVersion: "TLSv1.3", isServed: true },
  ] as const)("a client that speaks $maxVersion at most is served: $isServed", async ({ maxVersion, isServed }) => {
    const any = { minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const; // what OpenSSL would refuse by itself
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const { secureContext } = readCredentials({ certsDir: mount(people), requestCert: false, log });
    const server = createServer({ ...any, ...secureContext }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;

    const socket = connect({ ...any, port, host: "127.0.0.1", ca: people.authority.certificate, maxVersion });
    const isThere = await once(socket, "secureConnect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    expect(isThere).toBe(isServed);
  });
});

describe("certificates change while the server runs", () => {
  test("a new authority, key and certificate are picked up; who has the old ones is refused", async () => {
    const certsDir = mount(people);
    const server = await serveMutualTls(certsDir);
    const { stranger } = people;

    writeCertificates(certsDir, stranger, await issue(stranger, "server"));

    const newcomer = channelOf(stranger, await issue(stranger, "client"));
    await until(async () => (await codeOf(server, newcomer)) === "OK");
    expect(await codeOf(server, channelOf(people.authority, people.client))).not.toBe("OK");
    expect(server.lines).toContainEqual(expect.objectContaining({ level: "info", message: "certificates changed" }));
  });

  interface Row {
    readonly what: string;
    readonly change: (certsDir: string) => void | Promise<void>;
    readonly fault: string;
  }
  test.each<Row>([
    {
      what: "a certificate without its key",
      change: async (dir) => writeFileSync(join(dir, "tls.crt"), (await issue(people.authority, "server")).certificate),
      fault: "tls.key: not the key of tls.crt",
    },
    {
      what: "a half-written key",
      change: (dir) => writeFileSync(join(dir, "tls.key"), people.server.key.slice(0, 90)),
      fault: "tls.key: not PEM of the right kind",
    },
    {
      what: "no authorities, in place of which Node would take nobody or everybody",
      change: (dir) => writeFileSync(join(dir, "ca.crt"), ""),
      fault: "ca.crt: not PEM of the right kind: it holds no certificate",
    },
    {
      what: "a missing file",
      change: (dir) => rmSync(join(dir, "tls.crt")),
      fault: "tls.crt: cannot be read: ENOENT",
    },
  ])("$what is logged once, and what was there before stays in use", async ({ change, fault }) => {
    const certsDir = mount(people);
    const server = await serveMutualTls(certsDir);
    await change(certsDir);

    const errors = () => server.lines.filter(({ level }) => level === "error");
    await until(() => errors().length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50)); // ten more readings

    expect(errors()).toEqual([
      {
        level: "error",
        message: "cannot use the changed certificates; those from before stay in use",
        certsDir,
        reason: expect.stringContaining(fault),
      },
    ]);
    expect(JSON.stringify(server.lines)).not.toContain("PRIVATE KEY");
    expect(await codeOf(server, channelOf(people.authority, people.client))).toBe("OK");
  });
});

test("certificates that cannot be used at start are an error with all their faults", async () => {
  const certsDir = temporaryFolder();
  writeFileSync(join(certsDir, "tls.key"), "no key");
  await expect(serveMutualTls(certsDir)).rejects.toMatchObject({
    code: "CannotServe",
    message: expect.stringMatching(
      /^cannot use the certificates in .+ \(--tls-certs-dir\):\n {2}tls\.crt: cannot be read: .+\n {2}tls\.key: not PEM .+\n {2}ca\.crt: cannot be read: .+$/,
    ),
  });
});
