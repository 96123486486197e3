import { annotate } from "../../crossplane/managed-resource.ts";
import { brief, type Condition, type Result, sentencesForSome } from "../../model/condition.ts";
import type { Remarks } from "../reasons.ts";
import type { NamedResource, NameVerdict } from "./pin.ts";

const TYPE = "ExternalNamesPinned";

/** The reasons by priority, of which the first becomes the condition's, with its status and the severity of its event. */
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
} as const satisfies Readonly<Record<string, readonly [Condition["status"], Result["severity"]]>>;

type NameReason = keyof typeof REASONS;

const PRIORITIES = Object.keys(REASONS);

const MAX_SENTENCES = 10;

/** Makes one condition for all managed resources, with a sentence for each that needs one; and the severity of its event. */
export function toNamesCondition(resources: readonly NamedResource[]) {
  const remarks = resources
    .flatMap((resource) => {
      const [reason, sentence] = REMARKS[resource.verdict.is](resource.verdict as never, resource) ?? [];
      return reason === undefined ? [] : [{ reason, sentence: `${resource.name}: ${sentence}` }];
    })
    .sort((a, b) => PRIORITIES.indexOf(a.reason) - PRIORITIES.indexOf(b.reason));
  const reason = remarks[0]?.reason ?? "Pinned";
  const [status, severity] = REASONS[reason];
  const message = sentencesForSome(remarks, MAX_SENTENCES, ({ sentence }) => sentence).join("; ") || undefined;
  return { condition: { type: TYPE, status, reason, message, target: "Composite" } as const, severity };
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
      `stays, look in the cloud for a ${kind.kind} of that time: ${annotate(kind, observed)} crossplane.io/external-name=NAME, or, where ` +
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
