import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createAuthority, type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { call, channelOf, type Loopback, serveLoopback, until } from "../../testing/servers/loopback.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

interface Pair {
  readonly authority: Identity;
  readonly server: Identity;
  readonly client: Identity;
}

async function createPair(name: string): Promise<Pair> {
  const authority = await createAuthority(name);
  const [server, client] = await Promise.all([issue(authority, "server"), issue(authority, "client")]);
  return { authority, server, client };
}

let before: Pair;
let after: Pair;
beforeAll(async () => {
  [before, after] = await Promise.all([createPair("before"), createPair("after")]);
});

/** A Secret as Kubernetes mounts it: `tls.crt → ..data/tls.crt`, `..data → ..1`. */
interface MountedSecret {
  readonly folder: string;
  /** A change of the Secret: a new folder, and the link to it swapped. */
  swap(authority: Identity, server: Identity): void;
}

function mountSecret({ authority, server }: Pair): MountedSecret {
  const folder = temporaryFolder();
  let version = 0;
  const swap: MountedSecret["swap"] = (newAuthority, newServer) => {
    version++;
    mkdirSync(join(folder, `..${version}`));
    writeCertificates(join(folder, `..${version}`), newAuthority, newServer);
    symlinkSync(`..${version}`, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    rmSync(join(folder, `..${version - 1}`), { recursive: true, force: true });
  };
  swap(authority, server);
  for (const name of ["tls.crt", "tls.key", "ca.crt"]) symlinkSync(`..data/${name}`, join(folder, name));
  return { folder, swap };
}

const serveFrom = ({ folder }: MountedSecret): Promise<Loopback> =>
  serveLoopback({ transport: { is: "mtls", certsDir: folder } }, { refreshMs: 10 });

const codeOf = async ({ target }: Loopback, { authority, client }: Pair): Promise<string> =>
  (await call(target, Buffer.from("hello"), { channel: channelOf(authority, client), deadlineMs: 2000 })).code;

test("a Secret that changes below Kubernetes' links is picked up by new connections", async () => {
  const secret = mountSecret(before);
  const server = await serveFrom(secret);
  expect(await codeOf(server, before)).toBe("OK");

  secret.swap(after.authority, after.server);

  await until(() => server.lines.some(({ message }) => message === "certificates changed"));
  expect(await codeOf(server, after)).toBe("OK");
  expect(await codeOf(server, before)).not.toBe("OK");
});

test("after a change that cannot be used, one that can is taken", async () => {
  const secret = mountSecret(before);
  const server = await serveFrom(secret);

  secret.swap(after.authority, { certificate: after.server.certificate, key: before.server.key });
  await until(() => server.lines.some(({ level }) => level === "error"));
  expect(await codeOf(server, before)).toBe("OK");

  secret.swap(after.authority, after.server);
  await until(() => server.lines.some(({ message }) => message === "certificates changed"));
  expect(await codeOf(server, after)).toBe("OK");
  expect(server.lines.filter(({ level }) => level === "error")).toHaveLength(1);
});

test("after a change that cannot be used, what was there before is nothing to talk about", async () => {
  const secret = mountSecret(before);
  const server = await serveFrom(secret);

  secret.swap(after.authority, { certificate: after.server.certificate, key: before.server.key });
  await until(() => server.lines.some(({ level }) => level === "error"));
  secret.swap(before.authority, before.server);
  await until(() => server.lines.some(({ message }) => message === "certificates changed"));

  expect(await codeOf(server, before)).toBe("OK");
});

test("the log says when the certificate ends", async () => {
  const server = await serveFrom(mountSecret(before));
  const expires = server.lines.find(({ message }) => message === "certificates read")?.["expires"];
  const hoursLeft = (Date.parse(String(expires)) - Date.now()) / 3_600_000;
  expect(hoursLeft).toBeGreaterThan(23.9);
  expect(hoursLeft).toBeLessThanOrEqual(24);
});

interface Row {
  readonly reason: string;
  readonly change: (folder: string) => void;
  readonly faults: readonly (string | RegExp)[];
}

test.each<Row>([
  {
    reason: "no key",
    change: (folder) => rmSync(join(folder, "tls.key")),
    faults: [/^ {2}tls\.key: cannot be read: ENOENT/],
  },
  {
    reason: "a certificate that is no PEM",
    change: (folder) => writeFileSync(join(folder, "tls.crt"), "no PEM"),
    faults: ["  tls.crt: not PEM of the right kind: it holds no certificate"],
  },
  {
    reason: "a certificate whose PEM holds something else",
    change: (folder) =>
      writeFileSync(join(folder, "tls.crt"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    faults: [/^ {2}tls\.crt: not PEM of the right kind: error:/],
  },
  {
    reason: "another certificate's key",
    change: (folder) => writeFileSync(join(folder, "tls.key"), after.server.key),
    faults: ["  tls.key: not the key of tls.crt"],
  },
  {
    reason: "certificate and key swapped",
    change: (folder) => {
      writeFileSync(join(folder, "tls.crt"), before.server.key);
      writeFileSync(join(folder, "tls.key"), before.server.certificate);
    },
    faults: [
      "  tls.crt: not PEM of the right kind: it holds no certificate",
      /^ {2}tls\.key: not PEM of the right kind/,
    ],
  },
])("$reason: the server does not start, and says why", async ({ change, faults }) => {
  const folder = temporaryFolder();
  writeCertificates(folder, before.authority, before.server);
  change(folder);

  const error = await serveFrom({ folder, swap: () => {} }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "FunctionError", code: "CannotServe" });
  const [headline, ...found] = error instanceof Error ? error.message.split("\n") : [];
  expect(headline).toBe(`cannot use the certificates in ${folder} (--tls-certs-dir):`);
  expect(found).toEqual(faults.map((fault) => (typeof fault === "string" ? fault : expect.stringMatching(fault))));
});
