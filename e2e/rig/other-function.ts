import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { freePort, isServing } from "../../testing/servers/free-port.ts";
import { pathOf } from "./kubectl.ts";
import { type Part, startPart } from "./process.ts";

/** The functions of others that users have before and after ours. */
export const PATCH_AND_TRANSFORM = "function-patch-and-transform";
export const AUTO_READY = "function-auto-ready";
export const otherFunctions = [PATCH_AND_TRANSFORM, AUTO_READY] as const;
export type OtherFunction = (typeof otherFunctions)[number];

/** Starts one of them as Crossplane would: a process that serves over mTLS. */
export async function startOtherFunction(
  name: OtherFunction,
  directory: string,
  authority: Identity,
): Promise<{ readonly part: Part; readonly port: number }> {
  const certsDir = join(directory, "certificates", name);
  mkdirSync(certsDir, { recursive: true });
  writeCertificates(certsDir, authority, issue(authority, name));
  const port = await freePort();
  const part = await startPart({
    name,
    command: pathOf(name),
    args: ["--address", `127.0.0.1:${port}`],
    env: { TLS_SERVER_CERTS_DIR: certsDir },
    directory,
    isReady: () => isServing(port),
  });
  return { part, port };
}
