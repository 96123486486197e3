import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import { CONNECTION_SECRET_REF, formatSecret, type SecretName } from "../../crossplane/copies.ts";
import { isGrantedByAnnotations } from "../../crossplane/grants.ts";
import { resourceKey, toReference } from "../../crossplane/references.ts";
import type { Consumers, Credentials } from "../../input/consumers.ts";
import { compareTexts, groupBy } from "../../model/collections.ts";
import { shownCondition } from "../../model/condition.ts";
import { type Document, documentOf, stringAt } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { hashText } from "../../model/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import { DNS_LABEL, MAX_NAME } from "../../model/names.ts";
import { ANSWER_FIELDS, composeAnswer, readAnswer } from "../../records/answer.ts";
import type { Consumer } from "../../records/consumer.ts";
import { type Edits, keepObserved, observedAs, observedOwn } from "../desired.ts";
import type { Call } from "../feature.ts";
import { resolveStrings } from "../value.ts";
import type { ConsumersReason } from "./consumers-condition.ts";
import type { Access, OwnerFacts } from "./owner-facts.ts";

/** A namespace's credential in one turn of its rotation. */
interface Turn {
  readonly namespace: string;
  /** A hash of a text in `turns`; "" if the input has no `turns`. */
  readonly turn: string;
}

/** The most bytes of all credentials and their answers. A response has 4 MiB, with the XR's status and other resources. */
const MAX_CREDENTIALS_BYTES = 2 * 1024 * 1024;
const MAX_CREDENTIALS = 1000;
/** The most texts of `turns` at a time: one that ends, and one that begins. */
const MAX_TURNS = 2;

/**
 * Composes the credentials, and the answers that name their Secrets to consumers. A credential whose grant was revoked is
 * deleted even if copies of it exist. Otherwise a team could keep access by pausing its XR.
 */
export function makeCredentials({ credentials: section }: Consumers, facts: OwnerFacts, call: Call) {
  const reasons: ConsumersReason[] = [];
  if (section === undefined) return { edits: [], reasons };
  const turns = findTurns(section, call);
  const wanted = chooseTurns(section, turns, facts, call);
  const max = Math.min(MAX_CREDENTIALS, Math.floor(MAX_CREDENTIALS_BYTES / countBytes(section, facts, call)));
  const credentials = wanted
    .slice(0, max)
    .map((turn) => toCredential(turn, section, call))
    .sort((a, b) => compareTexts(a.key, b.key));
  const answers = facts.owner
    ? toAnswers(credentials, turns.at(-1), facts.owner, call)
    : keepObserved(ANSWERS, ANSWER_FIELDS, call);
  const waiting = credentials.filter(({ isReady }) => !isReady).map(({ namespace }) => namespace);
  const unnamed = credentials.some(({ isUnnamed }) => isUnnamed) && {
    unnamed: [section.secretRef.nameFieldPath, section.secretRef.namespaceFieldPath].map(formatFieldPath).join(" and "),
  };
  if (section.forEach === "Grant" && facts.access?.isForAll) reasons.push({ is: "GrantedToAll" });
  if (wanted.length > max) reasons.push({ is: "TooManyCredentials", wanted: wanted.length, most: max });
  const kind = toCredentialKind(section);
  if (waiting.length > 0)
    reasons.push({ is: "WaitingForCredentials", namespaces: [...new Set(waiting)], kind, ...unnamed });
  return { edits: [...credentials.map(({ key, edit }) => [key, edit] as const), ...answers], reasons };
}

const LONGEST = { namespace: "n".repeat(63), name: "n".repeat(MAX_NAME), hash: "0".repeat(16) };

/** Counts the most bytes of a credential and its answer. */
function countBytes({ template }: Credentials, facts: OwnerFacts, { composite }: Call): number {
  const answer = composeAnswer(facts.owner ?? composite, "", { secret: LONGEST }, composite);
  return Buffer.byteLength(JSON.stringify([fill(template, LONGEST), answer]));
}

