import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import { CONNECTION_SECRET_REF, formatSecret, type SecretName } from "../../crossplane/copies.ts";
import { isNamespaceGranted } from "../../crossplane/grants.ts";
import { resourceKey } from "../../crossplane/references.ts";
import type { Consumers, Credentials } from "../../input/consumers.ts";
import { compareTexts, groupBy } from "../../model/collections.ts";
import { shownCondition } from "../../model/condition.ts";
import { documentOf, stringAt } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { hashText } from "../../model/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import { DNS_LABEL } from "../../model/names.ts";
import type { Resource } from "../../model/request.ts";
import { ANSWER_FIELDS, composeAnswer, readAnswer } from "../../records/answer.ts";
import type { Consumer } from "../../records/consumer.ts";
import { type Edits, keepObserved } from "../desired.ts";
import type { Call } from "../feature.ts";
import { resolveStrings } from "../value.ts";
import type { ConsumersReason } from "./consumers-condition.ts";
import type { Access, OwnerFacts } from "./owner-facts.ts";

/** A credential of a namespace. `turn`: the hash of its text in `turns`, or "" if the input has no `turns`. */
interface Turn {
  readonly namespace: string;
  readonly turn: string;
}

/** The most bytes of all credentials. A response has 4 MiB, with the XR's status and other resources. */
const MAX_CREDENTIALS_BYTES = 2 * 1024 * 1024;
const MAX_CREDENTIALS = 1000;
/** The most texts of `turns` at a time: one that ends, and one that begins. */
const MAX_TURNS = 2;

/**
 * Composes the credentials, and the answers that name their Secrets to consumers. A credential whose grant was revoked is deleted even if
 * copies of it exist: a team could keep access by pausing its XR otherwise.
 */
export function makeCredentials({ credentials: section }: Consumers, facts: OwnerFacts, call: Call) {
  const reasons: ConsumersReason[] = [];
  if (section === undefined) return { edits: [], reasons };
  const turns = findTurns(section, call);
  const wanted = chooseCredentials(section, turns, facts, call);
  const bytes = Buffer.byteLength(JSON.stringify(section.template)) + 1500;
  const max = Math.min(MAX_CREDENTIALS, Math.floor(MAX_CREDENTIALS_BYTES / bytes));
  const credentials = wanted
    .slice(0, max)
    .map((turn) => toCredential(turn, section, call))
    .sort((a, b) => compareTexts(a.key, b.key));
  const answers = facts.owner
    ? toAnswers(credentials, turns.at(-1), facts.owner, call)
    : keepObserved(ANSWERS, ANSWER_FIELDS, call);
  const waiting = credentials.filter(({ isReady }) => !isReady).map(({ namespace }) => namespace);
  const unnamed = credentials.some(({ isUnnamed }) => isUnnamed) && {
    unnamed: formatFieldPath(section.secretRef.nameFieldPath),
  };
  if (section.forEach === "Grant" && facts.access?.isForAll) reasons.push({ is: "GrantedToAll" });
  if (wanted.length > max) reasons.push({ is: "TooManyCredentials", excess: wanted.length - max });
  if (waiting.length > 0) reasons.push({ is: "WaitingForCredentials", namespaces: [...new Set(waiting)], ...unnamed });
  return { edits: [...credentials.map(({ key, edit }) => [key, edit] as const), ...answers], reasons };
}

/**
 * Chooses the credentials: first existing ones that stay, so that new ones do not displace them, then new ones. While the grants are
 * unknown, all existing ones stay, and none is added.
 */
function chooseCredentials(
  section: Credentials,
  turns: readonly string[],
  { access, consumers }: OwnerFacts,
  call: Call,
) {
  const present = findExisting(section, call);
  if (access === undefined) return present;
  const isForGrants = section.forEach === "Grant";
  const entitled = consumers?.filter((consumer) => isEntitled(consumer, access));
  const asked = new Set(entitled?.map(({ credentialFor }) => credentialFor));
  // A team can write its record, so the record counts for the credential of its own namespace only.
  const copied = new Set(entitled?.flatMap(({ namespace = "", copied: held }) => (held ? toUse(namespace, held) : [])));
  // A revoked grant ends the credential even while the consumers are unknown.
  const isWanted = ({ namespace }: Turn): boolean =>
    isForGrants || entitled === undefined ? isNamespaceGranted(access, namespace) : asked.has(namespace);
  // A credential whose text is no longer listed stays while the answer or a consumer's copy has its Secret.
  const isInUse = (turn: Turn): boolean => {
    if (entitled === undefined || turns.includes(turn.turn)) return true;
    const { namespace, secret, isAnswered } = toCredential(turn, section, call);
    return isAnswered || (secret !== undefined && copied.has(toUse(namespace, secret)));
  };
  const kept = present.filter((turn) => isWanted(turn) && isInUse(turn));
  // Right after a restore no XR controls the record: it keeps its credential, and gets no new one.
  const controlled = (entitled ?? []).filter(({ isControlled }) => isControlled);
  const asking = controlled.flatMap(({ credentialFor }) => credentialFor ?? []);
  const namespaces = isForGrants ? [...access.names] : asking.sort();
  const added = namespaces.flatMap((namespace) => turns.map((turn) => ({ namespace, turn })));
  return [...new Map([...kept, ...added].map((turn) => [formatTurn(turn), turn])).values()];
}

