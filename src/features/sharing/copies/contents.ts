import { toSecretRequirement } from "../../../crossplane/requirement.ts";
import type { Copy, Key } from "../../../input/connection.ts";
import { isObject, type JsonObject, ownValue } from "../../../model/json.ts";
import type { Requirement } from "../../../model/requirement.ts";
import type { Call } from "../../feature.ts";
import type { SharingReason } from "../reason.ts";
import type { SecretName } from "../source.ts";

/** A Secret's values by key, in base64 as Kubernetes shows them. */
export type Data = ReadonlyMap<string, string>;

/** The state of the source Secret. */
export type SourceSecret =
  | { readonly is: "pending" }
  | { readonly is: "missing" }
  | { readonly is: "read"; readonly data: JsonObject; readonly version: string | undefined };

/** Asks for the source Secret: only what a delivery cannot do without, and only once access to it is granted. */
export function readSecret(share: string, secret: SecretName, call: Call): [Requirement, SourceSecret] {
  const requirement = toSecretRequirement(`shared-resource/${share}/secret`, secret);
  const answer = call.request.required(requirement.name);
  if (answer.is === "pending") return [requirement, { is: "pending" }];
  const isIt = (namespace: unknown): boolean => namespace === secret.namespace;
  const [found] = answer.items.filter((item) => isIt(item.at(["metadata", "namespace"])));
  if (found === undefined) return [requirement, { is: "missing" }];
  const version = found.at(["metadata", "resourceVersion"]);
  const values = found.at(["data"]);
  return [
    requirement,
    {
      is: "read",
      data: isObject(values) ? values : {},
      version: typeof version === "string" ? version : undefined,
    },
  ];
}

/** Tells whether a delivery needs the source Secret's values or keys. */
export function isNeeded({ via, keys }: Copy): boolean {
  if (via === "Object") return false;
  return via !== "ConnectionSecret" || keys === undefined;
}

/** The contents of a copy, or the reason why they are not known; `isGone` where the source Secret does not exist. */
export type Contents =
  | { readonly is: "known"; readonly data: Data }
  | { readonly is: "lacking"; readonly cause: "unknown" | "broken" | "gone"; readonly reason: SharingReason };

/** Selects what a copy is to hold of the source Secret. */
export function selectContents(copy: Copy, source: SecretName, secret: SourceSecret): Contents {
  if (!isNeeded(copy)) return { is: "known", data: new Map() };
  switch (secret.is) {
    case "pending":
      return { is: "lacking", cause: "unknown", reason: { is: "WaitingForRequiredResources", wanted: "Secret" } };
    case "missing":
      return { is: "lacking", cause: "gone", reason: { is: "SourceNotFound", secret: source } };
    case "read":
      return selectKeys(copy.keys, secret.data, source);
  }
}

/** The keys that a copy lists, under their new names; all where it lists none. Sorted, as Kubernetes shows them. */
function selectKeys(keys: readonly Key[] | undefined, data: JsonObject, secret: SecretName): Contents {
  if (keys === undefined) return { is: "known", data: toData(data) };
  const selected: Record<string, string> = {};
  for (const key of keys) {
    const value = "from" in key ? fromKey(key.from, data, secret) : fromTemplate(key.parts, data, secret);
    if (typeof value !== "string") return { is: "lacking", cause: "broken", reason: value };
    selected[key.to] = value;
  }
  return { is: "known", data: toData(selected) };
}

/** There may be many keys: this is one pass and a sort. */
function toData(values: JsonObject): Data {
  const data = new Map<string, string>();
  for (const key of Object.keys(values).sort()) {
    const value = values[key];
    if (typeof value === "string") data.set(key, value);
  }
  return data;
}

function fromKey(key: string, data: JsonObject, secret: SecretName): string | SharingReason {
  const value = ownValue(data, key);
  return typeof value === "string" ? value : { is: "KeyNotFound", secret, key };
}

type Parts = Extract<Key, { parts: unknown }>["parts"];

function fromTemplate(parts: Parts, data: JsonObject, secret: SecretName): string | SharingReason {
  const texts: string[] = [];
  for (const part of parts) {
    const text = typeof part === "string" ? part : readText(part.key, data, secret);
    if (typeof text !== "string") return text;
    texts.push(typeof part !== "string" && part.isEncoded ? encodeURIComponent(text) : text);
  }
  return Buffer.from(texts.join("")).toString("base64");
}

function readText(key: string, data: JsonObject, secret: SecretName): string | SharingReason {
  const value = fromKey(key, data, secret);
  if (typeof value !== "string") return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "base64"));
  } catch {
    return { is: "KeyIsNotText", secret, key };
  }
}
