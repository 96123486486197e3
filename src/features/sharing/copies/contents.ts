import type { SecretName } from "../../../crossplane/copies.ts";
import { compareEntries } from "../../../model/collections.ts";
import { type JsonObject, ownValue } from "../../../model/json.ts";
import { once } from "../../../model/once.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { SharingReason } from "../reasons.ts";
import type { Data, SourceSecret } from "../source.ts";
import type { Cause, Copying, NamedCopy, NamedKey } from "../verdict.ts";

/** Tells whether the delivery of a copy needs the source Secret's values or keys: an Object needs those that its templates name. */
export function needsSource({ via, keys }: NamedCopy): boolean {
  if (keys === undefined) return via !== "Object";
  if (via === "ConnectionSecret") return false;
  return keys.some((key) => ("parts" in key ? key.parts.some((part) => typeof part !== "string") : via !== "Object"));
}

/** The contents of a copy and the most bytes that it takes in the response, or the reason why they are not known. */
export type Contents =
  | { readonly is: "known"; readonly data: Data; readonly bytes: number }
  | { readonly is: Cause; readonly reason: SharingReason };

/** The bytes of the response that are left for copies, or for the patches of one share. */
export interface Room {
  left: number;
}

/**
 * Makes the contents of copies in the order of the input, as long as the response has room for them: Crossplane refuses a larger one,
 * and the owner of a Secret and its consumers decide how large it gets.
 */
export function contentsFor({ source, secret }: Copying, room: Room): (copy: NamedCopy) => Contents {
  const select = once((copy: NamedCopy) => selectContents(copy, source, secret));
  return (copy) => {
    const contents = select(copy);
    if (contents.is !== "known") return contents;
    if (contents.bytes > room.left) return TOO_LARGE;
    room.left -= contents.bytes;
    return contents;
  };
}

const TOO_LARGE = { is: "broken", reason: { is: "TooLarge", excess: 1 } } as const;

/** Selects the contents of a copy, without those that the provider fills in. Reads the source Secret only if they need it. */
function selectContents(copy: NamedCopy, source: SecretName, secret: SourceSecret): Contents {
  if (!needsSource(copy)) return selectKeys(copy, {}, source);
  switch (secret.is) {
    case "pending":
      return { is: "unknown", reason: { is: "WaitingForRequiredResources", wanted: "Secret" } };
    case "missing":
      return { is: "gone", reason: { is: "SourceNotFound", secret: source } };
    case "read":
      return selectKeys(copy, secret.data, source);
  }
}

/** The bytes composed for a key beside its names and its value. */
const KEY_BYTES = 200;

/** Selects the keys that a copy lists, under their new names; all if it lists none. Sorted like in Kubernetes. */
function selectKeys({ via, keys }: NamedCopy, data: JsonObject, secret: SecretName): Contents {
  const all: readonly NamedKey[] = keys ?? Object.keys(data).map((name) => ({ from: name, to: name }));
  const isFilledIn = (key: NamedKey): boolean => "from" in key && (via === "Object" || via === "ConnectionSecret");
  // For each key that the provider copies, an Object repeats the source's name.
  const source = secret.namespace.length + secret.name.length;
  const toBytes = (key: NamedKey): number =>
    KEY_BYTES + key.to.length + ("from" in key && isFilledIn(key) ? key.from.length + source : 0);
  let bytes = all.reduce((sum, key) => sum + toBytes(key), 0);
  const selected: [string, string][] = [];
  for (const key of keys === undefined ? all : all.filter((each) => !isFilledIn(each))) {
    const most = MAX_COPIES_BYTES - bytes;
    const value = "from" in key ? fromKey(key.from, data, secret) : fromTemplate(key.parts, data, secret, most);
    if (typeof value !== "string") return { is: "broken", reason: value };
    bytes += isFilledIn(key) ? 0 : value.length;
    selected.push([key.to, value]);
  }
  return { is: "known", data: new Map(selected.sort(compareEntries)), bytes };
}

type Parts = Extract<NamedKey, { parts: unknown }>["parts"];

function fromKey(key: string, data: JsonObject, secret: SecretName): string | SharingReason {
  const value = ownValue(data, key);
  return typeof value === "string" ? value : { is: "KeyNotFound", secret, key };
}

/** @param most the bytes after which it stops: a template may name a large value many times. */
function fromTemplate(parts: Parts, data: JsonObject, secret: SecretName, most: number): string | SharingReason {
  const texts: string[] = [];
  let length = 0;
  for (const part of parts) {
    const text = typeof part === "string" ? part : decodeText(part.key, data, secret);
    if (typeof text !== "string") return text;
    const whole = typeof part !== "string" && part.isEncoded ? encodeURIComponent(text) : text;
    length += whole.length;
    if (length > most) return TOO_LARGE.reason;
    texts.push(whole);
  }
  return Buffer.from(texts.join("")).toString("base64");
}

function decodeText(key: string, data: JsonObject, secret: SecretName): string | SharingReason {
  const value = fromKey(key, data, secret);
  if (typeof value !== "string") return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "base64"));
  } catch {
    return { is: "KeyIsNotText", secret, key };
  }
}
