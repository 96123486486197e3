import { annotateCommand, type ManagedKind } from "../../crossplane/managed-resource.ts";
import { brief, sentencesForSome } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import { explainTooEarly, faults, fine, tell, toTold, waits, withTold } from "../conditions.ts";
import type { Call } from "../feature.ts";
import type { NameVerdict } from "./name-verdict.ts";

/** A desired managed resource, and the verdict on its external name. */
export interface NamedResource {
  readonly resource: string;
  readonly kind: ManagedKind;
  readonly desired: Document;
  readonly observed: Document | undefined;
  readonly verdict: NameVerdict;
}

type Name = { readonly name: string };

const REASONS = {
  ...faults({
    // First: while the condition has this reason, the XR looks for resources that a restore brings back.
    WaitingForRecord: ({ unconfirmed }: { readonly unconfirmed: string | undefined }) =>
      unconfirmed === undefined
        ? "not created: requireRecord is set, and no external name is recorded for this resource. If the cloud resource exists, apply an " +
          "exported record with its name. If not, set externalNames.requireRecord: false in the Composition: then all such resources are created"
        : `not created: the external name ${brief(unconfirmed)} is recorded only where this XR's team can edit it. If an ` +
          "export from before has that name, too, apply it: a team may have written the name of another team's cloud resource. If not, remove " +
          "the entry from the team's record: then the resource is created, unless requireRecord is set (see docs/restore.md)",
    DuplicateSuspected: ({ name, other }: Name & { readonly other: string }) =>
      `its external name is ${brief(name)}, but its record or status has ${brief(other)}, so there may be two cloud ` +
      "resources: look at both, and whether one is another XR's, before you delete one (see docs/restore.md)",
    ChangedByPipeline: ({ name, seen }: Name & { readonly seen: string }) =>
      `the pipeline sets the external name ${brief(name)}, but the managed resource has ${brief(seen)}: find out which of the two cloud ` +
      "resources is meant, and have the pipeline set the name of that one",
  }),
  ...waits({
    NameNotRecorded: ({
      createdAt,
      kind,
      observed,
    }: Pick<NamedResource, "kind" | "observed"> & { createdAt: string }) =>
      `the provider began to create a ${kind.kind} at ${brief(createdAt)} and has recorded no external name, so this XR does not have it ` +
      `created again. If this stays, look for a ${kind.kind} of that time in the cloud that is no other XR's. If there is one, run this with its name for NAME: ` +
      `${annotateCommand(kind, observed)} crossplane.io/external-name=NAME crossplane.io/external-create-pending-; if there is none, have ` +
      `one created: ${annotateCommand(kind, observed)} crossplane.io/external-create-succeeded- crossplane.io/external-create-pending-`,
  }),
  ...faults({
    LateInitializeMissing: () =>
      "the provider stores the external name by late initialization only; in the Composition, add LateInitialize to its spec.managementPolicies",
  }),
  ...waits({ WaitingForNames: () => "its provider has not set an external name yet" }),
  ...fine({
    Rescued: ({ name }: Name) => `its external name was lost, and is set again to ${brief(name)}, as its status has it`,
    RestoredFromRecord: ({ name }: Name) =>
      `its external name was lost, and is set again to ${brief(name)}, as the record has it`,
    Pinned: () => "",
  }),
};

const KIND = { type: "ExternalNamesPinned", target: "Composite", reasons: REASONS, otherwise: "Pinned" } as const;

const MAX_SENTENCES = 10;

/** Adds one condition for all managed resources, with a sentence for each that needs one. */
export function withNamesCondition(draft: Draft, resources: readonly NamedResource[], call: Call): Draft {
  const remarks = resources.flatMap(({ verdict, ...facts }) =>
    verdict.is === "Pinned" || verdict.is === "SetByPipeline" ? [] : [{ ...facts, ...verdict }],
  );
  const told = toTold(KIND, remarks, (sorted) => [
    ...sentencesForSome(sorted, MAX_SENTENCES, (one) => `${brief(one.resource)}: ${tell(REASONS, one)}`),
    ...explainTooEarly(call, draft),
  ]);
  return withTold(draft, told, call);
}
