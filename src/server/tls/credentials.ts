import type { SecureContextOptions, Server } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import type { Log } from "../../log.ts";
import {
  findExpiry,
  REFRESH_MS,
  readSnapshot,
  type Snapshot,
  toCertificates,
  toSecureContext,
} from "./certificates.ts";

export interface CredentialsOptions {
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

/**
 * Reads credentials, and reads them again at an interval. Polling works on every file system, and the symbolic links by which
 * Kubernetes replaces a mounted Secret need no special case.
 *
 * @throws {FunctionError} `CannotServe` if the files cannot be used. A later unusable change is only logged.
 */
export function readCredentials(options: CredentialsOptions): Credentials {
  const { certsDir, log, refreshMs = REFRESH_MS, onCertificate } = options;
  const snapshot = read(options);
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
          const reason = error instanceof Error ? error.message : String(error);
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

/** Reads the files. A server that requests no client certificates needs no CA; its own certificate takes the place of one. */
function read({ certsDir, requestCert }: CredentialsOptions): Snapshot {
  const snapshot = readSnapshot(certsDir);
  return requestCert ? snapshot : { ...snapshot, ca: snapshot.cert };
}

/** Reports each change once, even an unusable one, after two equal readings in a row: a file may be half written at the first. */
function reportChanges(first: Snapshot, options: CredentialsOptions, report: (snapshot: Snapshot) => void): () => void {
  let settled = first;
  let seen = first;
  return () => {
    const now = read(options);
    const isSteady = isDeepStrictEqual(now, seen);
    seen = now;
    if (!isSteady || isDeepStrictEqual(now, settled)) return;
    settled = now;
    report(now);
  };
}
