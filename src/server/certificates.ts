import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext, type SecureContextOptions, type Server } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import { FunctionError, toMessage } from "../errors.ts";
import type { Log } from "../log.ts";

interface CertificateOptions {
  /** The directory of tls.crt and tls.key, and of ca.crt if clients need a certificate. */
  readonly certsDir: string;
  readonly requestCert: boolean;
  readonly log: Log;
  readonly refreshMs?: number | undefined;
  readonly onCertificate?: (end: Date) => void;
}

/** The interval between readings. Kubernetes updates a mounted Secret within about a minute. */
const REFRESH_MS = 10_000;

/**
 * Reads a TLS server's certificates, and reloads them when they change. Polling works on every file system, and with
 * the symbolic links by which Kubernetes replaces a mounted Secret.
 *
 * @throws {FunctionError} `CannotServe` if the files cannot be used. Later, unusable files are only logged.
 */
export function loadCertificates(options: CertificateOptions) {
  const { certsDir, log, refreshMs = REFRESH_MS, onCertificate } = options;
  /** The expiry of the certificate in use; undefined once reported. Clients refuse an expired one without telling the server. */
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
    /** Reloads certificates for later connections. @returns a function that stops this. */
    reloadInto: (server: Pick<Server, "setSecureContext">): (() => void) => {
      const reportIfChanged = reportChanges(first, options, (changed) => {
        try {
          server.setSecureContext(use(changed, "certificates changed"));
        } catch (error) {
          const reason = toMessage(error);
          log.error("cannot use the changed certificates; the previous ones stay in use", { certsDir, reason });
        }
      });
      const timer = setInterval(() => {
        reportIfChanged();
        reportExpiry();
      }, refreshMs).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Reports each change once, after two equal readings in a row: files may be half written at the first. */
function reportChanges(first: Files, options: CertificateOptions, report: (files: Files) => void): () => void {
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

/** The files of a Kubernetes TLS Secret, as Crossplane mounts it. */
const FILES = {
  cert: { name: "tls.crt", holds: "certificate", parse: parseChain },
  key: { name: "tls.key", holds: "private key", parse: createPrivateKey },
  ca: { name: "ca.crt", holds: "certificate", parse: parseChain },
} as const;

/** The content of each file, or why it could not be read. */
type Files = Readonly<Record<keyof typeof FILES, Buffer | string>>;

/** Reads the files. A server that requests no client certificates needs no ca.crt: its own certificate takes that place. */
function readFiles({ certsDir, requestCert }: CertificateOptions): Files {
  const read = (file: keyof typeof FILES): Buffer | string => {
    try {
      return readFileSync(join(certsDir, FILES[file].name));
    } catch (error) {
      return `cannot be read: ${toMessage(error)}`;
    }
  };
  const cert = read("cert");
  return { cert, key: read("key"), ca: requestCert ? read("ca") : cert };
}

/** The options of a TLS server. Crossplane uses TLS 1.3; probes and gateways may use 1.2. */
type Context = Readonly<Record<keyof typeof FILES, Buffer>> & { readonly minVersion: "TLSv1.2" };

/**
 * Checks the files, and makes the server's options of them. node:tls would accept a CA file without a certificate, and
 * then trust no client.
 *
 * @throws {FunctionError} `CannotServe` with all faults, one per line, and nothing of the key.
 */
function toSecureContext(files: Files, directory: string): Context {
  const faults: string[] = [];
  const check = (what: string, run: () => unknown): void => {
    try {
      run();
    } catch (error) {
      faults.push(`${what}: ${toMessage(error)}`);
    }
  };
  for (const file of ["cert", "key", "ca"] as const) {
    const [content, { name, holds, parse }] = [files[file], FILES[file]];
    if (typeof content === "string") faults.push(`${name}: ${content}`);
    else check(`${name}: not a PEM ${holds}`, () => parse(content));
  }
  const context = { ...files, minVersion: "TLSv1.2" } as Context;
  if (faults.length === 0) {
    const isPair = new X509Certificate(context.cert).checkPrivateKey(createPrivateKey(context.key));
    if (isPair) check("not usable together", () => createSecureContext(context));
    else faults.push(`${FILES.key.name}: not the key of ${FILES.cert.name}`);
  }
  if (faults.length === 0) return context;
  const message = [`cannot use the certificates in ${directory} (--tls-certs-dir):`, ...faults].join("\n  ");
  throw new FunctionError("CannotServe", message);
}

const findExpiry = ({ cert }: Context): Date =>
  new Date(Math.min(...parseChain(cert).map(({ validTo }) => Date.parse(validTo))));

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function parseChain(pem: Buffer): readonly X509Certificate[] {
  const blocks = pem.toString("latin1").match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error("it holds no certificate");
  return blocks.map((block) => new X509Certificate(block));
}
