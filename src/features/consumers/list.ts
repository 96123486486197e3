import type { Composite } from "../../crossplane/composite.ts";
import { canSelectNamespaces } from "../../crossplane/generation.ts";
import type { Consumers } from "../../input/consumers.ts";
import { brief, listSome } from "../../model/condition.ts";
import type { ValueEdit } from "../../model/document.ts";
import { parseFieldPath } from "../../model/field-path.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { type JudgedConsumer, toListed } from "../../records/consumer.ts";
import { type Edits, keepObserved } from "../desired.ts";
import type { Call } from "../feature.ts";
import { MAX_NAMES } from "./consumers-condition.ts";
import type { JudgedConsumers, OwnerFacts } from "./owner-facts.ts";

/** The most consumers that the status lists. More consumers are only counted, rounded down to a multiple of STEP. */
const STEP = 50;

const toStep = (count: number): number => count - (count % STEP);

/** Rounds a number above STEP down to a multiple of STEP, so that one more consumer does not change the XR. */
const round = (consumers: number): number => (consumers > STEP ? toStep(consumers) : consumers);

/**
 * Lists the consumers with a grant in the status, or counts them if there are more than 50. While the consumers are
 * unknown, the status keeps its values, since Crossplane removes fields that are left out.
 *
 * Each change of the shared XR makes Crossplane reconcile all consumers, and a team may write any number of records. So
 * consumers without a grant are only counted, and roughly: 50 and more in multiples of 50; 1 to 49 as 1, or as 0 if more
 * than 50 consumers have a grant. No consumer watches a companion (an XR with `consumers.of`). So a companion counts exactly,
 * and also lists consumers without a grant, unless there are more than 50 consumers in all.
 *
 * The reasons tell two kinds of consumers without a grant: those that have copies or dependents, which are deleted when
 * their XRs are reconciled, and those that only ask for a grant.
 */
export function listConsumers({ of, list }: Consumers, consumers: JudgedConsumers, { composite }: Call) {
  const toValues = (value: JsonValue | undefined): readonly ValueEdit[] =>
    list === undefined || value === undefined ? [] : [{ path: list.toCompositeFieldPath, value }];
  if (consumers === undefined)
    return { values: toValues(list && composite.document.at(list.toCompositeFieldPath)), reasons: [] };
  const isWatched = of === undefined;
  const granted = consumers.filter(({ isGranted }) => isGranted);
  const withoutGrant = consumers.length - granted.length;
  const hasAccess = ({ secretName, dependents }: JudgedConsumer) => secretName !== undefined || dependents.length > 0;
  const withAccess = consumers.filter((consumer) => !consumer.isGranted && hasAccess(consumer)).length;
  const few = granted.length > STEP ? 0 : 1;
  const roundOthers = (count: number): number => (isWatched ? toStep(count) || Math.min(count, few) : count);
  const format = (count: number): string => (isWatched ? `${roundOthers(count) || 1}+` : String(count));
  const listed = isWatched || consumers.length > STEP ? granted : consumers;
  const count = isWatched ? round(granted.length) : granted.length;
  const counts = { count, withoutGrant: roundOthers(withoutGrant) };
  const requests = withoutGrant - withAccess;
  return {
    values: toValues(listed.length > STEP ? counts : { ...counts, items: listed.map(toListed) }),
    reasons: [
      ...(withAccess > 0 ? [{ is: "AccessNotGranted", count: format(withAccess) } as const] : []),
      ...(roundOthers(requests) > 0 ? [{ is: "AccessRequested", count: format(requests) } as const] : []),
    ],
  };
}

const USAGE = "consumers/usage/";
const USAGE_FIELDS = ["apiVersion", "kind", "spec"].map(parseFieldPath);

/**
 * Composes a Usage of the shared XR while a consumer with a grant uses it. A record without a grant does not count: a team
 * could write one to keep the owner from deleting the XR. A record that no XR controls, as right after a restore, keeps a
 * Usage, but starts none.
 */
export function protect({ owner }: OwnerFacts, consumers: JudgedConsumers, call: Call): Edits {
  const present = keepObserved(USAGE, USAGE_FIELDS, call);
  if (owner === undefined || consumers === undefined) return present;
  const granted = consumers.filter(({ isGranted, isControlled }) => isGranted && (isControlled || present.length > 0));
  if (granted.length === 0) return [];
  const counted = granted.slice(0, round(granted.length));
  // `kubectl delete` of the XR is refused with this message.
  const uses = `${listSome(counted, MAX_NAMES, nameConsumer)} ${granted.length === 1 ? "uses" : "use"} it`;
  const object = composeUsage(owner, `${uses}: first delete its consumers, or take back their grants`, call);
  // Each kind of Usage has its own name: under one name, Crossplane would not delete the previous kind.
  return [[`${USAGE}${String(object["apiVersion"])}/${String(object["kind"])}`, { is: "set", object, ready: "True" }]];
}

const nameConsumer = ({ namespace, kind, name }: JudgedConsumer): string =>
  `${brief(kind)} ${brief(name)}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;

/**
 * Composes a Usage, with which Crossplane's webhook refuses to delete the XR, and tells the reason. Crossplane v2 has a kind
 * for namespaced and one for cluster-scoped resources; v1.19 and later have one kind for all, which v2 still serves.
 */
function composeUsage(owner: Composite, reason: string, { request }: Call): JsonObject {
  const { apiVersion, kind, name, namespace } = owner;
  const spec = { of: { apiVersion, kind, resourceRef: { name } }, reason };
  return canSelectNamespaces(request, owner)
    ? { apiVersion: "protection.crossplane.io/v1beta1", kind: namespace === undefined ? "ClusterUsage" : "Usage", spec }
    : { apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "Usage", spec };
}
