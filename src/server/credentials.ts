import { ServerCredentials } from "@grpc/grpc-js";
import type { Transport } from "../config.ts";
import type { Log } from "../log.ts";
import {
  type Certificates,
  expiryOf,
  fingerprint,
  readSnapshot,
  type Snapshot,
  toCertificates,
  toSecureContext,
} from "./certificates.ts";

/** What connections are accepted with, and how to stop looking after it. */
export interface Credentials {
  readonly credentials: ServerCredentials;
  readonly stop: () => void;
}

/**
 * Credentials that follow the files they come from. Files are read again and again and not watched: that needs nothing of
 * the file system, and the links below which Kubernetes changes a mounted Secret are no special case.
 *
 * @throws {FunctionError} `CannotServe` where the files cannot be used now. A change that cannot be used later is logged,
 *   and what was there before stays in use.
 */
export function toCredentials(transport: Transport, log: Log, refreshMs: number): Credentials {
  if (transport.is === "insecure") {
    log.warn("serving without TLS: whoever reaches the address can call the function");
    return { credentials: ServerCredentials.createInsecure(), stop: () => {} };
  }
  const { certsDir } = transport;
  const snapshot = readSnapshot(certsDir);
  const certificates = toCertificates(snapshot, certsDir);
  log.info("certificates read", { certsDir, expires: expiryOf(certificates) });

  const credentials = new MutualTlsCredentials(certificates);
  const timer = setInterval(follow(certsDir, snapshot, credentials, log), refreshMs).unref();
  return { credentials, stop: () => clearInterval(timer) };
}

/**
 * Takes over what two readings in a row found unchanged: a file may be half written when it is first seen. A change is taken
 * over, or refused, once.
 */
function follow(certsDir: string, first: Snapshot, credentials: MutualTlsCredentials, log: Log): () => void {
  let settled = fingerprint(first);
  let seen = settled;
  return () => {
    const snapshot = readSnapshot(certsDir);
    const now = fingerprint(snapshot);
    const isSteady = now === seen;
    seen = now;
    if (now === settled || !isSteady) return;

    settled = now;
    try {
      const certificates = toCertificates(snapshot, certsDir);
      credentials.use(certificates);
      log.info("certificates changed", { certsDir, expires: expiryOf(certificates) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error("cannot use the changed certificates; those from before stay in use", { certsDir, reason });
    }
  };
}

/**
 * TLS that requires client certificates, with certificates that can change. grpc-js has such credentials
 * (`createCertificateProviderServerCredentials` with the experimental `FileWatcherCertificateProvider`), but they start
 * without certificates, and drop every connection without a word while a file is missing or does not fit the others.
 */
class MutualTlsCredentials extends ServerCredentials {
  constructor(certificates: Certificates) {
    super({ requestCert: true, rejectUnauthorized: true }, toSecureContext(certificates));
  }

  /** For connections from now on. */
  use(certificates: Certificates): void {
    this.updateSecureContextOptions(toSecureContext(certificates));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
