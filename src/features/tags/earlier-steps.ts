import type { Condition } from "../../model/condition.ts";
import { type Draft, withContext } from "../../model/draft.ts";
import { isObject, toPlainText } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import { type Call, identifyStep } from "../feature.ts";

/**
 * Context key: the decisions of each step with `tags`. The first step that selects a resource decides who owns its cloud resource. A later
 * step cannot tell the first step's marks from marks that a Composition has copied from an XR, and would remove both.
 */
const DECISIONS = `${DOMAIN}/tags`;

export interface EarlierSteps {
  /** The resources whose ownership an earlier step has decided. True if their tags may be changed. */
  readonly decided: ReadonlyMap<string, boolean>;
  /**
   * The content of an earlier step's condition, of a False one if there is any. Crossplane keeps only the last step's condition, so that
   * step repeats it.
   */
  readonly said: Pick<Condition, "status" | "reason" | "message"> | undefined;
}

export function readEarlierSteps({ request, input }: Call): EarlierSteps {
  const context = request.context.at([DECISIONS]);
  const steps = Object.entries(isObject(context) ? context : {})
    .filter(([step]) => step !== identifyStep(input))
    .flatMap(([, step]) => (isObject(step) ? [step] : []));
  const decided = steps.flatMap(({ decided }) => Object.entries(isObject(decided) ? decided : {}));
  const { reason, message, isFault } = steps.find((step) => step["isFault"]) ?? steps[0] ?? {};
  const status = isFault === true ? "False" : "True";
  return {
    decided: new Map(decided.map(([resource, mayBeTagged]) => [resource, mayBeTagged === true])),
    said: reason ? { status, reason: toPlainText(reason), message: toPlainText(message) } : undefined,
  };
}

/** Adds the decisions of this step for later ones. */
export function withDecisions(
  draft: Draft,
  decided: readonly (readonly [resource: string, mayBeTagged: boolean])[],
  { request, input }: Call,
): Draft {
  if (decided.length === 0) return draft;
  const { status, reason = "", message = "" } = draft.conditions.at(-1) ?? {};
  const step = { decided: Object.fromEntries(decided), isFault: status === "False", reason, message };
  const before = request.context.at([DECISIONS]);
  return withContext(draft, [[DECISIONS, { ...(isObject(before) ? before : {}), [identifyStep(input)]: step }]]);
}
