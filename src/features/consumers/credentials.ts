import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import { CONNECTION_SECRET_REF, formatSecret, type SecretName } from "../../crossplane/copies.ts";
import { labelPath, OWNER_REFERENCES } from "../../crossplane/metadata.ts";
import type { Credentials } from "../../input/consumers.ts";
import { compareTexts } from "../../model/collections.ts";
import { shownCondition } from "../../model/condition.ts";
import { documentOf, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { hashText } from "../../model/hash.ts";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import { DNS_LABEL } from "../../model/names.ts";
import type { Resource } from "../../model/request.ts";
import { ANSWER_LABEL, composeAnswer } from "../../ownership/answer.ts";
import type { Consumer } from "../../ownership/consumer.ts";
import { type Edits, keepObserved } from "../desired.ts";
import type { Call } from "../feature.ts";
import { resolveStrings } from "../value.ts";
import type { KnownAccess } from "./access.ts";
import type { Owner } from "./find.ts";

/** The credential of one namespace, of one turn. */
interface Credential extends Turn {
  readonly key: string;
  readonly object: JsonObject;
  readonly isReady: boolean;
  /** The Secret that holds it, as far as it is known. */
  readonly secret: SecretName | undefined;
}

export interface CredentialsState {
  readonly credentials: readonly Credential[];
  /** The turn whose credentials consumers are to copy. */
  readonly turn: string;
  /** The namespaces whose credential is left out, since there are too many. */
  readonly excess: number;
}

const PREFIX = "consumers/credentials/";

/** Crossplane takes a response of 4 MiB, in which the XR's status and other resources have their place too. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_CREDENTIALS = 1000;
/** The most turns at a time: one that ends, and one that begins. */
const MAX_TURNS = 2;

/** A namespace, and a hash of the turn's text; empty without `turns`. */
interface Turn {
  readonly namespace: string;
  readonly turn: string;
}

/** The namespaces that are to have a credential. */
interface Entitled {
  readonly namespaces: readonly string[];
  /** The consumers that copy one. */
  readonly consumers: readonly Consumer[];
  /** Tells whether a credential that is there stays. */
  isKept(namespace: string): boolean;
}

/**
 * Finds the namespaces that are to have a credential: those that the grant names, or those of consumers that copy one and have a
 * grant. Where all namespaces are granted, nothing is taken back from those that the grant named before, and a consumer gets one for its
 * own namespace: a team could name a thousand others in its record. A revoked grant takes the credential away, whether the consumers are
 * known or not.
 */
function findEntitled(
  { forEach }: Credentials,
  access: KnownAccess,
  consumers: readonly Consumer[] | undefined,
): Entitled {
  const { isGranted } = access;
  if (consumers === undefined)
    return { namespaces: forEach === "Grant" ? access.namespaces : [], consumers: [], isKept: isGranted };
  const named = new Set(access.namespaces);
  const isNamed = ({ namespace, credentialFor }: Consumer): boolean =>
    !access.isForAll || credentialFor === namespace || (credentialFor !== undefined && named.has(credentialFor));
  const entitled = consumers.filter((consumer) => consumer.namespaces.every(isGranted) && isNamed(consumer));
  if (forEach === "Grant") return { namespaces: access.namespaces, consumers: entitled, isKept: isGranted };
  const all = new Set(entitled.map(({ credentialFor }) => credentialFor));
  const begun = entitled.flatMap(({ credentialFor, isControlled }) => (isControlled ? (credentialFor ?? []) : []));
  return { namespaces: [...new Set(begun)].sort(), consumers: entitled, isKept: (namespace) => all.has(namespace) };
}

/**
 * Makes the credentials. One whose grant is taken back is left out, so that Crossplane deletes it. It does not wait until its copy is
 * gone: a team that pauses its XR would keep its access. One of a turn that is over stays until the answer names another, and no record
 * says that copies hold it.
 *
 * @param access undefined while it is not known who has access: what is there stays, and nothing is added.
 * @param consumers undefined while it is not known who uses the shared XR.
 */
export function makeCredentials(
  section: Credentials,
  access: KnownAccess | undefined,
  consumers: readonly Consumer[] | undefined,
  call: Call,
): CredentialsState {
  const entitled = access && findEntitled(section, access, consumers);
  const suffix = `/${toGroupKind(String(section.template["kind"]), toApiGroup(String(section.template["apiVersion"])))}`;
  const make = (turn: Turn): Credential => toCredential(turn, suffix, section, call);
  const turns = findTurns(section, call);
  const copied = new Set(entitled?.consumers.flatMap(({ copied: secret }) => (secret ? [formatSecret(secret)] : [])));
  const isOver = (turn: Turn): boolean => {
    if (consumers === undefined || turns.includes(turn.turn)) return false;
    const { secret } = make(turn);
    return secret === undefined || !(copied.has(formatSecret(secret)) || isAnswered(turn.namespace, secret, call));
  };
  // What is there comes first: a long list of new ones must not take away what others work with.
  const kept = findPresent(suffix, call).filter(
    (turn) => entitled === undefined || (entitled.isKept(turn.namespace) && !isOver(turn)),
  );
  const there = new Set(kept.map(toPlace));
  const added = (entitled?.namespaces ?? []).flatMap((namespace) => turns.map((turn) => ({ namespace, turn })));
  const wanted = [...kept, ...added.filter((turn) => !there.has(toPlace(turn)))];
  const bytes = Buffer.byteLength(JSON.stringify(section.template)) + 1500;
  const max = Math.min(MAX_CREDENTIALS, Math.floor(MAX_BYTES / bytes));
  const credentials = wanted
    .slice(0, max)
    .map(make)
    .sort((a, b) => compareTexts(a.key, b.key));
  return { credentials, turn: turns.at(-1) ?? "", excess: Math.max(0, wanted.length - max) };
}

/** The hashes of the turns' texts; one that is empty without any. */
function findTurns({ turns }: Credentials, call: Call): readonly string[] {
  const texts = turns && resolveStrings(turns, call);
  return texts?.is === "set" ? [...new Set(texts.value.slice(-MAX_TURNS).map((text) => hashText(text, 8)))] : [""];
}

/** Joins namespace and turn to a part of the composed resource's name. */
const toPlace = ({ namespace, turn }: Turn): string => (turn === "" ? namespace : `${namespace}/${turn}`);

const TURN = /^(?:[0-9a-f]{8})?$/;

/** The credentials of this kind that are there. */
const findPresent = (suffix: string, { request }: Call): readonly Turn[] =>
  [...request.observed.resources.keys()]
    .filter((key) => key.startsWith(PREFIX) && key.endsWith(suffix))
    .sort()
    .flatMap((key) => {
      const [namespace = "", turn = "", ...rest] = key.slice(PREFIX.length, -suffix.length).split("/", 3);
      // Whoever names composed resources must not write any text into the template.
      return DNS_LABEL.test(namespace) && TURN.test(turn) && rest.length === 0 ? [{ namespace, turn }] : [];
    });

function toCredential(
  { namespace, turn }: Turn,
  suffix: string,
  { template, secretRef }: Credentials,
  { request, composite }: Call,
): Credential {
  const { apiVersion, kind, namespace: own = "", name } = composite;
  const place = toPlace({ namespace, turn });
  const identity = [toApiGroup(apiVersion), kind, own, name, place].join("/");
  const object = fill(template, { namespace, hash: hashText(identity, 16) }) as JsonObject;
  const key = `${PREFIX}${place}${suffix}`;
  const observed = request.observed.resources.get(key);
  const document = observed?.document ?? documentOf(object);
  const secretName = stringAt(document, secretRef.nameFieldPath);
  const secretNamespace =
    stringAt(document, secretRef.namespaceFieldPath) ?? stringAt(document, ["metadata", "namespace"]);
  const secret =
    secretName === undefined || secretNamespace === undefined
      ? undefined
      : { namespace: secretNamespace, name: secretName };
  return { namespace, turn, key, object, secret, isReady: secret !== undefined && isSecretThere(observed) };
}

/** Puts the values into all texts. */
function fill(value: JsonValue, values: { readonly namespace: string; readonly hash: string }): JsonValue {
  if (typeof value === "string") {
    return value.replace(/\{(namespace|hash)\}/g, (_, name: "namespace" | "hash") => values[name]);
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => fill(item, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]));
}

