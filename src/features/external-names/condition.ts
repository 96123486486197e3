import { annotate } from "../../crossplane/managed-resource.ts";
import { brief, type Condition, sentencesForSome } from "../../model/condition.ts";
import type { NamedResource } from "./pin.ts";

const TYPE = "ExternalNamesPinned";

const NAME_REASONS = [
  "WaitingForRecord", // first: while the condition says so, the XR looks for what is restored
  "DuplicateSuspected",
  "ChangedByPipeline",
  "NameNotRecorded",
  "LateInitializeMissing",
  "WaitingForNames",
  "Rescued",
  "RestoredFromRecord",
] as const;
type NameReason = (typeof NAME_REASONS)[number];

/** Reasons that need no action. */
const FINE: ReadonlySet<string> = new Set(["Rescued", "RestoredFromRecord"]);

const MAX_SENTENCES = 10;

/** Makes one condition for all managed resources, with a sentence for each that needs one. */
export function toNamesCondition(resources: readonly NamedResource[]): Condition {
  const remarks = resources
    .flatMap((resource): readonly Remark[] => {
      const found = toRemark(resource);
      return found === undefined ? [] : [remark(found.reason, `${resource.name}: ${found.sentence}`)];
    })
    .sort((a, b) => NAME_REASONS.indexOf(a.reason) - NAME_REASONS.indexOf(b.reason));
  const reason = remarks[0]?.reason ?? "Pinned";
  const sentences = sentencesForSome(remarks, MAX_SENTENCES, ({ sentence }) => sentence);
  return {
    type: TYPE,
    status: reason === "Pinned" || FINE.has(reason) ? "True" : "False",
    reason,
    message: sentences.length === 0 ? undefined : sentences.join("; "),
    target: "Composite",
  };
}

interface Remark {
  readonly reason: NameReason;
  readonly sentence: string;
}

const remark = (reason: NameReason, sentence: string): Remark => ({ reason, sentence });

/** Describes a verdict; undefined for one that needs no remark. */
function toRemark({ verdict, kind, observed }: NamedResource): Remark | undefined {
  switch (verdict.is) {
    case "duplicate":
      return remark(
        "DuplicateSuspected",
        `its external name is ${brief(verdict.name)}, but ${brief(verdict.other)} is recorded or reported too; there may be two cloud ` +
          "resources: delete the wrong one (see docs/restore.md)",
      );
    case "rescued":
      return remark("Rescued", `external name ${brief(verdict.name)}, reported by its provider`);
    case "recorded":
      return remark("RestoredFromRecord", `external name ${brief(verdict.name)}, from the record`);
    case "notRecorded":
      return remark(
        "NameNotRecorded",
        `its provider began to create it at ${brief(verdict.createdAt)} and has not recorded a name; it is not created once more. If this ` +
          `stays, look in the cloud for a ${kind.kind} of that time: ${annotate(kind, observed)} crossplane.io/external-name=NAME, or, where ` +
          `there is none, ${annotate(kind, observed)} crossplane.io/external-create-succeeded- crossplane.io/external-create-pending-`,
      );
    case "held":
      return remark(
        "WaitingForRecord",
        verdict.unconfirmed === undefined
          ? "not created: no external name is recorded for it, and requireRecord is set"
          : `not created: its record, which a team can edit, has the external name ${brief(verdict.unconfirmed)}; apply an exported record that ` +
              "has it, or remove its entry (see docs/restore.md)",
      );
    case "unnamed":
      return verdict.isAtRisk
        ? remark("LateInitializeMissing", AT_RISK)
        : remark("WaitingForNames", "no external name yet");
    case "setByPipeline": {
      const { name, observed: shown = name } = verdict;
      if (shown === name) return undefined;
      return remark(
        "ChangedByPipeline",
        `the pipeline sets the external name ${brief(name)}, but ${brief(shown)} is observed`,
      );
    }
    case "observed":
      return undefined;
  }
}

const AT_RISK =
  "its provider stores the external name by late initialization only; add LateInitialize to its managementPolicies";

export const isAlarming = ({ reason }: Condition): boolean =>
  ["DuplicateSuspected", "ChangedByPipeline", "WaitingForRecord", "LateInitializeMissing"].includes(reason);
