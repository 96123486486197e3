import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext, type SecureContextOptions, type Server } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import { FunctionError } from "../errors.ts";
import type { Log } from "../log.ts";

interface CredentialsOptions {
  /** The folder of tls.crt and tls.key, and of ca.crt if clients need a certificate. */
  readonly certsDir: string;
  readonly requestCert: boolean;
  readonly log: Log;
  readonly refreshMs?: number | undefined;
  /** Receives the expiry of each certificate that comes into use. */
  readonly onCertificate?: (end: Date) => void;
}

/** The credentials of a TLS server, from files that may change. */
export interface Credentials {
  readonly secureContext: SecureContextOptions;
  /** Sets changed certificates on the server, for later connections. @returns a function that stops this. */
  follow(server: Pick<Server, "setSecureContext">): () => void;
}

/** The interval at which certificates are read again. Kubernetes updates a mounted Secret within about a minute. */
const REFRESH_MS = 10_000;

/**
 * Reads credentials, and reads them again at an interval. Polling works on every file system, and the symbolic links by which
 * Kubernetes replaces a mounted Secret need no special case.
 *
 * @throws {FunctionError} `CannotServe` if the files cannot be used. A later unusable change is only logged.
 */
export function readCredentials(options: CredentialsOptions): Credentials {
  const { certsDir, log, refreshMs = REFRESH_MS, onCertificate } = options;
  const snapshot = readSnapshot(options);
  /** The expiry of the certificate in use, until it has been reported: clients then refuse it, and the server does not learn of that. */
  let unreportedEnd: Date | undefined;
  const reportExpiry = (): void => {
    if (unreportedEnd === undefined || unreportedEnd.getTime() > Date.now()) return;
    const expired = unreportedEnd.toISOString();
    log.error("the server's certificate has expired: clients refuse it", { certsDir, expired });
    unreportedEnd = undefined;
  };
  const use = (changed: Snapshot, message: string): SecureContextOptions => {
    const certificates = toCertificates(changed, certsDir);
    const end = findExpiry(certificates);
    log.info(message, { certsDir, expires: end.toISOString() });
    onCertificate?.(end);
    unreportedEnd = end;
    reportExpiry();
    return toSecureContext(certificates);
  };
  const secureContext = use(snapshot, "certificates read");
  return {
    secureContext,
    follow: (server) => {
      const look = reportChanges(snapshot, options, (changed) => {
        try {
          server.setSecureContext(use(changed, "certificates changed"));
        } catch (error) {
          const reason = toMessage(error);
          log.error("cannot use the changed certificates; the previous ones stay in use", { certsDir, reason });
        }
      });
      const timer = setInterval(() => {
        look();
        reportExpiry();
      }, refreshMs).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Reports each change once, even an unusable one, after two equal readings in a row: a file may be half written at the first. */
function reportChanges(first: Snapshot, options: CredentialsOptions, report: (snapshot: Snapshot) => void): () => void {
  let settled = first;
  let seen = first;
  return () => {
    const now = readSnapshot(options);
    const isSteady = isDeepStrictEqual(now, seen);
    seen = now;
    if (!isSteady || isDeepStrictEqual(now, settled)) return;
    settled = now;
    report(now);
  };
}

/** The server's certificate and key, and the CA of its clients, as PEM. */
interface Certificates {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/** The keys of a Kubernetes TLS Secret, as Crossplane mounts it. */
const fileNames = { cert: "tls.crt", key: "tls.key", ca: "ca.crt" } as const;

/** The contents of the three files, or the error of one that could not be read. */
type Snapshot = { readonly [Part in keyof Certificates]: Buffer | Error };

/** Reads the files. A server that requests no client certificates needs no CA; its own certificate takes the place of one. */
function readSnapshot({ certsDir, requestCert }: CredentialsOptions): Snapshot {
  const read = (name: string): Buffer | Error => {
    try {
      return readFileSync(join(certsDir, name));
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const cert = read(fileNames.cert);
  return { cert, key: read(fileNames.key), ca: requestCert ? read(fileNames.ca) : cert };
}

/**
 * Checks that TLS can be served with these files. node:tls accepts a CA file without a certificate, and then trusts no client.
 *
 * @throws {FunctionError} `CannotServe` with all faults, one per line.
 */
function toCertificates(snapshot: Snapshot, directory: string): Certificates {
  const { cert, key, ca } = snapshot;
  const found = [
    findFault(fileNames.cert, cert, parseChain),
    findFault(fileNames.key, key, createPrivateKey),
    findFault(fileNames.ca, ca, parseChain),
  ];
  const faults = found.filter((text) => text !== undefined);
  if (faults.length === 0) {
    const certificates = snapshot as Certificates;
    const pair = findPairFault(certificates);
    if (pair === undefined) return certificates;
    faults.push(pair);
  }
  const message = [`cannot use the certificates in ${directory} (--tls-certs-dir):`, ...faults].join("\n  ");
  throw new FunctionError("CannotServe", message);
}

/** The expiry of the server's own certificate, or of one of its chain that expires earlier. */
const findExpiry = ({ cert }: Certificates): Date =>
  new Date(Math.min(...parseChain(cert).map(({ validTo }) => Date.parse(validTo))));

/** Makes the options of a TLS server. Crossplane uses TLS 1.3; 1.2 is for probes and gateways. */
const toSecureContext = (pem: Certificates): SecureContextOptions => ({ ...pem, minVersion: "TLSv1.2" });

function findFault(name: string, part: Buffer | Error, parse: (pem: Buffer) => unknown): string | undefined {
  if (part instanceof Error) return `${name}: cannot be read: ${part.message}`;
  try {
    parse(part);
    return undefined;
  } catch (error) {
    return `${name}: not PEM of the right kind: ${toMessage(error)}`;
  }
}

/** Finds a fault of the files as a set. The message contains nothing of the key. */
function findPairFault(certificates: Certificates): string | undefined {
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
