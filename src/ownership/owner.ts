import { toApiGroup, toGroupKind } from "../crossplane/api-group.ts";
import type { Composite } from "../crossplane/composite.ts";
import { DOMAIN } from "../model/names.ts";

/** The annotation that names the owner of a composed resource: Kind.group/namespace/name of the claim, or of the XR without one. */
export const OWNER = `${DOMAIN}/owner`;

/** The annotation of a copy that names the Secret it was made from, as namespace/name. */
export const SHARED_FROM = `${DOMAIN}/shared-from`;

/** Formats the owner's name. It contains no UID, so it survives a restore. */
export function formatOwner({ apiVersion, kind, namespace, name, claim }: Composite): string {
  const group = toApiGroup(apiVersion);
  if (claim !== undefined) return `${toGroupKind(claim.kind, group)}/${claim.namespace}/${claim.name}`;
  return [toGroupKind(kind, group), namespace, name].filter((part) => part !== undefined).join("/");
}
