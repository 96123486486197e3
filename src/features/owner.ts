import type { Composite } from "../model/composite.ts";
import { DOMAIN } from "../model/names.ts";

/** Whose it is that we make: kind.group/namespace/name of the claim, or of the XR where there is none. An annotation. */
export const OWNER = `${DOMAIN}/owner`;

/** The Secret that a copy was made from, as namespace/name. An annotation of the copy. */
export const SHARED_FROM = `${DOMAIN}/shared-from`;

/** Survives a restore: it says nothing of UIDs. */
export function ownerOf({ apiVersion, kind, namespace, name, claim }: Composite): string {
  const group = apiVersion.split("/")[0] ?? "";
  if (claim !== undefined) return `${claim.kind}.${group}/${claim.namespace}/${claim.name}`;
  return [`${kind}.${group}`, namespace, name].filter((part) => part !== undefined).join("/");
}