/**
 * Chooses the credentials: first existing credentials that stay, then new ones, so that the limit displaces only new ones.
 * While `access` is unknown, all existing credentials stay, and none is added.
 */
function chooseTurns(section: Credentials, turns: readonly string[], { access, consumers }: OwnerFacts, call: Call) {
  const present = findExisting(section, call);
  if (access === undefined) return present;
  const isForGrants = section.forEach === "Grant";
  const entitled = consumers?.filter((consumer) => isEntitled(consumer, access));
  const asked = new Set(entitled?.map(({ credentialFor }) => credentialFor));
  // While the consumers are unknown, only a revoked grant takes a credential away.
  const isWanted = ({ namespace }: Turn): boolean =>
    isForGrants || entitled === undefined ? isGrantedByAnnotations(access, namespace) : asked.has(namespace);
  // A team writes its record, which therefore counts only for credentials of its own namespace.
  const held = new Set(entitled?.flatMap(({ namespace = "", copied }) => (copied ? toUse(namespace, copied) : [])));
  // A credential of a past turn stays while an answer names it, or copies hold its values.
  const isInUse = (credential: Turn): boolean => {
    if (entitled === undefined || turns.includes(credential.turn)) return true;
    const { namespace, secret, isAnswered } = toCredential(credential, section, call);
    return isAnswered || (secret !== undefined && held.has(toUse(namespace, secret)));
  };
  const kept = present.filter((credential) => isWanted(credential) && isInUse(credential));
  // A record that no XR controls, as right after a restore, keeps a credential, but gets no new one.
  const controlled = (entitled ?? []).filter(({ isControlled }) => isControlled);
  const asking = controlled.flatMap(({ credentialFor }) => credentialFor ?? []);
  const namespaces = isForGrants ? [...access.names] : asking.sort();
  const added = namespaces.flatMap((namespace) => turns.map((turn) => ({ namespace, turn })));
  return [...new Map([...kept, ...added].map((turn) => [formatTurn(turn), turn])).values()];
}

/**
 * Tells whether a consumer has a grant for the credential that it asks for. If access is granted to all namespaces, the
 * credential has to be for the consumer's own namespace, or for one that the grant lists by name. Otherwise a consumer's
 * record could ask for the credentials of a thousand namespaces.
 */
const isEntitled = ({ namespace, namespaces, credentialFor }: Consumer, access: Access): boolean =>
  namespaces.every((each) => isGrantedByAnnotations(access, each)) &&
  (!access.isForAll || credentialFor === namespace || access.names.has(credentialFor ?? ""));

const toUse = (namespace: string, secret: SecretName): string => `${namespace} ${formatSecret(secret)}`;

/** Hashes the last texts of `turns`, MAX_TURNS at most. Without `turns`, or while its field is not set, there is one turn, "". */
function findTurns({ turns }: Credentials, call: Call): readonly string[] {
  const texts = turns && resolveStrings(turns, call);
  return texts?.is === "set" ? [...new Set(texts.value.slice(-MAX_TURNS).map((text) => hashText(text, 8)))] : [""];
}

const formatTurn = ({ namespace, turn }: Turn): string => (turn === "" ? namespace : `${namespace}/${turn}`);

const toCredentialKind = ({ template: { apiVersion, kind } }: Credentials): string =>
  toGroupKind(String(kind), toApiGroup(String(apiVersion)));

const credentialKey = (turn: Turn, section: Credentials): string =>
  `consumers/credentials/${formatTurn(turn)}/${toCredentialKind(section)}`;

const KEY = /^consumers\/credentials\/(?<namespace>[^/]+)(?:\/(?<turn>[0-9a-f]{8}))?\/[^/]+$/;

