import type { Server } from "node:https";
import type { Log } from "../../log.ts";
import {
  type Certificates,
  expiryOf,
  fingerprint,
  REFRESH_MS,
  readSnapshot,
  type Snapshot,
  toCertificates,
  toSecureContext,
} from "../../server/certificates.ts";

/**
 * What the webhook serves with. The API server proves who it is only where it is told to, so no ca.crt is needed: that the
 * certificate vouches for clients is a formality here.
 *
 * @throws {FunctionError} `CannotServe` with all faults.
 */
export function readCertificates(directory: string): {
  readonly certificates: Certificates;
  readonly snapshot: Snapshot;
} {
  const snapshot = snapshotOf(directory);
  return { certificates: toCertificates(snapshot, directory), snapshot };
}

function snapshotOf(directory: string): Snapshot {
  const snapshot = readSnapshot(directory);
  return { ...snapshot, ca: snapshot.cert };
}

/**
 * Takes changed files over, once two readings in a row found the same: one may be half written. What cannot be used is logged, and
 * what was there before stays in use.
 *
 * @returns how to stop.
 */
export function followCertificates(
  server: Pick<Server, "setSecureContext">,
  directory: string,
  first: Snapshot,
  log: Log,
  refreshMs = REFRESH_MS,
): () => void {
  let settled = fingerprint(first);
  let seen = settled;
  const timer = setInterval(() => {
    const snapshot = snapshotOf(directory);
    const now = fingerprint(snapshot);
    const isSteady = now === seen;
    seen = now;
    if (now === settled || !isSteady) return;
    settled = now;
    try {
      const certificates = toCertificates(snapshot, directory);
      server.setSecureContext(secureContextOf(certificates));
      log.info("certificates changed", { directory, expires: expiryOf(certificates) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error("cannot use the changed certificates; those from before stay in use", { directory, reason });
    }
  }, refreshMs).unref();
  return () => clearInterval(timer);
}

export function secureContextOf(certificates: Certificates) {
  const { cert, key, minVersion } = toSecureContext(certificates);
  return { cert, key, minVersion };
}
