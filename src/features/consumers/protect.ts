import type { Composite } from "../../crossplane/composite.ts";
import { composeUsage } from "../../crossplane/usage.ts";
import { brief, listSome } from "../../model/condition.ts";
import { parseFieldPath } from "../../model/field-path.ts";
import type { JudgedConsumer } from "../../ownership/consumer.ts";
import { type Edits, keepObserved } from "../desired.ts";
import type { Call } from "../feature.ts";
import { toCoarse } from "./list.ts";

const PREFIX = "consumers/usage/";

/**
 * Composes a Usage of the shared XR while a granted namespace uses it. Consumers without a grant do not count: a team may write a record
 * into its own namespace, and it must not keep the owner from deleting the XR. The owner who no longer wants a consumer takes its grant
 * back. A record that no XR controls keeps a Usage, and begins none.
 */
export function protect(consumers: readonly JudgedConsumer[], owner: Composite, call: Call): Edits {
  const isThere = keepProtection(call).length > 0;
  const granted = consumers.filter(({ isGranted, isControlled }) => isGranted && (isControlled || isThere));
  if (granted.length === 0) return [];
  const object = composeUsage(owner, toReason(granted), call.request);
  // Each kind of Usage has a name of its own, or Crossplane would forget the one before it.
  return [[`${PREFIX}${String(object["apiVersion"])}/${String(object["kind"])}`, { is: "set", object, ready: "True" }]];
}

const DESIRED = ["apiVersion", "kind", "spec"].map(parseFieldPath);

/** Keeps the Usage that is there, while it is not known who uses the shared XR. */
export const keepProtection = (call: Call): Edits => keepObserved(PREFIX, DESIRED, call);

const MAX_NAMED = 5;

/** The sentence with which `kubectl delete` is refused. */
function toReason(consumers: readonly JudgedConsumer[]): string {
  const named = listSome(consumers.slice(0, toCoarse(consumers.length, consumers.length)), MAX_NAMED, describe);
  return `${named} ${consumers.length === 1 ? "uses" : "use"} it: delete them, or take back their grant`;
}

const describe = ({ namespace, kind, name }: Pick<JudgedConsumer, "namespace" | "kind" | "name">): string =>
  `${brief(kind)} ${brief(name)}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
