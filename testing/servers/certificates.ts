import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { signCertificate } from "./x509.ts";

/** A certificate and its key, PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

const [HOUR, YEAR] = [3_600_000, 365 * 24 * 3_600_000];

/** A certificate authority of our own. */
export function createAuthority(name: string): Identity {
  const { publicKey, key } = createKeys();
  const fields = { subject: name, issuer: name, publicKey, ...validity(YEAR) };
  return { certificate: signCertificate(fields, key), key };
}

/** Issues a certificate for localhost and its own name, good for servers and clients, by default for a day. */
export function issue(authority: Identity, name: string, { endsInMs = 24 * HOUR } = {}): Identity {
  const { publicKey, key } = createKeys();
  const issuer = new X509Certificate(authority.certificate).subject.replace(/^CN=/, "");
  const fields = { subject: name, issuer, publicKey, ...validity(endsInMs), dnsNames: ["localhost", name] };
  return { certificate: signCertificate(fields, authority.key), key };
}

const inMs = (ms: number): Date => new Date(Date.now() + ms);
const validity = (endsInMs: number) => ({ notBefore: inMs(-2 * HOUR), notAfter: inMs(endsInMs) });

function createKeys() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { publicKey, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** Writes what Crossplane mounts into a function's pod. */
export function writeCertificates(directory: string, authority: Identity, server: Identity): void {
  writeFileSync(join(directory, "tls.crt"), server.certificate);
  writeFileSync(join(directory, "tls.key"), server.key);
  writeFileSync(join(directory, "ca.crt"), authority.certificate);
}
