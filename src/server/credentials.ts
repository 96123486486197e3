import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext, type SecureContextOptions, type Server } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import { FunctionError, toMessage } from "../errors.ts";
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

/** The interval at which certificates are read again. Kubernetes updates a mounted Secret within about a minute. */
const REFRESH_MS = 10_000;

/**
 * Reads the credentials of a TLS server, again and again. Polling works on every file system, and the symbolic links by which Kubernetes
 * replaces a mounted Secret need no special case.
 *
 * @throws {FunctionError} `CannotServe` if the files cannot be used. A later unusable change is only logged.
 */
export function readCredentials(options: CredentialsOptions) {
  const { certsDir, log, refreshMs = REFRESH_MS, onCertificate } = options;
  /** The expiry of the certificate in use, until it has been reported: clients then refuse it, and the server does not learn of that. */
  let unreportedEnd: Date | undefined;
  const reportExpiry = (): void => {
    if (unreportedEnd === undefined || unreportedEnd.getTime() > Date.now()) return;
    const expired = unreportedEnd.toISOString();
    log.error("the server's certificate has expired: clients refuse it", { certsDir, expired });
    unreportedEnd = undefined;
  };
  const use = (files: Files, message: string): SecureContextOptions => {
    const context = toSecureContext(files, certsDir);
    const end = findExpiry(context);
    log.info(message, { certsDir, expires: end.toISOString() });
    onCertificate?.(end);
    unreportedEnd = end;
    reportExpiry();
    return context;
  };
  const first = readFiles(options);
  return {
    secureContext: use(first, "certificates read"),
    /** Sets changed certificates on the server, for later connections. @returns a function that stops this. */
    follow: (server: Pick<Server, "setSecureContext">): (() => void) => {
      const look = reportChanges(first, options, (changed) => {
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
function reportChanges(first: Files, options: CredentialsOptions, report: (files: Files) => void): () => void {
  let settled = first;
  let seen = first;
  return () => {
    const now = readFiles(options);
    const isSteady = isDeepStrictEqual(now, seen);
    seen = now;
    if (!isSteady || isDeepStrictEqual(now, settled)) return;
    settled = now;
    report(now);
  };
}

/** The keys of a Kubernetes TLS Secret, as Crossplane mounts it. */
const fileNames = { cert: "tls.crt", key: "tls.key", ca: "ca.crt" } as const;

/** The contents of the three files, or why one could not be read. */
type Files = Readonly<Record<keyof typeof fileNames, Buffer | string>>;

/** Reads the files. A server that requests no client certificates needs no CA; its own certificate takes the place of one. */
function readFiles({ certsDir, requestCert }: CredentialsOptions): Files {
  const read = (name: string): Buffer | string => {
    try {
      return readFileSync(join(certsDir, name));
    } catch (error) {
      return `cannot be read: ${toMessage(error)}`;
    }
  };
  const cert = read(fileNames.cert);
  return { cert, key: read(fileNames.key), ca: requestCert ? read(fileNames.ca) : cert };
}

/** The options of a TLS server. Crossplane uses TLS 1.3; 1.2 is for probes and gateways. */
type Context = Readonly<Record<keyof typeof fileNames, Buffer>> & { readonly minVersion: "TLSv1.2" };

/**
 * Checks that TLS can be served with these files. node:tls accepts a CA file without a certificate, and then trusts no client.
 *
 * @throws {FunctionError} `CannotServe` with all faults, one per line.
 */
function toSecureContext({ cert, key, ca }: Files, directory: string): Context {
  const faults = [
    ...findFaults(fileNames.cert, cert, parseChain),
    ...findFaults(fileNames.key, key, createPrivateKey),
    ...findFaults(fileNames.ca, ca, parseChain),
  ];
  const context = { cert, key, ca, minVersion: "TLSv1.2" } as Context;
  if (faults.length === 0) faults.push(...findPairFaults(context));
  if (faults.length === 0) return context;
  const message = [`cannot use the certificates in ${directory} (--tls-certs-dir):`, ...faults].join("\n  ");
  throw new FunctionError("CannotServe", message);
}

/** The expiry of the server's own certificate, or of one of its chain that expires earlier. */
const findExpiry = ({ cert }: Context): Date =>
  new Date(Math.min(...parseChain(cert).map(({ validTo }) => Date.parse(validTo))));

const findFaults = (name: string, content: Buffer | string, parse: (pem: Buffer) => unknown): readonly string[] =>
  typeof content === "string"
    ? [`${name}: ${content}`]
    : findFault(`${name}: not PEM of the right kind`, () => parse(content));

/** Finds faults of the files as a set. The message contains nothing of the key. */
function findPairFaults(context: Context): readonly string[] {
  const { cert, key } = context;
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
    ? findFault("not usable together", () => createSecureContext(context))
    : [`${fileNames.key}: not the key of ${fileNames.cert}`];
}

function findFault(what: string, check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [`${what}: ${toMessage(error)}`];
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function parseChain(pem: Buffer): readonly X509Certificate[] {
  const blocks = pem.toString("latin1").match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error("it holds no certificate");
  return blocks.map((block) => new X509Certificate(block));
}
