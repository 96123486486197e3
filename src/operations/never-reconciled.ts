import { withDesired } from "../features/desired.ts";
import type { Result } from "../model/condition.ts";
import type { Draft } from "../model/draft.ts";
import type { JsonObject } from "../model/json.ts";
import { DEFINITION, type Definition, toDefinition } from "./definition.ts";
import type { Operation, OperationCall } from "./operation.ts";
import { judge, NUDGED_FOR, type Verdict } from "./verdict.ts";

const DEFINITIONS = "never-reconciled/definitions";
const compositesOf = ({ name }: Definition): string => `never-reconciled/composites/${name}`;

/** How many XRs a result names: an event is not the place for hundreds. All are in the output. */
const NAMED = 10;

interface Found {
  readonly definition: Definition;
  readonly verdict: Verdict;
}

/** Asks for the XRDs, then for the XRs of each, and nudges the XRDs of those that were never reconciled. */
export const neverReconciled: Operation = (call, draft) => {
  const { request, input } = call;
  const { definitions: selected, onFound } = input.spec.neverReconciled ?? {};
  if (selected === undefined) return draft;
  const answer = request.required(DEFINITIONS);
  const definitions =
    answer.is === "pending" ? [] : answer.items.flatMap((item) => toDefinition(item) ?? []).sort(byName);
  const asking = { ...draft, requirements: new Map([...draft.requirements, ...requirementsOf(selected, definitions)]) };
  const found = foundOf(call, definitions);
  if (answer.is === "pending" || found === undefined) return asking;
  return {
    ...withNudges(asking, onFound === "Nudge" ? found : []),
    results: resultsOf(found),
    output: outputOf(found),
  };
};

const byName = (a: Definition, b: Definition): number => (a.name < b.name ? -1 : 1);

const requirementsOf = (
  { matchLabels }: { readonly matchLabels: Readonly<Record<string, string>> },
  definitions: readonly Definition[],
): Draft["requirements"] =>
  new Map([
    [DEFINITIONS, { ...DEFINITION, match: { labels: matchLabels } }],
    ...definitions.map((definition) => {
      const { apiVersion, kind } = definition;
      return [compositesOf(definition), { apiVersion, kind, match: { labels: {} } }] as const;
    }),
  ]);

/** Undefined while one of the answers is pending. */
function foundOf({ request }: OperationCall, definitions: readonly Definition[]): readonly Found[] | undefined {
  const found = definitions.map((definition) => {
    const answer = request.required(compositesOf(definition));
    return answer.is === "pending" ? undefined : { definition, verdict: judge(definition, answer.items) };
  });
  const known = found.filter((each) => each !== undefined);
  return known.length === found.length ? known : undefined;
}

/** Server-side apply takes the annotation alone, and leaves the rest of the XRD as it is. */
function withNudges(draft: Draft, found: readonly Found[]): Draft {
  return found.reduce((nudging, { definition: { name }, verdict }) => {
    if (verdict.is !== "NeverReconciled") return nudging;
    const metadata = { name, annotations: { [NUDGED_FOR]: verdict.nudgedFor } };
    return withDesired(nudging, `nudge/${name}`, { ...DEFINITION, metadata });
  }, draft);
}

function resultsOf(found: readonly Found[]): readonly Result[] {
  const results = found.flatMap(({ definition, verdict }) => resultOf(definition, verdict) ?? []);
  if (results.length > 0) return results;
  const message = `all XRs of ${found.length} XRDs have been reconciled`;
  return [{ severity: "Normal", reason: "Reconciled", message, target: "Composite" }];
}

function resultOf({ name }: Definition, verdict: Verdict): Result | undefined {
  if (verdict.is === "Reconciled") return undefined;
  const which = `${name}: never reconciled: ${listOf(verdict.composites)}`;
  const message =
    verdict.is === "NudgedInVain"
      ? `${which}; its XRD was nudged for these before: look at Crossplane's log, and restart it if nothing is in it`
      : which;
  return { severity: "Warning", reason: verdict.is, message, target: "Composite" };
}

function listOf(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return rest > 0 ? `${names.slice(0, NAMED).join(", ")} and ${rest} more` : names.join(", ");
}

/** What the Operation's status keeps: names by XRD. */
const outputOf = (found: readonly Found[]): JsonObject => ({
  neverReconciled: Object.fromEntries(
    found.flatMap(({ definition: { name }, verdict }) =>
      verdict.is === "Reconciled" ? [] : [[name, verdict.composites] as const],
    ),
  ),
});
