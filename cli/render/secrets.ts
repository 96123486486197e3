import { isObject, type JsonObject } from "../../src/model/json.ts";
import { invalidInput } from "../files.ts";
import type { Inputs, Step } from "./inputs.ts";
import { metadataString, objectAt } from "./objects.ts";
import { mapValues, type RunFunctionRequest } from "./protocol.ts";

const findSecret = (name: unknown, namespace: unknown, objects: readonly JsonObject[]): JsonObject | undefined =>
  objects.find(
    (object) =>
      object["kind"] === "Secret" &&
      metadataString(object, "name") === name &&
      metadataString(object, "namespace") === namespace,
  );

const readData = (secret: JsonObject) =>
  mapValues(objectAt(secret, "data"), (value) => Buffer.from(String(value), "base64"));

/** Reads the connection details of an observed resource from the Secret that it names, as Crossplane does. */
export function readConnectionDetails(observed: JsonObject, { required, observed: others }: Inputs) {
  const reference = objectAt(observed, "spec", "writeConnectionSecretToRef");
  const { name, namespace = metadataString(observed, "namespace") } = reference;
  const secret = name === undefined ? undefined : findSecret(name, namespace, [...required, ...others]);
  return secret && readData(secret);
}

/** Reads the Secrets that a step gets as credentials. @throws {FunctionError} where one is not among the files. */
export function readCredentials({ step, credentials }: Step, secrets: readonly JsonObject[]) {
  const entries = credentials.flatMap((credential) => {
    const { name, source, secretRef = {} } = credential;
    if (source !== "Secret") return [];
    const [wanted, namespace] = isObject(secretRef) ? [secretRef["name"], secretRef["namespace"]] : [];
    const secret = findSecret(wanted, namespace, secrets);
    if (secret !== undefined) return [[String(name), { credentialData: { data: readData(secret) } }] as const];
    throw invalidInput(
      `step ${JSON.stringify(step)}: found no Secret ${String(namespace)}/${String(wanted)} for its credentials ${String(name)} in --function-credentials`,
    );
  });
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) satisfies RunFunctionRequest["credentials"]);
}
