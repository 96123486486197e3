import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { type ChannelCredentials, credentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { loadCertificates } from "../../src/server/certificates.ts";
import { serve } from "../../src/server/server.ts";
import { createAuthority, type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { insecure } from "../../testing/servers/config.ts";
import { call, channelOf, echo, type Loopback, logTo, serveLoopback, until } from "../../testing/servers/loopback.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

interface People {
  readonly authority: Identity;
  readonly server: Identity;
  readonly client: Identity;
}

function createPeople(name: string): People {
  const authority = createAuthority(name);
  return { authority, server: issue(authority, "server"), client: issue(authority, "client") };
}

const [people, others] = [createPeople("ca"), createPeople("another ca")];

/** A folder as Crossplane mounts it. */
function mount({ authority, server }: Pick<People, "authority" | "server">): string {
  const certsDir = temporaryFolder();
  writeCertificates(certsDir, authority, server);
  return certsDir;
}

const metricsAddress = { host: "127.0.0.1", port: 0 };
const serveMutualTls = (certsDir: string): Promise<Loopback> =>
  serveLoopback({ transport: { is: "mtls", certsDir }, metricsAddress }, { refreshMs: 5 });

const codeOf = async ({ target }: Loopback, channel: ChannelCredentials): Promise<string> =>
  (await call(target, Buffer.from("hello"), { channel, deadlineMs: 2000 })).code;

const codeFor = (server: Loopback, { authority, client }: People): Promise<string> =>
  codeOf(server, channelOf(authority, client));

const isLogged = ({ lines }: Loopback, wanted: string): boolean => lines.some(({ message }) => message === wanted);

const errorsOf = ({ lines }: Loopback) => lines.filter(({ level }) => level === "error");

test("a client with a certificate of our authority is answered", async () => {
  expect(await codeFor(await serveMutualTls(mount(people)), people)).toBe("OK");
});

test.each<[who: string, channel: () => ChannelCredentials, reason: string]>([
  ["a client without a certificate", () => channelOf(people.authority), "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE"],
  [
    "a client of another authority",
    () => channelOf(people.authority, others.client),
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ],
  [
    "a client with a certificate that has ended",
    () => channelOf(people.authority, issue(people.authority, "client", { endsInMs: -1000 })),
    "CERT_HAS_EXPIRED",
  ],
  ["a client without TLS", () => credentials.createInsecure(), "ERR_SSL_WRONG_VERSION_NUMBER"],
])("%s is refused, and the log says why", async (_who, channel, reason) => {
  const server = await serveMutualTls(mount(people));
  expect(await codeOf(server, channel())).not.toBe("OK");
  await until(() => isLogged(server, "TLS handshake failed"));
  const client = expect.stringMatching(/^(?:::ffff:)?127\.0\.0\.1$|^::1$/);
  expect(server.lines).toContainEqual({ level: "warn", message: "TLS handshake failed", client, reason });
});

test("a client that closes the connection before TLS is set up, as a TCP probe does, is a debug line", async () => {
  const lines: string[] = [];
  const log = logTo((level, message) => void lines.push(`${level}: ${message}`));
  const transport = { is: "mtls", certsDir: mount(people) } as const;
  const server = await serve({ ...insecure, transport }, { runFunction: echo, log });
  onTestFinished(() => server.destroy());
  const socket = connectTcp(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  await until(() => lines.includes("debug: client closed the connection before TLS was set up"));
  expect(lines.filter((line) => line.startsWith("warn"))).toEqual([]);
});

test.each([
  { maxVersion: "TLSv1.1", isServed: false },
  { maxVersion: "TLSv1.2", isServed: true },
  { maxVersion: "TLSv1.3", isServed: true },
] as const)("a client that speaks $maxVersion at most is served: $isServed", async ({ maxVersion, isServed }) => {
  const any = { minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const; // what OpenSSL would refuse by itself
  const log = logTo(() => {});
  const { secureContext } = loadCertificates({ certsDir: mount(people), requestCert: false, log });
  const server = createServer({ ...any, ...secureContext }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const socket = connect({ ...any, port, host: "127.0.0.1", ca: people.authority.certificate, maxVersion });
  const connected = once(socket, "secureConnect");
  if (isServed) await connected;
  else await expect(connected).rejects.toThrow();
  socket.destroy();
});

describe("certificates that change while the server runs", () => {
  /** A Secret as Kubernetes mounts it: `tls.crt → ..data/tls.crt`, `..data → ..1`; a change swaps the link. */
  function mountSecret(first: People) {
    const folder = temporaryFolder();
    let version = 0;
    const swap = ({ authority, server }: Pick<People, "authority" | "server">): void => {
      version++;
      mkdirSync(join(folder, `..${version}`));
      writeCertificates(join(folder, `..${version}`), authority, server);
      symlinkSync(`..${version}`, join(folder, "..data_tmp"));
      renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
      rmSync(join(folder, `..${version - 1}`), { recursive: true, force: true });
    };
    swap(first);
    for (const name of ["tls.crt", "tls.key", "ca.crt"]) symlinkSync(`..data/${name}`, join(folder, name));
    return { folder, swap };
  }

  test("a Secret that changes below Kubernetes' links holds for new connections", async () => {
    const { folder, swap } = mountSecret(people);
    const server = await serveMutualTls(folder);
    expect(await codeFor(server, people)).toBe("OK");
    swap(others);
    await until(() => isLogged(server, "certificates changed"));
    expect(await codeFor(server, others)).toBe("OK");
    expect(await codeFor(server, people)).not.toBe("OK");
  });

  test("a change that cannot be used is logged once, the certificates from before stay in use, and the next one is taken", async () => {
    const { folder, swap } = mountSecret(people);
    const server = await serveMutualTls(folder);
    swap({ authority: others.authority, server: { ...others.server, key: people.server.key } });
    await until(() => errorsOf(server).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50)); // ten more readings
    const reason = expect.stringContaining("tls.key: not the key of tls.crt");
    const message = "cannot use the changed certificates; the previous ones stay in use";
    expect(errorsOf(server)).toEqual([{ level: "error", message, certsDir: folder, reason }]);
    expect(JSON.stringify(server.lines)).not.toContain("PRIVATE KEY");
    expect(await codeFor(server, people)).toBe("OK");
    swap(others);
    await until(() => isLogged(server, "certificates changed"));
    expect(await codeFor(server, others)).toBe("OK");
  });

  describe("as they are read", () => {
    afterEach(() => void vi.useRealTimers());

    /** Credentials that are followed; the messages that were logged and the certificates that the server got are noted. */
    function follow() {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      const certsDir = mount(people);
      const messages: string[] = [];
      const log = logTo((_level, message) => void messages.push(message));
      const given: unknown[] = [];
      const files = loadCertificates({ certsDir, requestCert: true, log, refreshMs: 1000 });
      const stop = files.reloadInto({ setSecureContext: ({ cert }) => void given.push(String(cert)) });
      onTestFinished(stop);
      const write = (file: string, text: string): void => writeFileSync(join(certsDir, file), text);
      const read = (): unknown => vi.advanceTimersByTime(1000);
      return { messages, given, write, read, stop };
    }

    test("files that are half written are read again, and no error", () => {
      const { messages, given, write, read } = follow();
      write("tls.key", people.client.key.slice(0, 90));
      read();
      write("tls.key", people.client.key);
      read();
      write("tls.crt", people.client.certificate);
      read();
      expect(given).toEqual([]);
      for (let n = 0; n < 5; n++) read();
      expect(given).toEqual([people.client.certificate]);
      expect(messages).toEqual(["certificates read", "certificates changed"]);
    });

    test("changes are not looked for after the stop", () => {
      const { messages, write, read, stop } = follow();
      stop();
      write("tls.key", "no key");
      for (let n = 0; n < 3; n++) read();
      expect(messages).toEqual(["certificates read"]);
    });
  });
});

const writing = (name: string, text: string) => (folder: string) => writeFileSync(join(folder, name), text);
const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
test.each<[reason: string, change: (folder: string) => void, ...faults: RegExp[]]>([
  [
    "an empty folder but for a key that is none",
    (folder) => {
      for (const name of ["tls.crt", "ca.crt"]) rmSync(join(folder, name));
      writeFileSync(join(folder, "tls.key"), "no key");
    },
    /^ {2}tls\.crt: cannot be read: ENOENT/,
    /^ {2}tls\.key: not a PEM private key/,
    /^ {2}ca\.crt: cannot be read: ENOENT/,
  ],
  [
    "a list without authorities, with which Node would trust no client",
    writing("ca.crt", ""),
    /^ {2}ca\.crt: not a PEM certificate: it holds no certificate$/,
  ],
  ["a certificate that holds something else", writing("tls.crt", pem), /^ {2}tls\.crt: not a PEM certificate: error:/],
  ["another certificate's key", writing("tls.key", others.server.key), /^ {2}tls\.key: not the key of tls\.crt$/],
])("the server does not start with %s, and says all faults", async (_reason, change, ...faults) => {
  const folder = mount(people);
  change(folder);
  const error = await serveMutualTls(folder).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "FunctionError", code: "CannotServe" });
  const [headline, ...found] = error instanceof Error ? error.message.split("\n") : [];
  expect(headline).toBe(`cannot use the certificates in ${folder} (--tls-certs-dir):`);
  expect(found).toEqual(faults.map((fault) => expect.stringMatching(fault)));
});

describe("the expiry of the server's certificate", () => {
  const EXPIRED = "the server's certificate has expired: clients refuse it";

  const serveUntil = async (endsInMs: number) => {
    const certsDir = mount({ ...people, server: issue(people.authority, "server", { endsInMs }) });
    return { ...(await serveMutualTls(certsDir)), certsDir };
  };

  /** Reads the end of the certificate in use from the metric, in seconds since 1970. */
  async function endIn({ metricsPort }: Loopback): Promise<number | undefined> {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const value = /^function_shared_infrastructure_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  }

  test("is logged and a metric", async () => {
    const server = await serveMutualTls(mount(people));
    const expires = server.lines.find(({ message }) => message === "certificates read")?.["expires"];
    expect(await endIn(server)).toBe(Date.parse(String(expires)) / 1000);
  });

  test("in the past is an error in the log, once, until the certificate is renewed", async () => {
    const server = await serveUntil(-3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 50)); // ten readings
    const expired = expect.stringMatching(/Z$/);
    expect(errorsOf(server)).toEqual([{ level: "error", message: EXPIRED, certsDir: server.certsDir, expired }]);
    expect(await endIn(server)).toBeCloseTo(Date.now() / 1000 - 3600, -2);

    writeCertificates(server.certsDir, people.authority, people.server);
    await until(() => isLogged(server, "certificates changed"));
    expect(await endIn(server)).toBeGreaterThan(Date.now() / 1000);
    expect(await codeFor(server, people)).toBe("OK");
  });

  test("while the server runs is an error, too", async () => {
    const server = await serveUntil(2000);
    expect(errorsOf(server)).toEqual([]);
    await until(() => isLogged(server, EXPIRED));
  });

  test("is no metric without TLS: 0 would be the year 1970", async () => {
    expect(await endIn(await serveLoopback({ metricsAddress }))).toBeUndefined();
  });
});
