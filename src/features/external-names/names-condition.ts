import { annotate } from "../../crossplane/managed-resource.ts";
import { brief, sentencesForSome } from "../../model/condition.ts";
import type { Draft } from "../../model/draft.ts";
import { type Reasons, type Remarks, sortByReason, withConditionAndEvent } from "../conditions.ts";
import type { Call } from "../feature.ts";
import type { NamedResource, NameVerdict } from "./name-verdict.ts";

const TYPE = "ExternalNamesPinned";

const REASONS = {
  WaitingForRecord: ["False", "Warning"], // first: while the condition says so, the XR looks for what is restored
  DuplicateSuspected: ["False", "Warning"],
  ChangedByPipeline: ["False", "Warning"],
  NameNotRecorded: ["False", "Normal"],
  LateInitializeMissing: ["False", "Warning"],
  WaitingForNames: ["False", "Normal"],
  Rescued: ["True", "Normal"],
  RestoredFromRecord: ["True", "Normal"],
  Pinned: ["True", "Normal"],
} as const satisfies Reasons;

type NameReason = keyof typeof REASONS;

const MAX_SENTENCES = 10;

/** Adds one condition for all managed resources, with a sentence for each that needs one. */
export function withNamesCondition(draft: Draft, resources: readonly NamedResource[], call: Call): Draft {
  const remarks = resources.flatMap((resource) => {
    const [reason, sentence] = REMARKS[resource.verdict.is](resource.verdict as never, resource) ?? [];
    return reason === undefined ? [] : [{ reason, sentence: `${resource.name}: ${sentence}` }];
  });
  const sorted = sortByReason(remarks, REASONS);
  const reason = sorted[0]?.reason ?? "Pinned";
  const [status, severity] = REASONS[reason];
  const message = sentencesForSome(sorted, MAX_SENTENCES, ({ sentence }) => sentence).join("; ") || undefined;
  return withConditionAndEvent(draft, { type: TYPE, status, reason, message, target: "Composite" }, severity, call);
}

const REMARKS: Remarks<NameVerdict, NamedResource, NameReason> = {
  observed: () => undefined,
  duplicate: ({ name, other }) => [
    "DuplicateSuspected",
    `its external name is ${brief(name)}, but ${brief(other)} is recorded or reported too; there may be two cloud ` +
      "resources: delete the wrong one (see docs/restore.md)",
  ],
  rescued: ({ name }) => ["Rescued", `external name ${brief(name)}, reported by its provider`],
  recorded: ({ name }) => ["RestoredFromRecord", `external name ${brief(name)}, from the record`],
  notRecorded: ({ createdAt }, { kind, observed }) => [
    "NameNotRecorded",
    `its provider began to create it at ${brief(createdAt)} and has not recorded a name; it is not created once more. If this ` +
      `stays, look in the cloud for a ${kind.kind} of that time: ${annotate(kind, observed)} crossplane.io/external-name=NAME crossplane.io/external-create-pending-, or, where ` +
      `there is none, ${annotate(kind, observed)} crossplane.io/external-create-succeeded- crossplane.io/external-create-pending-`,
  ],
  held: ({ unconfirmed }) => [
    "WaitingForRecord",
    unconfirmed === undefined
      ? "not created: no external name is recorded for it, and requireRecord is set"
      : `not created: its record, which a team can edit, has the external name ${brief(unconfirmed)}; apply an exported record that ` +
        "has it, or remove its entry (see docs/restore.md)",
  ],
  unnamed: ({ isAtRisk }) =>
    isAtRisk
      ? [
          "LateInitializeMissing",
          "its provider stores the external name by late initialization only; add LateInitialize to its managementPolicies",
        ]
      : ["WaitingForNames", "no external name yet"],
  setByPipeline: ({ name, observed: shown = name }) =>
    shown === name
      ? undefined
      : ["ChangedByPipeline", `the pipeline sets the external name ${brief(name)}, but ${brief(shown)} is observed`],
};
