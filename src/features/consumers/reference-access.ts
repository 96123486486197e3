import { type Composite, canSelectNamespaces } from "../../crossplane/composite.ts";
import { toConnectionSecret } from "../../crossplane/connection-secret.ts";
import { askReferenceGrants, type Grantee, readGrantees } from "../../crossplane/grants.ts";
import { couldNotBeRead } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { invalidInput } from "../../input/faults.ts";
import { stringAt } from "../../model/document.ts";
import type { Call } from "../feature.ts";
import type { Owner } from "./owner.ts";

/** Who has access to this XR's Secret by ReferenceGrants, beside those that its annotations grant. */
export interface ReferenceAccess {
  /** Unreadable: the kind is not installed, or Crossplane may not read it. Unnamed: this XR does not say which Secret is its own. */
  readonly is: "known" | "pending" | "unreadable" | "unnamed";
  /** Undefined unless they are known. */
  readonly grantees: readonly Grantee[] | undefined;
}

const REQUIREMENT = "consumers/reference-grants";

const without = (is: ReferenceAccess["is"]): ReferenceAccess => ({ is, grantees: undefined });

/**
 * Finds the ReferenceGrants beside this XR's Secret, where the input says that consumers rely on them.
 *
 * @throws {FunctionError} `InvalidInput` on Crossplane v1, which cannot look them up.
 */
export function findReferenceAccess({ grant, secretRef }: Consumers, owner: Owner, call: Call): ReferenceAccess {
  if (grant !== "ReferenceGrant") return { is: "known", grantees: [] };
  if (owner.is !== "found") return without("pending");
  const { request, composite } = call;
  if (!canSelectNamespaces(request, composite)) {
    const message = "ReferenceGrant needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2; else use Annotation";
    throw invalidInput([{ path: "spec.consumers.grant", message }]);
  }
  const secret = findSecret(secretRef, owner.composite);
  if (secret === undefined) return without("unnamed");
  if (couldNotBeRead(REQUIREMENT, composite.document)) return without("unreadable");
  const answer = askReferenceGrants(REQUIREMENT, secret, request, call.requirements);
  if (answer.is !== "resolved") return without(answer.is === "pending" ? "pending" : "unreadable");
  return { is: "known", grantees: readGrantees(answer.items, secret) };
}

/** The Secret that consumers copy. */
function findSecret({ nameFieldPath, namespaceFieldPath }: Consumers["secretRef"], { document }: Composite) {
  const found = toConnectionSecret(document, stringAt(document, nameFieldPath), stringAt(document, namespaceFieldPath));
  return found.is === "named" ? found.secret : undefined;
}
