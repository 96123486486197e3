import { groupKindOf } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import { ALLOWED_NAMESPACES } from "../../crossplane/grants.ts";
import { brief, type Condition, listSome } from "../../model/condition.ts";
import type { Draft } from "../../model/draft.ts";
import { toCommand } from "../../model/shell.ts";
import { type ReasonOf, tell, withConditionAndEvent } from "../conditions.ts";
import type { Edits } from "../desired.ts";
import type { Call } from "../feature.ts";

const TYPE = "ConsumersServed";

/** The largest number of consumers or namespaces that a message names. */
export const MAX_NAMES = 5;

type Count = { readonly count: string };
type Fault = { readonly fault: string };

/** The sentences for what its owner should know about this XR's consumers. The names are the reasons of the condition. */
const SENTENCES = {
  WaitingForRequiredResources: () => "waiting for Crossplane to look up who uses this XR",
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
  GrantedToAll: () =>
    `annotation ${ALLOWED_NAMESPACES} grants all namespaces by "*", which names none to make a credential for: list them`,
  StatusFieldMissing: ({ fault }: Fault) => fault,
  TooManyCredentials: ({ excess }: { readonly excess: number }) =>
    `${excess} namespaces get no credential, since there are too many`,
  TooManyToRotate: ({ most }: { readonly most: number }) =>
    `more than ${most} namespaces are granted, so the password is not rotated when one loses its grant`,
  AccessNotGranted: ({ count }: Count) => `copies without a grant: ${count}`,
  AccessRequested: ({ count }: Count) => `requests for a grant: ${count}`,
  // `unnamed`: the field in which one that is Ready names no Secret.
  WaitingForCredentials: ({
    namespaces,
    unnamed,
  }: {
    readonly namespaces: readonly string[];
    readonly unnamed?: string;
  }) =>
    `waiting for the credential of ${listSome(namespaces, MAX_NAMES, brief)}${unnamed ? `: it is Ready, but names no Secret in ${unnamed}` : ""}`,
};

export type ConsumersReason = ReasonOf<typeof SENTENCES, never>;

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
  const [first] = reasons;
  const isServed = first === undefined || first.is === "AccessRequested";
  const sentences = [...reasons.map((reason) => tell(SENTENCES, reason, {})), ...howToList(reasons, owner)];
  const condition: Condition = {
    type: TYPE,
    status: isServed ? "True" : first.is === "WaitingForRequiredResources" ? "Unknown" : "False",
    reason: first?.is ?? "Served",
    message: sentences.join("; ") || undefined,
    target: "CompositeAndClaim",
  };
  const severity = isServed || first.is === "WaitingForCredentials" ? "Normal" : "Warning";
  return withConditionAndEvent(draft, condition, severity, call);
}
