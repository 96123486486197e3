import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { FunctionError } from "../../errors.ts";

/** The server's certificate and key, and the CA of its clients, as PEM. */
export interface Certificates {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/** The keys of a Kubernetes TLS Secret, as Crossplane mounts it. */
const fileNames = { cert: "tls.crt", key: "tls.key", ca: "ca.crt" } as const;

/** The interval at which certificates are read again. Kubernetes updates a mounted Secret within about a minute. */
export const REFRESH_MS = 10_000;

/** The contents of the three files, or the error of one that could not be read. */
export type Snapshot = { readonly [Part in keyof Certificates]: Buffer | Error };

export function readSnapshot(directory: string): Snapshot {
  const read = (name: string): Buffer | Error => {
    try {
      return readFileSync(join(directory, name));
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return { cert: read(fileNames.cert), key: read(fileNames.key), ca: read(fileNames.ca) };
}

/**
 * Checks that TLS can be served with these files. node:tls accepts a CA file without a certificate, and then trusts no client.
 *
 * @throws {FunctionError} `CannotServe` with all faults, one per line.
 */
export function toCertificates(snapshot: Snapshot, directory: string): Certificates {
  const { cert, key, ca } = snapshot;
  const found = [
    fault(fileNames.cert, cert, parseChain),
    fault(fileNames.key, key, createPrivateKey),
    fault(fileNames.ca, ca, parseChain),
  ];
  const faults = found.filter((text) => text !== undefined);
  if (faults.length === 0 && isRead(snapshot)) {
    const pair = pairFault(snapshot);
    if (pair === undefined) return snapshot;
    faults.push(pair);
  }
  const message = [`cannot use the certificates in ${directory} (--tls-certs-dir):`, ...faults].join("\n  ");
  throw new FunctionError("CannotServe", message);
}

const isRead = (snapshot: Snapshot): snapshot is Certificates =>
  Object.values(snapshot).every((part) => part instanceof Buffer);

/** The expiry of the server's own certificate, or of one of its chain that expires earlier. */
export function findExpiry({ cert }: Certificates): Date {
  const ends = parseChain(cert).map(({ validTo }) => Date.parse(validTo));
  return new Date(Math.min(...ends));
}

/** Makes the options of a TLS server. Crossplane uses TLS 1.3; 1.2 is for probes and gateways. */
export const toSecureContext = ({ cert, key, ca }: Certificates): SecureContextOptions => ({
  cert,
  key,
  ca,
  minVersion: "TLSv1.2",
});

function fault(name: string, part: Buffer | Error, parse: (pem: Buffer) => unknown): string | undefined {
  if (part instanceof Error) return `${name}: cannot be read: ${part.message}`;
  try {
    parse(part);
    return undefined;
  } catch (error) {
    return `${name}: not PEM of the right kind: ${toMessage(error)}`;
  }
}

/** Finds a fault of the files as a set. The message contains nothing of the key. */
function pairFault(certificates: Certificates): string | undefined {
  const { cert, key } = certificates;
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    return `${fileNames.key}: not the key of ${fileNames.cert}`;
  }
  try {
    createSecureContext(toSecureContext(certificates));
    return undefined;
  } catch (error) {
    return `not usable together: ${toMessage(error)}`;
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function parseChain(pem: Buffer): readonly X509Certificate[] {
  const blocks = pem.toString("latin1").match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error("it holds no certificate");
  return blocks.map((block) => new X509Certificate(block));
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
