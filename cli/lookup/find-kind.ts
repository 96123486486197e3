import { toApiGroup } from "../../src/crossplane/api-group.ts";
import type { Reference } from "../../src/crossplane/references.ts";
import { findKind, type ResourceKind } from "../cluster/discovery.ts";

/** Finds the installed kind of a reference, in any version. */
export const findKindOf = (
  kinds: readonly ResourceKind[],
  { apiVersion, kind }: Pick<Reference, "apiVersion" | "kind">,
): ResourceKind | undefined => findKind(kinds, { group: toApiGroup(apiVersion), kind });