/** Finds the credentials among the observed composed resources, by their names in the Composition. */
const findExisting = (section: Credentials, { request }: Call): readonly Turn[] =>
  [...request.observed.resources.keys()].sort().flatMap((key) => {
    const { namespace = "", turn = "" } = KEY.exec(key)?.groups ?? {};
    // Another step may have chosen the name, whose text must not get into the template.
    return DNS_LABEL.test(namespace) && credentialKey({ namespace, turn }, section) === key
      ? [{ namespace, turn }]
      : [];
  });

type Credential = ReturnType<typeof toCredential>;

/**
 * Makes the credential of one turn. `secret`: undefined while the fields of `secretRef` name none. `answered`: the Secret that the
 * observed answer to the namespace names.
 */
function toCredential(turn: Turn, section: Credentials, call: Call) {
  const { request, composite } = call;
  const { template, secretRef } = section;
  const hash = hashText(`${resourceKey(composite)}/${formatTurn(turn)}`, 16);
  const object = fill(template, { namespace: turn.namespace, hash });
  const key = credentialKey(turn, section);
  const filled = documentOf(object);
  const own = observedAs(key, toReference(filled), call);
  const document = own ?? filled;
  const name = stringAt(document, secretRef.nameFieldPath);
  const namespace = stringAt(document, secretRef.namespaceFieldPath) ?? stringAt(document, ["metadata", "namespace"]);
  const secret = name === undefined || namespace === undefined ? undefined : { namespace, name };
  const isThere = own !== undefined && isSecretThere(own, request.observed.resources.get(key)?.hasConnectionDetails);
  // In the team's namespace, the team can have the credential name another Secret than the template says.
  const isNaming = [secretRef.nameFieldPath, secretRef.namespaceFieldPath].every((path) =>
    [undefined, stringAt(document, path)].includes(stringAt(filled, path)),
  );
  const isReady = secret !== undefined && isThere && (isNaming || observedOwn(key, call) !== undefined);
  const answer = observedOwn(`${ANSWERS}${turn.namespace}`, call);
  const answered = answer && readAnswer(answer).secret;
  const isAnswered = secret !== undefined && answered !== undefined && formatSecret(answered) === formatSecret(secret);
  const edit = { is: "set", object, ready: isReady ? "True" : "False" } as const;
  return { ...turn, key, edit, secret, answered, isReady, isAnswered, isUnnamed: secret === undefined && isThere };
}

const fill = (template: JsonObject, values: { readonly namespace: string; readonly hash: string }): JsonObject =>
  JSON.parse(JSON.stringify(template), (_, value) =>
    typeof value === "string"
      ? value.replace(/\{(namespace|hash)\}/g, (_, name: "namespace" | "hash") => values[name])
      : value,
  );

/**
 * Tells whether a credential's Secret was written: the resource is the Secret itself, or the resource is Ready, and Crossplane
 * has read the connection Secret that the resource names, if any.
 */
function isSecretThere(document: Document, hasConnectionDetails = false): boolean {
  if (stringAt(document, ["kind"]) === "Secret") return true;
  if (document.at(CONNECTION_SECRET_REF) !== undefined && !hasConnectionDetails) return false;
  const isReady = shownCondition(document, "Ready")?.status === "True";
  return isReady && shownCondition(document, "Synced")?.status !== "False";
}

const ANSWERS = "consumers/answers/";

/** Composes the answers. An answer names the last turn's Secret once that is ready, else the Secret that it names already. */
function toAnswers(credentials: readonly Credential[], turn: string | undefined, owner: Composite, call: Call): Edits {
  const byNamespace = groupBy(credentials, ({ namespace }) => namespace);
  return [...byNamespace].flatMap(([namespace, own]): Edits => {
    const last = own.find((one) => one.turn === turn);
    const secret = last?.isReady ? last.secret : own[0]?.answered;
    if (secret === undefined) return [];
    const object = composeAnswer(owner, namespace, { secret }, call.composite);
    return [[`${ANSWERS}${namespace}`, { is: "set", object, ready: "True" }]];
  });
}
