import type { Copy, Key } from "../../input/connection.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import { askForSecret, type Question } from "./question.ts";
import type { SecretName } from "./source.ts";
import type { Standing } from "./standing.ts";

/** A Secret's values by key, in base64 as Kubernetes shows them. */
export type Data = ReadonlyMap<string, string>;

/** What is known of the source Secret. */
export type SourceSecret =
  | { readonly is: "pending" }
  | { readonly is: "missing" }
  | { readonly is: "read"; readonly data: Data; readonly version: string | undefined };

/** Asks for the source Secret: only what a delivery cannot do without, and only once access to it is granted. */
export function readSecret(shareName: string, secret: SecretName, call: Call): [Question, SourceSecret] {
  const question = askForSecret(`shared-resource/${shareName}/secret`, secret, call);
  if (question.answer.is === "pending") return [question, { is: "pending" }];
  const isIt = (namespace: unknown): boolean => namespace === secret.namespace;
  const [found] = question.answer.items.filter((item) => isIt(item.at(["metadata", "namespace"])));
  if (found === undefined) return [question, { is: "missing" }];
  const version = found.at(["metadata", "resourceVersion"]);
  const values = found.at(["data"]);
  return [
    question,
    {
      is: "read",
      data: new Map(textsOf(isObject(values) ? values : {})),
      version: typeof version === "string" ? version : undefined,
    },
  ];
}

const textsOf = (values: JsonObject): [string, string][] =>
  Object.entries(values).flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : []));

/** Tells whether a delivery needs the source Secret's values, its keys only, or nothing of it. */
export function isNeeded({ via, keys }: Copy): boolean {
  if (via === "Object") return false;
  return via !== "ConnectionSecret" || keys === undefined;
}

/** What a copy holds, or why it cannot. */
export type Selected =
  | { readonly is: "selected"; readonly data: Data }
  | { readonly is: "lacking"; readonly standing: Standing };

/** The keys that a copy lists, under their new names; all where it lists none. Sorted, as Kubernetes shows them. */
export function select(keys: readonly Key[] | undefined, data: Data, secret: SecretName): Selected {
  const selected = new Map<string, string>();
  for (const key of keys ?? [...data.keys()].map((name) => ({ from: name, to: name }))) {
    const value = "from" in key ? fromKey(key.from, data, secret) : fromTemplate(key.parts, data, secret);
    if (typeof value !== "string") return { is: "lacking", standing: value };
    selected.set(key.to, value);
  }
  return { is: "selected", data: new Map([...selected].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

const fromKey = (key: string, data: Data, secret: SecretName): string | Standing =>
  data.get(key) ?? { is: "KeyNotFound", secret, key };

type Parts = Extract<Key, { parts: unknown }>["parts"];

function fromTemplate(parts: Parts, data: Data, secret: SecretName): string | Standing {
  const texts: string[] = [];
  for (const part of parts) {
    const text = typeof part === "string" ? part : textOf(part.key, data, secret);
    if (typeof text !== "string") return text;
    texts.push(typeof part !== "string" && part.isEncoded ? encodeURIComponent(text) : text);
  }
  return Buffer.from(texts.join("")).toString("base64");
}

function textOf(key: string, data: Data, secret: SecretName): string | Standing {
  const value = data.get(key);
  if (value === undefined) return { is: "KeyNotFound", secret, key };
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "base64"));
  } catch {
    return { is: "KeyIsNotText", secret, key };
  }
}