/**
 * Tells whether a consumer has a grant for the credential that it asks for. A grant to all namespaces ("*") covers only the credential of
 * its own namespace, since a team could name a thousand others in its record. Others have to be listed.
 */
const isEntitled = ({ namespace, namespaces, credentialFor }: Consumer, access: Access): boolean =>
  namespaces.every((each) => isNamespaceGranted(access, each)) &&
  (!access.isForAll || credentialFor === namespace || access.names.has(credentialFor ?? ""));

const toUse = (namespace: string, secret: SecretName): string => `${namespace} ${formatSecret(secret)}`;

/** Hashes the texts of `turns`; without them there is one turn, "". */
function findTurns({ turns }: Credentials, call: Call): readonly string[] {
  const texts = turns && resolveStrings(turns, call);
  return texts?.is === "set" ? [...new Set(texts.value.slice(-MAX_TURNS).map((text) => hashText(text, 8)))] : [""];
}

const formatTurn = ({ namespace, turn }: Turn): string => (turn === "" ? namespace : `${namespace}/${turn}`);

const credentialKey = (turn: Turn, { template: { apiVersion, kind } }: Credentials): string =>
  `consumers/credentials/${formatTurn(turn)}/${toGroupKind(String(kind), toApiGroup(String(apiVersion)))}`;

const KEY = /^consumers\/credentials\/(?<namespace>[^/]+)(?:\/(?<turn>[0-9a-f]{8}))?\/[^/]+$/;

/** Finds the credentials that exist. */
const findExisting = (section: Credentials, { request }: Call): readonly Turn[] =>
  [...request.observed.resources.keys()].sort().flatMap((key) => {
    const { namespace = "", turn = "" } = KEY.exec(key)?.groups ?? {};
    // Another step may have chosen the name, and its text would go into the template.
    return DNS_LABEL.test(namespace) && credentialKey({ namespace, turn }, section) === key
      ? [{ namespace, turn }]
      : [];
  });

type Credential = ReturnType<typeof toCredential>;

/** Makes a credential. `secret`: undefined while its fields do not name one. */
function toCredential(turn: Turn, section: Credentials, { request, composite }: Call) {
  const { template, secretRef } = section;
  const hash = hashText(`${resourceKey(composite)}/${formatTurn(turn)}`, 16);
  const object = fill(template, { namespace: turn.namespace, hash });
  const key = credentialKey(turn, section);
  const observed = request.observed.resources.get(key);
  const document = observed?.document ?? documentOf(object);
  const name = stringAt(document, secretRef.nameFieldPath);
  const namespace = stringAt(document, secretRef.namespaceFieldPath) ?? stringAt(document, ["metadata", "namespace"]);
  const secret = name === undefined || namespace === undefined ? undefined : { namespace, name };
  const isThere = isSecretThere(observed);
  const isReady = secret !== undefined && isThere;
  const answer = request.observed.resources.get(`${ANSWERS}${turn.namespace}`)?.document;
  const said = answer && readAnswer(answer).secret;
  const isAnswered = secret !== undefined && said !== undefined && formatSecret(said) === formatSecret(secret);
  const edit = { is: "set", object, ready: isReady ? "True" : "False" } as const;
  return { ...turn, key, edit, secret, isReady, isAnswered, isUnnamed: secret === undefined && isThere };
}

const fill = (template: JsonObject, values: { readonly namespace: string; readonly hash: string }): JsonObject =>
  JSON.parse(JSON.stringify(template), (_, value) =>
    typeof value === "string"
      ? value.replace(/\{(namespace|hash)\}/g, (_, name: "namespace" | "hash") => values[name])
      : value,
  );

/** Tells whether the Secret is written: Crossplane has read its connection details, or the resource is Ready. */
function isSecretThere(observed: Resource | undefined): boolean {
  if (observed === undefined) return false;
  const { document, hasConnectionDetails } = observed;
  if (stringAt(document, ["kind"]) === "Secret") return true;
  if (document.at(CONNECTION_SECRET_REF) !== undefined && !hasConnectionDetails) return false;
  const isReady = shownCondition(document, "Ready")?.status === "True";
  return isReady && shownCondition(document, "Synced")?.status !== "False";
}

const ANSWERS = "consumers/answers/";

/** Composes the answers. Each names the credential of the last text once that is ready, and until then the one before. */
function toAnswers(credentials: readonly Credential[], turn: string | undefined, owner: Composite, call: Call): Edits {
  const byNamespace = groupBy(credentials, ({ namespace }) => namespace);
  return [...byNamespace].flatMap(([namespace, own]): Edits => {
    const current = own.find((one) => one.turn === turn);
    const answered = current?.isReady ? current : (own.find(({ isAnswered }) => isAnswered) ?? current);
    const key = `${ANSWERS}${namespace}`;
    const isTold = answered?.isReady || call.request.observed.resources.has(key);
    if (answered?.secret === undefined || !isTold) return [];
    const object = composeAnswer(owner, namespace, { secret: answered.secret }, call.composite);
    return [[key, { is: "set", object, ready: "True" }]];
  });
}
