import type { Condition } from "../../model/condition.ts";
import type { Verdict } from "./verdict.ts";

const TYPE = "ExternalNamesPinned";

/** Its reasons, in the order in which they matter. */
const REASONS = [
  "DuplicateSuspected",
  "ChangedByPipeline",
  "LateInitializeMissing",
  "WaitingForNames",
  "Rescued",
  "RestoredFromLedger",
] as const;
type Reason = (typeof REASONS)[number];

/** Those that nobody has to do anything about. */
const FINE: ReadonlySet<string> = new Set(["Rescued", "RestoredFromLedger"]);

const MAX_SENTENCES = 10;

/** One condition for all managed resources: its message has a sentence for each that needs one. */
export function conditionOf(verdicts: ReadonlyMap<string, Verdict>): Condition {
  const standings = [...verdicts]
    .flatMap(([resource, verdict]) => {
      const reason = reasonOf(verdict);
      return reason === undefined ? [] : [{ reason, sentence: `${resource}: ${explain(verdict)}` }];
    })
    .sort((a, b) => REASONS.indexOf(a.reason) - REASONS.indexOf(b.reason));
  const reason = standings[0]?.reason ?? "Pinned";
  const rest = standings.length - MAX_SENTENCES;
  const sentences = standings.slice(0, MAX_SENTENCES).map(({ sentence }) => sentence);
  return {
    type: TYPE,
    status: reason === "Pinned" || FINE.has(reason) ? "True" : "False",
    reason,
    message: sentences.length === 0 ? undefined : [...sentences, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; "),
    target: "Composite",
  };
}

function reasonOf(verdict: Verdict): Reason | undefined {
  switch (verdict.is) {
    case "duplicate":
      return "DuplicateSuspected";
    case "rescued":
      return "Rescued";
    case "recorded":
      return "RestoredFromLedger";
    case "unnamed":
      return verdict.isAtRisk ? "LateInitializeMissing" : "WaitingForNames";
    case "setByPipeline":
      return verdict.observed === undefined || verdict.observed === verdict.name ? undefined : "ChangedByPipeline";
    case "observed":
      return undefined;
  }
}

function explain(verdict: Verdict): string {
  switch (verdict.is) {
    case "duplicate":
      return (
        `its external name is ${verdict.name}, but ${verdict.other} is known too; there may be two cloud resources: delete ` +
        "the one that is not wanted, and see docs/external-names.md"
      );
    case "rescued":
      return `external name ${verdict.name}, from what its provider reports`;
    case "recorded":
      return `external name ${verdict.name}, from the ledger`;
    case "unnamed":
      return verdict.isAtRisk
        ? "its provider stores the external name by late initialization only; add LateInitialize to its managementPolicies"
        : "no external name yet";
    case "setByPipeline":
      return `the pipeline sets the external name ${verdict.name}, where ${verdict.observed} is observed`;
    case "observed":
      return `external name ${verdict.name}`;
  }
}

/** Whether somebody should look: a Warning, and not a Normal event. */
export const isAlarming = ({ reason }: Condition): boolean =>
  ["DuplicateSuspected", "ChangedByPipeline", "LateInitializeMissing"].includes(reason);
