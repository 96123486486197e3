import type { JsonObject } from "../../src/model/json.ts";
import type { Step } from "./composition.ts";
import { RenderError } from "./error.ts";
import { metadataString } from "./metadata.ts";
import { objectAt } from "./objects.ts";
import type { Credentials } from "./protocol.ts";

/**
 * Finds the step's credentials among the Secrets of the files. As in Crossplane, other sources are ignored.
 *
 * @throws {RenderError} where a Secret is missing.
 */
export function findCredentials(step: Step, secrets: readonly JsonObject[]): Record<string, Credentials> {
  const entries = step.credentials.flatMap(({ name, source, secretRef }) => {
    if (source !== "Secret" || secretRef === undefined) return [];
    const secret = secrets.find(
      (object) =>
        metadataString(object, "name") === secretRef.name &&
        metadataString(object, "namespace") === secretRef.namespace,
    );
    if (secret !== undefined) return [[name, { credentialData: { data: decodeData(secret) } }]];
    const quoted = JSON.stringify(secretRef.name);
    throw new RenderError(`cannot get credentials from secret ${quoted}: secret ${quoted} not found`);
  });
  return Object.fromEntries(entries);
}

const decodeData = (secret: JsonObject): Record<string, Uint8Array> =>
  Object.fromEntries(
    Object.entries(objectAt(secret, "data")).map(([key, value]) => [key, Buffer.from(String(value), "base64")]),
  );
