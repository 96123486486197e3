import type { SecretName } from "../../../crossplane/copies.ts";
import type { Via } from "../../../input/connection.ts";
import { type JsonObject, ownValue, toPlainText } from "../../../model/json.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { SharingReason } from "../reasons.ts";
import type { Data, SourceSecret } from "../source.ts";
import type { Cause, JudgedTarget, Judgement, NamedCopy, NamedKey } from "../verdict.ts";

/** Tells whether the delivery of a copy needs the source Secret's values or keys: an Object needs those that its templates name. */
export function needsSource({ via, keys }: NamedCopy): boolean {
  if (keys === undefined) return via !== "Object";
  if (via === "ConnectionSecret") return false;
  return keys.some((key) => ("parts" in key ? key.parts.some((part) => typeof part !== "string") : via !== "Object"));
}

/** The contents of a copy, or the reason why they are not known. */
type Contents = { readonly is: "known"; readonly data: Data } | { readonly is: Cause; readonly reason: SharingReason };

/** Selects the contents of a copy that the provider does not fill in, from the source Secret as far as they need it. */
export function selectContents(copy: NamedCopy, source: SecretName, secret: SourceSecret): Contents {
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

/** Selects the keys that a copy lists, under their new names; all if it lists none. Sorted like in Kubernetes. */
function selectKeys({ via, keys }: NamedCopy, data: JsonObject, secret: SecretName): Contents {
  if (keys === undefined) return { is: "known", data: sortData(data) };
  const selected: [string, string][] = [];
  for (const key of keys) {
    if ("from" in key && isByProvider(via)) continue;
    const value = "from" in key ? fromKey(key.from, data, secret) : fromTemplate(key.parts, data, secret);
    if (typeof value !== "string") return { is: "broken", reason: value };
    selected.push([key.to, value]);
  }
  return { is: "known", data: sortData(Object.fromEntries(selected)) };
}

/** Tells whether the provider reads the keys that are copied as they are. */
const isByProvider = (via: Via): boolean => via === "Object" || via === "ConnectionSecret";

/** Keeps copies in the order of the input up to MAX_COPIES_BYTES, and leaves out the rest: Crossplane refuses a larger response. */
export function limitCopies<Share extends { readonly judgement: Judgement }>(
  shares: readonly Share[],
): readonly Share[] {
  let free = MAX_COPIES_BYTES;
  return shares.map((share) => {
    const { judgement } = share;
    if (judgement.is !== "copy") return share;
    const { source, secret } = judgement;
    const data = secret.is === "read" ? secret.data : {};
    const sizes = new Map<NamedCopy, number>();
    const targets = judgement.targets.map((target): JudgedTarget => {
      const { copy, leave } = target;
      if (leave !== "granted") return target;
      const size = sizes.get(copy) ?? estimateSize(copy, source, data);
      sizes.set(copy, size);
      if (size > free) return { ...target, leave: "tooLarge" };
      free -= size;
      return target;
    });
    const excess = targets.filter(({ leave }) => leave === "tooLarge").length;
    if (excess === 0) return share;
    const reasons = [...judgement.reasons, { is: "TooLarge", excess } as const];
    return { ...share, judgement: { ...judgement, targets, reasons } };
  });
}

/** The bytes composed for a key beside its names and its value. */
const KEY_BYTES = 200;

/** Estimates the bytes of a copy in the response, as an upper bound: its owner and its team decide the real size. */
function estimateSize({ via, keys }: NamedCopy, source: SecretName, data: JsonObject): number {
  const sizeOf = (key: string): number => toPlainText(ownValue(data, key)).length;
  const all = via === "Object" ? [] : Object.keys(data);
  let size = 0;
  for (const key of keys ?? all.map((name) => ({ from: name, to: name }))) {
    size += KEY_BYTES + key.to.length;
    if (!("from" in key)) size += estimateTemplate(key.parts, sizeOf);
    // For each key that the provider copies, an Object repeats the source's name.
    else if (isByProvider(via)) size += key.from.length + source.namespace.length + source.name.length;
    else size += sizeOf(key.from);
  }
  return size;
}

/** Estimates the bytes of a template's result. URL encoding triples a value; a value's base64 is already a third longer than its text. */
const estimateTemplate = (parts: Parts, sizeOf: (key: string) => number): number => {
  let size = 0;
  for (const part of parts) {
    if (typeof part === "string") size += 4 * part.length;
    else size += (part.isEncoded ? 3 : 1) * sizeOf(part.key);
  }
  return size;
};

type Parts = Extract<NamedKey, { parts: unknown }>["parts"];

/** Sorts values by key, in one pass: there may be many. */
function sortData(values: JsonObject): Data {
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

function fromTemplate(parts: Parts, data: JsonObject, secret: SecretName): string | SharingReason {
  const texts: string[] = [];
  for (const part of parts) {
    const text = typeof part === "string" ? part : decodeText(part.key, data, secret);
    if (typeof text !== "string") return text;
    texts.push(typeof part !== "string" && part.isEncoded ? encodeURIComponent(text) : text);
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
