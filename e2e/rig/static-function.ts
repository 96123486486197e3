import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { createLog } from "../../src/log.ts";
import type { Document } from "../../src/model/document.ts";
import { emptyDraft, type ResourceEdit } from "../../src/model/draft.ts";
import { parseFieldPath } from "../../src/model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import type { Outcome } from "../../src/run-function.ts";
import { serve } from "../../src/server/server.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { type Identity, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { configFrom } from "../../testing/servers/config.ts";

/**
 * A composer for scenarios, not for users: it desires the resources that its input lists, as `{resources: {name: manifest}}`.
 * `$(spec.team)` in a text is that field of the XR. It stands for the steps before ours.
 */
export const STATIC_FUNCTION = "function-static-resources";

export interface StaticFunction {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startStaticFunction(directory: string, authority: Identity): Promise<StaticFunction> {
  const certsDir = join(directory, STATIC_FUNCTION);
  mkdirSync(certsDir, { recursive: true });
  writeCertificates(certsDir, authority, await issue(authority, STATIC_FUNCTION));
  const args = ["--address=127.0.0.1:0", "--metrics-address=", "--shutdown-grace-period=1s"];
  const config = configFrom(args, { TLS_SERVER_CERTS_DIR: certsDir });
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLog(config, nowhere);
  const { port, shutDown } = await serve(config, { runFunction: desireListed, log });
  return { port, stop: shutDown };
}

function desireListed(message: Uint8Array): Outcome {
  const request = readRequest(message);
  const listed = request.input.at(["resources"]);
  const xr = request.observed.composite.document;
  const resources = new Map<string, ResourceEdit>();
  for (const [name, manifest] of Object.entries(isObject(listed) ? listed : {})) {
    const object = filled(manifest, xr);
    if (isObject(object)) resources.set(name, { is: "set", object });
  }
  return { response: writeResponse(request, { ...emptyDraft, resources }), conditions: [], results: [], audit: [] };
}

function filled(value: JsonValue, xr: Document): JsonValue {
  if (typeof value === "string") {
    return value.replace(/\$\((?<path>[^)]+)\)/g, (_, path: string) => String(xr.at(parseFieldPath(path)) ?? ""));
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => filled(item, xr));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, filled(item, xr)] as const);
  return Object.fromEntries(entries) satisfies JsonObject;
}