/**
 * Tells whether the Secret has been written. Crossplane reads the connection Secret of what it composes; of another Secret the
 * resource itself says so, by being Ready.
 */
function isSecretThere(observed: Resource | undefined): boolean {
  if (observed === undefined) return false;
  const { document, connectionDetails } = observed;
  if (stringAt(document, ["kind"]) === "Secret") return true;
  const isPublishing = document.at(CONNECTION_SECRET_REF) !== undefined;
  if (isPublishing && connectionDetails.size === 0) return false;
  const isReady = shownCondition(document, "Ready")?.status === "True";
  return isReady && shownCondition(document, "Synced")?.status !== "False";
}

const ANSWERS = "consumers/answers/";

const ANSWER_FIELDS: readonly FieldPath[] = [
  ["apiVersion"],
  ["kind"],
  labelPath(ANSWER_LABEL),
  OWNER_REFERENCES,
  ["data"],
];

/** Tells whether the answer to a namespace names a Secret. */
function isAnswered(namespace: string, secret: SecretName, { request }: Call): boolean {
  const answer = request.observed.resources.get(`${ANSWERS}${namespace}`)?.document;
  const [name, own] = ["secretName", "secretNamespace"].map((key) => answer && stringAt(answer, ["data", key]));
  return name === secret.name && own === secret.namespace;
}

/** Composes the credentials, and the answers by which consumers find those that are ready, or were. */
export function toEdits({ credentials, turn }: CredentialsState, owner: Owner, call: Call): Edits {
  const made = credentials.map(({ key, object, isReady }): Edits[number] => [
    key,
    { is: "set", object, ready: isReady ? "True" : "False" },
  ]);
  if (owner.is !== "found") return [...made, ...keepObserved(ANSWERS, ANSWER_FIELDS, call)];
  const answered = credentials.filter((one) => one.secret && isAnswered(one.namespace, one.secret, call));
  const current = credentials.filter((one) => one.turn === turn);
  const ready = current.filter(({ isReady }) => isReady);
  // The last that is listed for a namespace is answered.
  const all = new Map([...current, ...answered, ...ready].map((credential) => [credential.namespace, credential]));
  const answers = [...all.values()].flatMap(({ namespace, secret, isReady }): Edits => {
    const key = `${ANSWERS}${namespace}`;
    if (secret === undefined || !(isReady || call.request.observed.resources.has(key))) return [];
    const object = composeAnswer(owner.composite, namespace, { secret }, call.composite);
    return [[key, { is: "set", object, ready: "True" }]];
  });
  return [...made, ...answers];
}
