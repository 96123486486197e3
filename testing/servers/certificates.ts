import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "selfsigned";

/** A certificate and its key, PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

const elliptic = { keyType: "ec", algorithm: "sha256" } as const;

/** A certificate authority of our own. */
export async function createAuthority(name: string): Promise<Identity> {
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    ...elliptic,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  return { certificate: cert, key };
}

const HOUR = 3_600_000;

const toDnsName = (value: string) => ({ type: 2, value }) as const;

/** Issues a certificate for localhost and its own name, good for servers and clients, by default for a day. */
export async function issue(authority: Identity, name: string, { endsInMs = 24 * HOUR } = {}): Promise<Identity> {
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    ...elliptic,
    ca: { cert: authority.certificate, key: authority.key },
    notBeforeDate: new Date(Date.now() - 2 * HOUR),
    notAfterDate: new Date(Date.now() + endsInMs),
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      { name: "subjectAltName", altNames: [...["localhost", name].map(toDnsName), { type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { certificate: cert, key };
}

/** Writes what Crossplane mounts into a function's pod. */
export function writeCertificates(directory: string, authority: Identity, server: Identity): void {
  writeFileSync(join(directory, "tls.crt"), server.certificate);
  writeFileSync(join(directory, "tls.key"), server.key);
  writeFileSync(join(directory, "ca.crt"), authority.certificate);
}
