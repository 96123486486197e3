import { toApiGroup } from "../../../crossplane/api-group.ts";
import { canSelectNamespaces } from "../../../crossplane/namespaces.ts";
import { toRequirement } from "../../../crossplane/requirement.ts";
import type { Connection } from "../../../input/connection.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { stringAt } from "../../../model/document.ts";
import type { Requirement } from "../../../model/requirement.ts";
import type { Call } from "../../feature.ts";
import { findAccess } from "../grant.ts";
import { type Origin, originKey, toSelector } from "../origin.ts";
import { findSource, isSameSecret } from "../source.ts";
import type { NotCopying } from "../verdict.ts";
import type { ObservedCopy } from "./observed.ts";

/** A share with a connection, as the input has it. */
export interface ConnectedShare extends SharedResource {
  readonly connection: Connection;
}

export interface Keeping {
  readonly isKept: boolean;
  /** Kept only because an answer is still missing. */
  readonly isPending: boolean;
  readonly requirements: readonly Requirement[];
}

const decided = (isKept: boolean, requirements: readonly Requirement[] = []): Keeping => ({
  isKept,
  isPending: false,
  requirements,
});

const pending = (requirements: readonly Requirement[]): Keeping => ({ isKept: true, isPending: true, requirements });

/**
 * Judges a copy that is not written in this call: it lives as long as the grant that it was made under.
 *
 * The XR's present fields do not count, because the consumer writes them. The shared resource that is recorded on what
 * we composed is asked for by name, and its grant is judged for the copy's namespace.
 *
 * - Granted: it stays. Taken back: it goes.
 * - The shared resource is gone, or names another Secret than the copy reads: `onSourceMissing`.
 * - Not known yet: it stays. So does a copy from before this was recorded, until it is written again.
 *
 * @param granted the origin whose grant for this copy has been judged in this call already.
 */
export function judgeKept(
  copy: ObservedCopy,
  cause: NotCopying["is"],
  granted: Origin | undefined,
  shared: ConnectedShare,
  call: Call,
): Keeping {
  const { origin, earlier } = copy;
  const isWithoutSourceKept = shared.connection.onSourceMissing === "Keep";
  if (cause === "unknown") return decided(true);
  if (origin === undefined) return decided(cause === "broken" || isWithoutSourceKept);
  const isGranted = granted !== undefined && originKey(granted) === originKey(origin);
  const current = isGranted
    ? decided(cause === "broken" || isWithoutSourceKept)
    : judgeOrigin(copy, origin, shared, call);
  return all([current, judgeOrigins(copy, earlier, shared, call)]);
}

/** Judges the grants of all origins for one copy: each may still be in it. */
export const judgeOrigins = (
  copy: ObservedCopy,
  origins: readonly Origin[],
  shared: ConnectedShare,
  call: Call,
): Keeping => all(origins.map((origin) => judgeOrigin(copy, origin, shared, call)));

const all = (keepings: readonly Keeping[]): Keeping => ({
  isKept: keepings.every(({ isKept }) => isKept),
  isPending: keepings.some(({ isPending }) => isPending),
  requirements: keepings.flatMap(({ requirements }) => requirements),
});

function judgeOrigin(copy: ObservedCopy, origin: Origin, shared: ConnectedShare, call: Call): Keeping {
  if (origin.namespace !== undefined && !canSelectNamespaces(call.request, call.composite)) return decided(true);
  const { onSourceMissing, secretRef } = shared.connection;
  const requirement = toRequirement(`shared-resource/${shared.name}/recorded`, toSelector(served(origin, shared)));
  const answer = call.request.required(requirement.name);
  if (answer.is === "pending") return pending([requirement]);
  const found = answer.items.find((item) => stringAt(item, ["metadata", "namespace"]) === origin.namespace);
  if (found === undefined) return decided(onSourceMissing === "Keep", [requirement]);

  const source = findSource(found, secretRef);
  const secret = source.is === "named" ? source.secret : copy.source;
  const access = findAccess(shared, found, secret, call);
  const requirements = [requirement, ...access.requirements];
  if (access.is === "pending") return pending(requirements);
  if (copy.target !== undefined && !access.isGranted(copy.target.namespace)) return decided(false, requirements);
  // The record counts as far as it fits what the copy really reads.
  const isFitting = source.is === "named" && copy.source !== undefined && isSameSecret(source.secret, copy.source);
  return decided(isFitting || origin !== copy.origin || onSourceMissing === "Keep", requirements);
}

/** An API version that was recorded long ago may not be served any more; the one of the input is. */
const served = (origin: Origin, { apiVersion, kind }: SharedResource): Origin =>
  kind === origin.kind && toApiGroup(apiVersion) === toApiGroup(origin.apiVersion) ? { ...origin, apiVersion } : origin;
