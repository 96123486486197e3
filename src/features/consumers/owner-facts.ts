import { type Composite, consumerNamespace, toComposite } from "../../crossplane/composite.ts";
import { findConnectionSecret } from "../../crossplane/connection-secret.ts";
import { canSelectNamespaces, NEEDS_V2 } from "../../crossplane/generation.ts";
import {
  askGrants,
  type Grantee,
  isGrantedByAnnotations,
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

/** The namespaces to which the annotations of the shared XR grant access. */
export interface Access {
  /** The names in ALLOWED_NAMESPACES, and of the Namespaces that match ALLOWED_NAMESPACE_SELECTOR; sorted. */
  readonly names: ReadonlySet<string>;
  readonly isForAll: boolean;
  readonly faults: readonly ConsumersReason[];
}

/** A fact that has to be looked up, or the reason why it is unknown. */
type Fact<T> = Readonly<{ value: T; unknown?: undefined } | { value?: undefined; unknown: ConsumersReason }>;

const WAITING = { unknown: { is: "WaitingForRequiredResources" } } as const;

/** The consumers and their grants; undefined while the consumers or the grants are unknown. */
export type JudgedConsumers = readonly JudgedConsumer[] | undefined;

/** The facts about a shared XR. A fact is undefined while it is unknown. */
export interface OwnerFacts {
  /** The shared XR: this XR, or the one that `consumers.of` names. */
  readonly owner?: Composite;
  readonly access?: Access | undefined;
  /** The kinds and namespaces to which ReferenceGrants grant access, in addition to the annotations. */
  readonly grantees?: readonly Grantee[] | undefined;
  /** The XRs and claims that use the shared XR or ask for it; empty if no section of the input needs them. */
  readonly consumers?: readonly Consumer[] | undefined;
  readonly judged?: JudgedConsumers;
  /** The reason why one of these is unknown. */
  readonly unknown: ConsumersReason | undefined;
}

export function lookUpFacts(section: Consumers, call: Call): OwnerFacts {
  const { value: owner, unknown } = findOwner(section, call);
  if (owner === undefined) return { unknown };
  const needsRecords = section.protect || section.list || section.capacity || section.credentials;
  const { value: access, unknown: noAccess } = findAccess(section, owner, call);
  const { value: grantees, unknown: noGrantees } = findGrantees(section, owner, call);
  const isAnnotated = (namespace: string): boolean => access !== undefined && isGrantedByAnnotations(access, namespace);
  const referred = new Set(grantees?.map(({ namespace }) => namespace));
  const mayUse = (namespace: string): boolean => isAnnotated(namespace) || referred.has(namespace);
  const found: Fact<readonly Consumer[]> = needsRecords ? findConsumers(owner, mayUse, call) : { value: [] };
  const consumers = found.value;
  const judged = access && grantees && consumers && judgeConsumers(consumers, isAnnotated, grantees);
  return { owner, access, grantees, consumers, judged, unknown: noAccess ?? noGrantees ?? found.unknown };
}

/**
 * Finds the shared XR. A companion (an XR with `consumers.of`) serves only an XR of its own team. Otherwise a team could see
 * the consumers of another team's XR, answer them, and keep that XR from being deleted.
 */
function findOwner({ of }: Consumers, call: Call): Fact<Composite> {
  const { composite, requirements } = call;
  if (of === undefined) return { value: composite };
  const { apiVersion, kind } = of;
  const { namespace } = composite;
  const resolved = resolveString(of.name, call);
  if (resolved.is === "unset")
    return { unknown: { is: "SharedResourceNotFound/unnamed", kind, field: resolved.field } };
  const name = resolved.value;
  const missing = { unknown: { is: "SharedResourceNotFound", kind, name } } as const;
  if (!isPathSegment(name)) return missing;
  const answer = requirements.ask(toRequirement("consumers/of", { apiVersion, kind, namespace, match: { name } }));
  if (answer.is === "pending") return WAITING;
  const found = answer.items.map(toComposite).find((item) => item.namespace === namespace);
  return found && consumerNamespace(found) === consumerNamespace(composite) ? { value: found } : missing;
}

/** The most copies that count as a consumer each. A record of 7 kB lists a thousand copies, and a team may write many records. */
const MAX_COPIES = 10_000;

/**
 * Finds the consumers in the records of XRs: one for each copy. A record whose namespace has no grant, or that comes after
 * 10,000 copies, has only one consumer for each share.
 */
function findConsumers(owner: Composite, mayUse: (namespace: string) => boolean, { requirements }: Call) {
  const match = { labels: { [usesLabel(owner)]: "true" } };
  const needed = Object.values(RECORD_KINDS).map((kind) => toRequirement(`consumers/${kind.kind}`, { ...kind, match }));
  const answers = needed.map((requirement) => requirements.ask(requirement));
  const records = answers.flatMap((answer) => (answer.is === "pending" ? [] : [answer.items]));
  if (records.length < answers.length) return WAITING;
  let left = MAX_COPIES;
  // Crossplane lists records in any order.
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
 * Finds the grantees of ReferenceGrants in the namespace of the shared XR's Secret; none without `grant: ReferenceGrant`.
 *
 * @throws {FunctionError} `InvalidInput` on Crossplane v1, which cannot look them up.
 */
function findGrantees(section: Consumers, { document }: Composite, call: Call): Fact<readonly Grantee[]> {
  if (section.grant !== "ReferenceGrant") return { value: [] };
  const { request, composite, requirements } = call;
  if (!canSelectNamespaces(request, composite)) {
    throw invalidInput([
      { path: "spec.consumers.grant", message: `ReferenceGrant ${NEEDS_V2}; without that, use Annotation` },
    ]);
  }
  const found = findConnectionSecret(document, section.secretRef);
  if (found.is !== "named") {
    const field = formatFieldPath(section.secretRef.namespaceFieldPath);
    return { unknown: { field, ...found, is: "NoConnectionSecret" } };
  }
  const isUnread = couldNotBeRead(GRANTS, composite.document);
  const answer = isUnread ? undefined : askGrants(GRANTS, found.secret, request, requirements);
  if (answer?.is === "pending") return WAITING;
  if (answer?.is !== "resolved") return { unknown: { is: "ReferenceGrantsNotReadable" } };
  return { value: readGrantees(answer.items, found.secret) };
}
