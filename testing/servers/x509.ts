import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";

/** The fields of a certificate that the tests set. */
export interface CertificateFields {
  /** Common names. */
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The names of a server and client; undefined for an authority, which signs certificates. */
  readonly dnsNames?: readonly string[];
}

/** Makes a certificate (X.509 v3), signed by its issuer's P-256 key. @returns PEM. */
export function signCertificate(fields: CertificateFields, issuerKey: string): string {
  const publicKey = fields.publicKey.export({ type: "spki", format: "der" });
  const body = sequence(
    der(0xa0, integer(2)),
    // A server's certificates differ in their serial numbers: clients refuse two of one issuer with the same.
    der(0x02, Buffer.from([1]), createHash("sha256").update(publicKey).digest().subarray(0, 8)),
    ECDSA_WITH_SHA256,
    commonName(fields.issuer),
    sequence(time(fields.notBefore), time(fields.notAfter)),
    commonName(fields.subject),
    publicKey,
    der(0xa3, sequence(...extensions(fields.dnsNames))),
  );
  const signature = sign("sha256", body, createPrivateKey(issuerKey));
  const base64 = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

function extensions(dnsNames: readonly string[] | undefined): readonly Buffer[] {
  if (dnsNames === undefined) {
    const [basicConstraints, keyUsage] = [sequence(TRUE), der(0x03, Buffer.from([2, 0b0000_0100]))];
    return [extension("551d13", TRUE, basicConstraints), extension("551d0f", TRUE, keyUsage)];
  }
  const usages = sequence(oid("2b06010505070301"), oid("2b06010505070302")); // server, client
  const names = [...dnsNames.map((name) => der(0x82, Buffer.from(name))), der(0x87, Buffer.from([127, 0, 0, 1]))];
  return [extension("551d25", usages), extension("551d11", sequence(...names))];
}

const extension = (id: string, ...parts: readonly Buffer[]): Buffer =>
  sequence(oid(id), ...parts.slice(0, -1), der(0x04, ...parts.slice(-1)));

const commonName = (name: string): Buffer => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(name)))));

/** UTCTime, for years up to 2049. */
const time = (date: Date): Buffer => der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/\D/g, "")}Z`));

const integer = (value: number): Buffer => der(0x02, Buffer.from([value]));
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

const TRUE = der(0x01, Buffer.from([0xff]));
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));
