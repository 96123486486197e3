import { groupKindOf } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import { ALLOWED_NAMESPACES } from "../../crossplane/grants.ts";
import { brief, listSome } from "../../model/condition.ts";
import type { Draft } from "../../model/draft.ts";
import { toCommand } from "../../model/shell.ts";
import { faults, fine, type ReasonOf, tell, toTold, unknown, waits, withTold } from "../conditions.ts";
import type { Edits } from "../desired.ts";
import type { Call } from "../feature.ts";

const TYPE = "ConsumersServed";

/** The largest number of consumers or namespaces that a message names. */
export const MAX_NAMES = 5;

type Count = { readonly count: string };
type Fault = { readonly fault: string };

const REASONS = {
  ...unknown({ WaitingForRequiredResources: () => "waiting for Crossplane to look up who uses this XR" }),
  ...faults({
    NamespacesNotReadable: () =>
      "Crossplane could not read Namespaces, so it is not known who is granted: grant it " +
      '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}, as deploy/function/crossplane-reads.yaml does',
    ReferenceGrantsNotReadable: () =>
      "ReferenceGrants are not installed, or Crossplane could not read them, so it is not known who is granted: install Gateway " +
      "API's CRDs, and apply deploy/function/crossplane-reads.yaml; or set consumers.grant to Annotation",
    SharedResourceNotFound: ({ kind, name }: { readonly kind: string; readonly name: string }) =>
      `${kind} ${brief(name)} was not found, or another team's: a companion serves an XR of its own namespace`,
    NoConnectionSecret: ({ field }: { readonly field: string }) =>
      `${field} names no Secret of this XR's, so it is not known whose ReferenceGrants count`,
    InvalidGrant: ({ fault }: Fault) => `its annotation ${fault}, and grants nothing`,
    TooManyToRotate: ({ most }: { readonly most: number }) =>
      `more than ${most} namespaces are granted, so the password is not rotated when one loses its grant`,
    GrantedToAll: () =>
      `annotation ${ALLOWED_NAMESPACES} grants all namespaces by "*", which names none to make a credential for: list them`,
    TooManyCredentials: ({ excess }: { readonly excess: number }) =>
      `${excess} namespaces get no credential, since there are too many`,
  }),
  ...waits({
    WaitingForCredentials: ({ namespaces, unnamed }: Uncredited) =>
      `waiting for the credential of ${listSome(namespaces, MAX_NAMES, brief)}${unnamed ? `: it is Ready, but names no Secret in ${unnamed}` : ""}`,
  }),
  ...faults({ AccessNotGranted: ({ count }: Count) => `copies without a grant: ${count}` }),
  ...fine({ AccessRequested: ({ count }: Count) => `requests for a grant: ${count}` }),
  ...faults({ StatusFieldMissing: ({ fault }: Fault) => fault }),
  ...fine({ Served: () => "" }),
};

/** `unnamed`: the field in which one that is Ready names no Secret. */
interface Uncredited {
  readonly namespaces: readonly string[];
  readonly unnamed?: string;
}

const KIND = { type: TYPE, target: "CompositeAndClaim", reasons: REASONS, otherwise: "Served" } as const;

export type ConsumersReason = ReasonOf<typeof REASONS>;

/** The outcome of one field of the input's section. */
export interface Part {
  readonly edits: Edits;
  readonly reasons: readonly ConsumersReason[];
}

/** Tells how to list the consumers of the shared XR, where a reason counts some of them. */
function howToList(reasons: readonly ConsumersReason[], owner: Composite | undefined): readonly string[] {
  if (owner === undefined || !reasons.some((reason) => "count" in reason)) return [];
  const within = owner.namespace === undefined ? [] : ["-n", owner.namespace];
  const target = toCommand(groupKindOf(owner), owner.name, ...within);
  return [`to list the consumers: kubectl shared-infrastructure registry consumers ${target}`];
}

/** @param owner the shared XR, where it is known. */
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
