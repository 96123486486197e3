import type { SecretName } from "../../crossplane/copies.ts";
import { askGrantSchemas } from "../../crossplane/grants.ts";
import { findTargetRefusal } from "./access.ts";
import { findTarget } from "./copies/foreign-secret.ts";
import { findTargetFault } from "./copies/targets.ts";
import type { Share, Target } from "./judgement.ts";

/** The look-up that a share waits for. */
type Awaited =
  | { readonly is: "sharedResource" }
  | { readonly is: "grants"; readonly source: SecretName | undefined }
  | { readonly is: "source"; readonly key: string; readonly target: Target };

/**
 * Requires resources that only a later call reads. Crossplane calls a step six times at most, then it fails the XR. A
 * copy that moves to another shared resource would need nearly all six if each look-up waited for the one before.
 *
 * | awaited             | required as well                                |
 * |---------------------|-------------------------------------------------|
 * | the shared resource | the schemas of ReferenceGrant                   |
 * | its grants          | the Namespaces that have to accept its copies   |
 * | the source Secret   | the target Secret                               |
 */
export function prefetch({ shared, targets, call }: Share, awaited: Awaited): void {
  switch (awaited.is) {
    case "sharedResource":
      if (shared.grant === "ReferenceGrant") askGrantSchemas(call.request, call.requirements);
      return;
    case "grants":
      if (awaited.source === undefined || findTargetFault(targets, awaited.source, call) !== undefined) return;
      for (const target of targets.list) findTargetRefusal(target, call);
      return;
    case "source":
      findTarget(awaited.key, awaited.target, call);
  }
}
