import { ALLOWED_NAMESPACES } from "../../crossplane/grants.ts";
import { brief, type Condition, listSome } from "../../model/condition.ts";
import { type Draft, withCondition, withResults } from "../../model/draft.ts";
import { type FieldPath, formatFieldPath } from "../../model/field-path.ts";
import type { Call } from "../feature.ts";
import { explainLacking } from "../fit-status.ts";
import { eventsFor } from "../transition-events.ts";

const TYPE = "ConsumersServed";

/** The largest number of consumers or namespaces that a message names. */
const MAX_NAMES = 5;

/** Something that its owner should know about this XR's consumers. The names are the reasons of the condition. */
export type ConsumersReason =
  | { readonly is: "WaitingForRequiredResources" | "NamespacesNotReadable" | "ReferenceGrantsNotReadable" }
  | { readonly is: "SharedResourceNotFound"; readonly kind: string; readonly name: string }
  | { readonly is: "NoConnectionSecret"; readonly path: FieldPath }
  | { readonly is: "InvalidGrant"; readonly fault: string }
  | { readonly is: "GrantedToAll" }
  | { readonly is: "AccessNotGranted" | "AccessRequested"; readonly count: string }
  | { readonly is: "StatusFieldMissing"; readonly lacking: readonly FieldPath[] }
  | { readonly is: "TooManyCredentials"; readonly excess: number }
  | { readonly is: "TooManyToRotate"; readonly most: number }
  | { readonly is: "WaitingForCredentials"; readonly namespaces: readonly string[] };

export function withConsumersCondition(draft: Draft, reasons: readonly ConsumersReason[], call: Call): Draft {
  const [first] = reasons;
  const isWaiting = first?.is === "WaitingForRequiredResources";
  const isServed = first === undefined || first.is === "AccessRequested";
  const condition: Condition = {
    type: TYPE,
    status: isServed ? "True" : isWaiting ? "Unknown" : "False",
    reason: first?.is ?? "Served",
    message: first === undefined ? undefined : reasons.map((reason) => explain(reason, call)).join("; "),
    target: "CompositeAndClaim",
  };
  const isProgress = isServed || first.is === "WaitingForCredentials";
  return withResults(withCondition(draft, condition), eventsFor(condition, isProgress ? "Normal" : "Warning", call));
}

function explain(reason: ConsumersReason, { composite }: Call): string {
  switch (reason.is) {
    case "WaitingForRequiredResources":
      return "waiting for Crossplane to look up who uses this XR";
    case "NamespacesNotReadable":
      return (
        "Crossplane could not read Namespaces, so it is not known who is granted: grant it " +
        '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}, as deploy/function/crossplane-reads.yaml does'
      );
    case "ReferenceGrantsNotReadable":
      return (
        "ReferenceGrants are not installed, or Crossplane could not read them, so it is not known who is granted: install Gateway " +
        "API's CRDs, and apply deploy/function/crossplane-reads.yaml; or set consumers.grant to Annotation"
      );
    case "SharedResourceNotFound":
      return `${reason.kind} ${brief(reason.name)} was not found, or another team's: a companion serves an XR of its own namespace`;
    case "NoConnectionSecret":
      return `${formatFieldPath(reason.path)} names no Secret of this XR's, so it is not known whose ReferenceGrants count`;
    case "InvalidGrant":
      return `${reason.fault}, and grants nothing`;
    case "GrantedToAll":
      return `annotation ${ALLOWED_NAMESPACES} grants all namespaces by "*", which names none to make a credential for: list them`;
    case "StatusFieldMissing":
      return explainLacking(reason.lacking, composite);
    case "TooManyCredentials":
      return `${reason.excess} namespaces get no credential, since there are too many`;
    case "TooManyToRotate":
      return `more than ${reason.most} namespaces are granted, so the password is not rotated when one loses its grant`;
    case "AccessNotGranted":
      return `copies without a grant: ${reason.count}, which registry consumers lists`;
    case "AccessRequested":
      return `requests for a grant: ${reason.count}, which registry consumers lists`;
    case "WaitingForCredentials":
      return `waiting for the credential of ${listSome(reason.namespaces, MAX_NAMES, brief)}`;
  }
}
