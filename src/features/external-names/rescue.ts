import { withoutScope } from "../../crossplane/api-group.ts";
import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import { findFacts } from "../../crossplane/providers/families.ts";
import type { ExternalNames } from "../../input/external-names.ts";
import type { FieldPath } from "../../model/field-path.ts";

/** The external name of a kind that `config.IdentifierFromProvider` configures: its Terraform ID. */
const ID = ["status", "atProvider", "id"];

/** The paths that hold the external name of such a resource when its annotation is lost; none where no rule covers the kind. */
export function rescuePathsFor({ group, kind }: ManagedKind, policy: ExternalNames): readonly FieldPath[] {
  const paths = policy.rescue
    .filter((rule) => rule.kind === kind && withoutScope(rule.apiGroup) === group)
    .map(({ fromFieldPath }) => fromFieldPath);
  return policy.builtInRescue && findFacts(group, kind).isNamedById ? [...paths, ID] : paths;
}
