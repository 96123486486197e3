import { type Composite, consumerNamespace, toComposite } from "../../crossplane/composite.ts";
import { findConnectionSecret } from "../../crossplane/connection-secret.ts";
import { canSelectNamespaces } from "../../crossplane/generation.ts";
import {
  askReferenceGrants,
  type Grantee,
  isNamespaceGranted,
  readGrantees,
  readNamespaceGrant,
} from "../../crossplane/grants.ts";
import { type LabelSelector, matchesLabels, requiredLabels } from "../../crossplane/label-selector.ts";
import { qualifiedName } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import { couldNotBeRead, toNamespaceRequirement, toRequirement } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { invalidInput } from "../../input/faults.ts";
import { compareTexts } from "../../model/collections.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { DNS_LABEL, isPathSegment } from "../../model/names.ts";
import {
  type Consumer,
  compareConsumers,
  type JudgedConsumer,
  judgeConsumers,
  toConsumers,
} from "../../records/consumer.ts";
import { RECORD_KINDS, usesLabel } from "../../records/record.ts";
import { type Call, isUnreadable } from "../feature.ts";
import { resolveString } from "../value.ts";
import type { ConsumersReason } from "./consumers-condition.ts";

/** The namespaces that the annotations of the shared XR grant. */
export interface Access {
  /** Those that are known by name, sorted. */
  readonly names: ReadonlySet<string>;
  readonly isForAll: boolean;
  readonly faults: readonly ConsumersReason[];
}

/** A fact that Crossplane looks up, or the reason why it is not known. */
type Fact<T> = Readonly<{ value: T; unknown?: undefined } | { value?: undefined; unknown: ConsumersReason }>;

const WAITING = { unknown: { is: "WaitingForRequiredResources" } } as const;

/** The consumers and their grants; undefined while it is not known who uses the shared XR, or who is granted. */
export type KnownConsumers = readonly JudgedConsumer[] | undefined;

/** The facts about a shared XR; each is undefined while it is not known. */
export interface OwnerFacts {
  /** The shared XR: this one, or the one whose companion it is. */
  readonly owner?: Composite;
  readonly access?: Access | undefined;
  /** Who has access by ReferenceGrants, beside those that the annotations grant. */
  readonly grantees?: readonly Grantee[] | undefined;
  /** Who uses the shared XR or asks for it; none where the input does not need them. */
  readonly consumers?: readonly Consumer[] | undefined;
  readonly judged?: KnownConsumers;
  /** Why one of them is not known. */
  readonly unknown: ConsumersReason | undefined;
}

export function lookUpFacts(section: Consumers, call: Call): OwnerFacts {
  const { value: owner, unknown } = findOwner(section, call);
  if (owner === undefined) return { unknown };
  const needsRecords = section.protect || section.list || section.capacity || section.credentials;
  const { value: access, ...annotations } = findAccess(section, owner, call);
  const { value: grantees, ...grants } = findGrantees(section, owner, call);
  const isAnnotated = (namespace: string): boolean => access !== undefined && isNamespaceGranted(access, namespace);
  const referred = new Set(grantees?.map(({ namespace }) => namespace));
  const mayUse = (namespace: string): boolean => isAnnotated(namespace) || referred.has(namespace);
  const { value: consumers, ...records } = needsRecords ? findConsumers(owner, mayUse, call) : { value: [] };
  const judged = access && grantees && consumers && judgeConsumers(consumers, isAnnotated, grantees);
  const why = annotations.unknown ?? grants.unknown ?? records.unknown;
  return { owner, access, grantees, consumers, judged, unknown: why };
}

/**
 * Finds the shared XR. A companion serves only one for which the same namespace asks: a team that names another team's XR would
 * otherwise see who uses it, keep it from being deleted, and answer to its consumers.
 */
function findOwner({ of }: Consumers, call: Call): Fact<Composite> {
  const { composite, requirements } = call;
  if (of === undefined) return { value: composite };
  const { apiVersion, kind } = of;
  const { namespace } = composite;
  const resolved = resolveString(of.name, call);
  const name = resolved.is === "set" ? resolved.value : resolved.field;
  const missing = { unknown: { is: "SharedResourceNotFound", kind, name } } as const;
  if (resolved.is === "unset" || !isPathSegment(name)) return missing;
  const answer = requirements.ask(toRequirement("consumers/of", { apiVersion, kind, namespace, match: { name } }));
  if (answer.is === "pending") return WAITING;
  const found = answer.items.map(toComposite).find((item) => item.namespace === namespace);
  return found && consumerNamespace(found) === consumerNamespace(composite) ? { value: found } : missing;
}

