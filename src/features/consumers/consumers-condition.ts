import { groupKindOf } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import { ALLOWED_NAMESPACES } from "../../crossplane/grants.ts";
import { brief, listSome } from "../../model/condition.ts";
import type { Draft } from "../../model/draft.ts";
import { toCommand } from "../../model/shell.ts";
import { faults, fine, type ReasonOf, tell, toTold, unknown, waits, withTold } from "../conditions.ts";
import type { Call } from "../feature.ts";

const TYPE = "ConsumersServed";

/** The most consumers or namespaces that a message names. */
export const MAX_NAMES = 5;

type Count = { readonly count: string };
type Fault = { readonly fault: string };
type Namespaces = { readonly namespaces: readonly string[] };

const REASONS = {
  ...unknown({ WaitingForRequiredResources: () => "waiting for Crossplane to look up who uses this XR" }),
  ...faults({
    NamespacesNotReadable: () =>
      "Crossplane could not read Namespaces, so it is not known who has access: apply deploy/function/crossplane-reads.yaml, which allows Crossplane " +
      '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}',
    ReferenceGrantsNotReadable: () =>
      "Crossplane could not look up ReferenceGrants, so it is not known who has access: install Gateway API's CRDs and apply " +
      "deploy/function/crossplane-reads.yaml, or set consumers.grant to Annotation in the Composition",
    SharedResourceNotFound: ({ kind, name }: { readonly kind: string; readonly name: string }) =>
      `found no ${kind} ${brief(name)}, or only another team's: correct consumers.of.name in the Composition, or create the ${kind} in the ` +
      "namespace of this XR or its claim",
    "SharedResourceNotFound/unnamed": ({ kind, field }: { readonly kind: string; readonly field: string }) =>
      `${field} is not set, so it is not known which ${kind} this XR serves`,
    NoConnectionSecret: ({ field }: { readonly field: string }) =>
      `${field} of the shared XR names no Secret that the XR may share, so ReferenceGrants cannot be looked up: ` +
      "set that field (a namespace to that of the XR or its claim); if other fields name the Secret, set consumers.secretRef in the Composition",
    InvalidGrant: ({ fault }: Fault) => `the owner has to correct an annotation of the shared XR: ${fault}`,
    GrantedToAll: () =>
      `no credentials are made for "*" in annotation ${ALLOWED_NAMESPACES}: list each namespace that needs a credential`,
    TooManyCredentials: ({ wanted, most }: Readonly<Record<"wanted" | "most", number>>) =>
      `this XR needs ${wanted} credentials, but can have only ${most} of this size: grant access to fewer namespaces, or make ` +
      "consumers.credentials.template smaller",
  }),
  ...waits({
    // `unnamed`: the fields that should name the Secret of a Ready credential and its namespace, but do not.
    WaitingForCredentials: ({ namespaces, kind, unnamed }: Namespaces & { readonly kind: string; unnamed?: string }) =>
      `waiting for the credential of namespace ${listSome(namespaces, MAX_NAMES, brief)}: ` +
      (unnamed
        ? `a composed ${kind} is Ready, but ${unnamed} do not name its Secret and the Secret's namespace; correct ` +
          "consumers.credentials.secretRef, or the name in consumers.credentials.template"
        : `see why the composed ${kind} is not Ready`),
  }),
  ...faults({
    AccessNotGranted: ({ count }: Count) =>
      `consumers that have access without a grant: ${count} (grant them access, or see why their XRs are not reconciled)`,
  }),
  ...fine({ AccessRequested: ({ count }: Count) => `consumers that ask for a grant: ${count}` }),
  ...faults({ StatusFieldMissing: ({ fault }: Fault) => fault }),
  ...fine({ Served: () => "" }),
};

const KIND = { type: TYPE, target: "CompositeAndClaim", reasons: REASONS, otherwise: "Served" } as const;

export type ConsumersReason = ReasonOf<typeof REASONS>;

/** Writes the command that lists the consumers of the shared XR, if one of the messages only counts them. */
function howToList(reasons: readonly ConsumersReason[], owner: Composite | undefined): readonly string[] {
  if (owner === undefined || !reasons.some((reason) => "count" in reason)) return [];
  const within = owner.namespace === undefined ? [] : ["-n", owner.namespace];
  const target = toCommand(groupKindOf(owner), owner.name, ...within);
  return [`to list the consumers: kubectl shared-infrastructure registry consumers ${target}`];
}

/** @param owner the shared XR, if it is known. */
export function withConsumersCondition(
  draft: Draft,
  reasons: readonly ConsumersReason[],
  owner: Composite | undefined,
  call: Call,
): Draft {
  const told = toTold(KIND, reasons, (sorted) => [
    ...sorted.map((reason) => tell(REASONS, reason)),
    ...howToList(reasons, owner),
  ]);
  return withTold(draft, told, call);
}
