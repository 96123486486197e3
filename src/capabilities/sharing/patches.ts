import type { SharedResource } from "../../input/shared-resource.ts";
import type { Draft } from "../../model/draft.ts";
import type { Call } from "../capability.ts";
import type { Finding } from "./find.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The XR's status fields that come from a shared resource. While it is not there, or we cannot tell, they stay as they were:
 * a field left out is a field taken away.
 */
export function patchesOf(shared: SharedResource, finding: Finding, verdict: Verdict, call: Call): Draft["composite"] {
  if (verdict.is === "drop") return [];
  return shared.patches.flatMap(({ fromFieldPath, toCompositeFieldPath: path }) => {
    const value = finding.is === "found" ? finding.resource.at(fromFieldPath) : call.composite.document.at(path);
    return value === undefined ? [] : [{ path, value }];
  });
}
