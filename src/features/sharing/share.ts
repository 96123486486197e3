import { consumerNamespace } from "../../crossplane/composite.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Bindings } from "../../records/record.ts";
import type { Call } from "../feature.ts";
import { resolveTargets } from "./copies/targets.ts";
import type { Share } from "./judgement.ts";
import { isOfKind } from "./recorded.ts";

/** Resolves a share, without recorded bindings to other kinds: a team may write them, and Crossplane would look them up. */
export function toShare(shared: SharedResource, recorded: Bindings, call: Call): Share {
  const before = bindsOne(shared) ? (recorded.get(shared.name) ?? []) : [];
  return {
    shared,
    targets: resolveTargets(shared.connection?.copies ?? [], call),
    before: before.filter(({ resource }) => isOfKind(resource, shared)),
    own: consumerNamespace(call.composite),
    call,
  };
}

/** Tells whether a share binds the XR to one resource: not to itself, or to a list for later steps. */
export const bindsOne = ({ select }: SharedResource): boolean =>
  select.by === "name" || (select.by === "labels" && select.maxMatch === 1);