/** The most copies that are told one by one: a thousand are told of a record of seven kilobytes, and a team may write a thousand of these. */
const MAX_COPIES = 10_000;

/**
 * Finds the consumers by the records of their XRs: one for each copy, but one for each share of a record in a namespace without a grant, and
 * of all that follow very many copies.
 */
function findConsumers(
  owner: Composite,
  mayUse: (namespace: string) => boolean,
  { requirements }: Call,
): Fact<readonly Consumer[]> {
  const match = { labels: { [usesLabel(owner)]: "true" } };
  const needed = Object.values(RECORD_KINDS).map((kind) => toRequirement(`consumers/${kind.kind}`, { ...kind, match }));
  const answers = needed.map((requirement) => requirements.ask(requirement));
  const records = answers.flatMap((answer) => (answer.is === "pending" ? [] : [answer.items]));
  if (records.length < answers.length) return WAITING;
  let left = MAX_COPIES;
  // Crossplane lists them in any order.
  const sorted = records.flat().sort((a, b) => compareTexts(qualifiedName(a), qualifiedName(b)));
  const consumers = sorted.flatMap((record) => {
    const { namespace } = toReference(record);
    const isWhole = left > 0 && (namespace === undefined || mayUse(namespace));
    const found = toConsumers(record, owner, isWhole ? undefined : 1);
    if (isWhole) left -= found.length;
    return found;
  });
  return { value: consumers.sort(compareConsumers) };
}

function findAccess({ grant }: Consumers, { document }: Composite, call: Call): Fact<Access> {
  if (grant === "None") return { value: { names: new Set(), isForAll: true, faults: [] } };
  const granted = readNamespaceGrant(document);
  const { selector, isForAll } = granted;
  const matching = selector === undefined ? { value: [] } : findMatching(selector, call);
  if (matching.value === undefined) return matching;
  const names = new Set([...granted.names, ...matching.value].sort());
  const faults = granted.faults().map((fault) => ({ is: "InvalidGrant", fault }) as const);
  return { value: { names, isForAll, faults } };
}

const NAMESPACES = "consumers/namespaces";

function findMatching(selector: LabelSelector, call: Call): Fact<readonly string[]> {
  const requirement = toNamespaceRequirement(NAMESPACES, { labels: requiredLabels(selector) });
  if (isUnreadable(requirement, NAMESPACES, call)) return { unknown: { is: "NamespacesNotReadable" } };
  const answer = call.requirements.ask(requirement);
  if (answer.is === "pending") return WAITING;
  const matching = answer.items.filter((item) => matchesLabels(item, selector));
  return { value: matching.map((item) => toReference(item).name).filter((name) => DNS_LABEL.test(name)) };
}

const GRANTS = "consumers/reference-grants";

/**
 * Finds the ReferenceGrants beside the shared XR's Secret, where the input says that consumers rely on them.
 *
 * @throws {FunctionError} `InvalidInput` on Crossplane v1, which cannot look them up.
 */
function findGrantees(section: Consumers, { document }: Composite, call: Call): Fact<readonly Grantee[]> {
  if (section.grant !== "ReferenceGrant") return { value: [] };
  const { request, composite, requirements } = call;
  if (!canSelectNamespaces(request, composite)) {
    const message = "ReferenceGrant needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2; else use Annotation";
    throw invalidInput([{ path: "spec.consumers.grant", message }]);
  }
  const found = findConnectionSecret(document, section.secretRef);
  if (found.is !== "named") {
    const field = formatFieldPath(section.secretRef.namespaceFieldPath);
    return { unknown: { field, ...found, is: "NoConnectionSecret" } };
  }
  const isUnread = couldNotBeRead(GRANTS, composite.document);
  const answer = isUnread ? undefined : askReferenceGrants(GRANTS, found.secret, request, requirements);
  if (answer?.is === "pending") return WAITING;
  if (answer?.is !== "resolved") return { unknown: { is: "ReferenceGrantsNotReadable" } };
  return { value: readGrantees(answer.items, found.secret) };
}
