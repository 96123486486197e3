import { canSelectNamespaces } from "../../crossplane/composite.ts";
import { toConnectionSecret } from "../../crossplane/connection-secret.ts";
import { askReferenceGrants, type Grantee, readGrantees } from "../../crossplane/grants.ts";
import { couldNotBeRead } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { invalidInput } from "../../input/faults.ts";
import { stringAt } from "../../model/document.ts";
import type { Call } from "../feature.ts";
import type { Owner } from "./find.ts";

/**
 * Who has access to the shared XR's Secret by ReferenceGrants, beside those that its annotations grant. Unreadable: the kind is not
 * installed, or Crossplane may not read it. Unnamed: the XR does not say which Secret is its own.
 */
export type ReferenceAccess =
  | { readonly is: "known"; readonly grantees: readonly Grantee[] }
  | { readonly is: "pending" | "unreadable" | "unnamed"; readonly grantees?: undefined };

const REQUIREMENT = "consumers/reference-grants";

/**
 * Finds the ReferenceGrants beside this XR's Secret, where the input says that consumers rely on them.
 *
 * @throws {FunctionError} `InvalidInput` on Crossplane v1, which cannot look them up.
 */
export function findReferenceAccess({ grant, secretRef }: Consumers, owner: Owner, call: Call): ReferenceAccess {
  if (grant !== "ReferenceGrant") return { is: "known", grantees: [] };
  if (owner.is !== "found") return { is: "pending" };
  const { request, composite } = call;
  if (!canSelectNamespaces(request, composite)) {
    const message = "ReferenceGrant needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2; else use Annotation";
    throw invalidInput([{ path: "spec.consumers.grant", message }]);
  }
  const { document } = owner.composite;
  const [name, namespace] = [secretRef.nameFieldPath, secretRef.namespaceFieldPath].map((path) =>
    stringAt(document, path),
  );
  const found = toConnectionSecret(document, name, namespace);
  if (found.is !== "named") return { is: "unnamed" };
  if (couldNotBeRead(REQUIREMENT, composite.document)) return { is: "unreadable" };
  const answer = askReferenceGrants(REQUIREMENT, found.secret, request, call.requirements);
  if (answer.is !== "resolved") return { is: answer.is === "pending" ? "pending" : "unreadable" };
  return { is: "known", grantees: readGrantees(answer.items, found.secret) };
}
