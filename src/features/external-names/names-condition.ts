import { annotate } from "../../crossplane/managed-resource.ts";
import { brief, sentencesForSome } from "../../model/condition.ts";
import type { Draft } from "../../model/draft.ts";
import { faults, fine, type ReasonOf, tell, toTold, waits, withTold } from "../conditions.ts";
import type { Call } from "../feature.ts";
import type { NamedResource } from "./name-verdict.ts";

const TYPE = "ExternalNamesPinned";

type Name = { readonly name: string };

const REASONS = {
  ...faults({
    // First: while the condition says so, the XR looks for what is restored.
    WaitingForRecord: ({ unconfirmed }: { readonly unconfirmed: string | undefined }) =>
      unconfirmed === undefined
        ? "not created: no external name is recorded for it, and requireRecord is set"
        : `not created: its record, which a team can edit, has the external name ${brief(unconfirmed)}; apply an exported record that ` +
          "has it, or remove its entry (see docs/restore.md)",
    DuplicateSuspected: ({ name, other }: Name & { readonly other: string }) =>
      `its external name is ${brief(name)}, but ${brief(other)} is recorded or reported too; there may be two cloud ` +
      "resources: delete the wrong one (see docs/restore.md)",
    ChangedByPipeline: ({ name, shown }: Name & { readonly shown: string }) =>
      `the pipeline sets the external name ${brief(name)}, but ${brief(shown)} is observed`,
  }),
  ...waits({
    NameNotRecorded: ({ createdAt, kind, observed }: Creation) =>
      `its provider began to create it at ${brief(createdAt)} and has not recorded a name; it is not created once more. If this ` +
      `stays, look in the cloud for a ${kind.kind} of that time: ${annotate(kind, observed)} crossplane.io/external-name=NAME crossplane.io/external-create-pending-, or, where ` +
      `there is none, ${annotate(kind, observed)} crossplane.io/external-create-succeeded- crossplane.io/external-create-pending-`,
  }),
  ...faults({
    LateInitializeMissing: () =>
      "its provider stores the external name by late initialization only; add LateInitialize to its managementPolicies",
  }),
  ...waits({ WaitingForNames: () => "no external name yet" }),
  ...fine({
    Rescued: ({ name }: Name) => `external name ${brief(name)}, reported by its provider`,
    RestoredFromRecord: ({ name }: Name) => `external name ${brief(name)}, from the record`,
    Pinned: () => "",
  }),
};

interface Creation extends Pick<NamedResource, "kind" | "observed"> {
  readonly createdAt: string;
}

const KIND = { type: TYPE, target: "Composite", reasons: REASONS, otherwise: "Pinned" } as const;

const MAX_SENTENCES = 10;

/** Adds one condition for all managed resources, with a sentence for each that needs one. */
export function withNamesCondition(draft: Draft, resources: readonly NamedResource[], call: Call): Draft {
  const remarks = resources.flatMap((resource) => {
    const remark = toRemark(resource);
    return remark === undefined ? [] : [{ ...remark, resource: resource.name }];
  });
  const told = toTold(KIND, remarks, (sorted) =>
    sentencesForSome(sorted, MAX_SENTENCES, (one) => `${one.resource}: ${tell(REASONS, one)}`),
  );
  return withTold(draft, told, call);
}

function toRemark({ verdict, kind, observed }: NamedResource): ReasonOf<typeof REASONS> | undefined {
  switch (verdict.is) {
    case "observed":
      return undefined;
    case "duplicate":
      return { ...verdict, is: "DuplicateSuspected" };
    case "rescued":
      return { is: "Rescued", name: verdict.name };
    case "recorded":
      return { is: "RestoredFromRecord", name: verdict.name };
    case "notRecorded":
      return { is: "NameNotRecorded", createdAt: verdict.createdAt, kind, observed };
    case "held":
      return { ...verdict, is: "WaitingForRecord" };
    case "unnamed":
      return { is: verdict.isAtRisk ? "LateInitializeMissing" : "WaitingForNames" };
    case "setByPipeline": {
      const { name, observed: shown = name } = verdict;
      return shown === name ? undefined : { is: "ChangedByPipeline", name, shown };
    }
  }
}
