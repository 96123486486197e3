import { toConnectionSecret } from "../../crossplane/connection-secret.ts";
import { canSelectNamespaces } from "../../crossplane/namespaces.ts";
import {
  type Grantee,
  readGrantees,
  referenceGrantSchema,
  requireReferenceGrants,
} from "../../crossplane/reference-grant.ts";
import { couldNotBeRead } from "../../crossplane/requirement.ts";
import type { Consumers } from "../../input/consumers.ts";
import { invalidInput } from "../../input/faults.ts";
import { stringAt } from "../../model/document.ts";
import type { Requirement, SchemaRequirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

/** Who has access to this XR's Secret by ReferenceGrants, beside those that its annotations grant. */
export interface ReferenceAccess {
  /** Unreadable: the kind is not installed, or Crossplane may not read it. Unnamed: this XR does not say which Secret is its own. */
  readonly is: "known" | "pending" | "unreadable" | "unnamed";
  /** Undefined unless they are known. */
  readonly grantees: readonly Grantee[] | undefined;
  readonly requirements: readonly Requirement[];
  readonly schemas: readonly SchemaRequirement[];
}

const REQUIREMENT = "consumers/reference-grants";

const without = (is: ReferenceAccess["is"], schemas: readonly SchemaRequirement[] = []): ReferenceAccess => ({
  is,
  grantees: undefined,
  requirements: [],
  schemas,
});

/**
 * Finds the ReferenceGrants beside this XR's Secret, where the input says that consumers rely on them: Crossplane fails an XR that
 * asks for a kind that is not installed or that it may not read. From v2.2 on the kind's schemas are asked for first.
 *
 * @throws {FunctionError} `InvalidInput` on Crossplane v1, which cannot look them up.
 */
export function findReferenceAccess({ grant, secretRef }: Consumers, call: Call): ReferenceAccess {
  if (grant !== "ReferenceGrant") return { ...without("known"), grantees: [] };
  const { request, composite } = call;
  if (!canSelectNamespaces(request, composite)) {
    const message = "ReferenceGrant needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2; else use Annotation";
    throw invalidInput([{ path: "spec.consumers.grant", message }]);
  }
  const secret = findSecret(secretRef, call);
  if (secret === undefined) return without("unnamed");
  const { version, schemas } = findVersion(call);
  if (version === "pending") return without("pending", schemas);
  if (version === "none" || couldNotBeRead(REQUIREMENT, composite.document)) return without("unreadable", schemas);
  const requirement = requireReferenceGrants(REQUIREMENT, version, secret);
  const answer = request.required(requirement.name);
  const requirements = [requirement];
  return answer.is === "pending"
    ? { ...without("pending", schemas), requirements }
    : { is: "known", grantees: readGrantees(answer.items, secret), requirements, schemas };
}

/** The Secret that consumers copy. */
function findSecret({ nameFieldPath, namespaceFieldPath }: Consumers["secretRef"], { composite: { document } }: Call) {
  const found = toConnectionSecret(document, stringAt(document, nameFieldPath), stringAt(document, namespaceFieldPath));
  return found.is === "named" ? found.secret : undefined;
}

interface FoundVersion {
  readonly version: "v1" | "v1beta1" | "pending" | "none";
  readonly schemas: readonly SchemaRequirement[];
}

/** The version that the cluster serves. Crossplane before v2.2 cannot say; then the input's word is taken for v1beta1. */
function findVersion({ request }: Call): FoundVersion {
  if (!request.capabilities.has("RequiredSchemas")) return { version: "v1beta1", schemas: [] };
  const versions = ["v1", "v1beta1"] as const;
  const schemas = versions.map(referenceGrantSchema);
  const answers = versions.map((version) => ({
    version,
    is: request.requiredSchema(referenceGrantSchema(version).name).is,
  }));
  const [served] = answers.filter(({ is }) => is !== "unknown");
  if (served === undefined) return { version: "none", schemas };
  return { version: served.is === "pending" ? "pending" : served.version, schemas };
}
