import type { SecureContextOptions, Server } from "node:tls";
import type { Log } from "../../log.ts";
import {
  expiryOf,
  fingerprint,
  REFRESH_MS,
  readSnapshot,
  type Snapshot,
  toCertificates,
  toSecureContext,
} from "./certificates.ts";

export interface CredentialsOptions {
  /** The folder of tls.crt and tls.key, and of ca.crt where clients have to show a certificate of that authority. */
  readonly certsDir: string;
  readonly requestCert: boolean;
  readonly log: Log;
  readonly refreshMs?: number | undefined;
  /** Is told of each certificate that comes into use when it ends. */
  readonly onCertificate?: (end: Date) => void;
}

/** The credentials of a TLS server, from files that change. */
export interface Credentials {
  readonly secureContext: SecureContextOptions;
  /** Gives changed certificates to the server, for connections from then on. Returns how to stop. */
  follow(server: Pick<Server, "setSecureContext">): () => void;
}

/**
 * Credentials that follow the files they come from. Files are read again and again and not watched: that needs nothing of
 * the file system, and the links below which Kubernetes changes a mounted Secret are no special case.
 *
 * @throws {FunctionError} `CannotServe` where the files cannot be used now. A change that cannot be used later is logged,
 *   and what was there before stays in use.
 */
export function readCredentials(options: CredentialsOptions): Credentials {
  const { certsDir, log, refreshMs = REFRESH_MS } = options;
  const snapshot = read(options);
  const expiry = watchExpiry(options);
  const use = (changed: Snapshot, message: string): SecureContextOptions => {
    const certificates = toCertificates(changed, certsDir);
    const end = expiryOf(certificates);
    log.info(message, { certsDir, expires: end.toISOString() });
    expiry.use(end);
    return toSecureContext(certificates);
  };
  const secureContext = use(snapshot, "certificates read");
  return {
    secureContext,
    follow: (server) => {
      const look = comparing(snapshot, options, (changed) => {
        try {
          server.setSecureContext(use(changed, "certificates changed"));
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          log.error("cannot use the changed certificates; those from before stay in use", { certsDir, reason });
        }
      });
      const timer = setInterval(() => {
        look();
        expiry.look();
      }, refreshMs).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Logs once of each certificate that it has expired: clients refuse it then, and nothing of that reaches the server. */
function watchExpiry({ certsDir, log, onCertificate }: CredentialsOptions) {
  let end = new Date(0);
  let isToBeTold = false;
  const look = (): void => {
    if (!isToBeTold || end.getTime() > Date.now()) return;
    isToBeTold = false;
    log.error("the server's certificate has expired: clients refuse it", { certsDir, expired: end.toISOString() });
  };
  const use = (now: Date): void => {
    end = now;
    isToBeTold = true;
    onCertificate?.(now);
    look();
  };
  return { use, look };
}

/** A server that asks clients for no certificate needs no authority; its own certificate stands in for one. */
function read({ certsDir, requestCert }: CredentialsOptions): Snapshot {
  const snapshot = readSnapshot(certsDir);
  return requestCert ? snapshot : { ...snapshot, ca: snapshot.cert };
}

/**
 * Takes what two readings in a row found unchanged: a file may be half written when it is first seen. A change is taken once,
 * whatever becomes of it.
 */
function comparing(first: Snapshot, options: CredentialsOptions, take: (snapshot: Snapshot) => void): () => void {
  let settled = fingerprint(first);
  let seen = settled;
  return () => {
    const snapshot = read(options);
    const now = fingerprint(snapshot);
    const isSteady = now === seen;
    seen = now;
    if (now === settled || !isSteady) return;
    settled = now;
    take(snapshot);
  };
}
