import { canSelectNamespaces } from "../../crossplane/generation.ts";
import { isManaged } from "../../crossplane/managed-resource.ts";
import { findController, readAnnotation, readUid } from "../../crossplane/metadata.ts";
import { hasReferences, type Reference, referenceKey, toReference, toReferences } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/restore.ts";
import { isOwnName } from "../../input/shared-resource.ts";
import { compareEntries } from "../../model/collections.ts";
import type { Document } from "../../model/document.ts";
import { type Draft, withResources } from "../../model/draft.ts";
import { isObject, type JsonObject, objectOf, pick } from "../../model/json.ts";
import { lazy } from "../../model/once.ts";
import { ADOPTION, RESTORED } from "../../ownership/annotations.ts";
import { isNamesRecord } from "../../records/names-record.ts";
import { formatReleased, policiesToDelete } from "../../records/restored.ts";
import { asObserved, desiredSoFar, type Edits, observedAs } from "../desired.ts";
import type { Call, Feature } from "../feature.ts";
import { proverFor, requireAs } from "../own-resources.ts";
import { recallNames } from "../record-names.ts";
import { hasAdopted, remarkNested, toAdoptionRemarks, withAdoptionCondition } from "./adoption-condition.ts";
import {
  type Case,
  hasReferencesOfBackup,
  isLookedAt,
  judgeChanged,
  judgeObserved,
  judgeReferenced,
  PENDING,
} from "./adoption-verdict.ts";
import { findRestored, observeFirst, remarkHeld } from "./observe-first.ts";

/**
 * Keeps every resource to which the XR refers until the XR controls it. A restored resource has no controller: if no step desires the
 * resource, Crossplane deletes it without having adopted it, or drops the reference and forgets the resource (crossplane#5875).
 */
export const adoption: Feature = (call, draft) => {
  const policy = call.input.spec.adoption;
  if (policy === undefined) return draft;
  const restored = findRestored(call, draft);
  const held = new Set(restored.flatMap(({ name, isHeld }) => (isHeld ? [name] : [])));
  const cases = findCases(call, draft, held);
  const duplicates = (call.duplicates ?? []).map((one) => ({ ...one, is: "Duplicated" }) as const);
  const others = [...duplicates, ...remarkHeld(restored, call), ...remarkNested(call)];
  const remarks = [...toAdoptionRemarks(cases, policy, call), ...others];
  const adopting = observeFirst(restored, call, withResources(draft, putBackAll(cases, policy)));
  return withAdoptionCondition(adopting, remarks, call);
};

/** Finds and judges all cases. In steady state there are none, and no composed resource is read. */
function findCases(call: Call, draft: Draft, held: ReadonlySet<string>): readonly Case[] {
  const { request, composite, requirements } = call;
  const desired = desiredSoFar(call, draft);
  const leftOut = [...request.observed.resources].filter(([name]) => !desired.has(name)).sort(compareEntries);
  const references = findUnobserved(call);
  const changed = findChanged(call, desired);
  if (leftOut.length === 0 && references.length === 0 && changed.length === 0) return [];
  const prover = proverFor(call);
  const areFromBackup = hasReferencesOfBackup(composite.document);
  const unlooked = lazy(() => listUnlooked(call, draft));
  const isRestoring = lazy(() => isAnyRestored(call));
  const findUnlooked = (isPutBack: boolean) => (isPutBack || isRestoring() ? unlooked() : []);
  return [
    ...leftOut.map(([name, { document: resource }]) => {
      const judged = judgeObserved(resource, prover, findUnlooked, held.has(name));
      // Other features alone decide on what goes with a grant: otherwise a team could keep it by a resource at which no provider looks.
      const goesWithGrant = isOwnName(name) || draft.resources.get(name)?.is === "removed";
      const verdict = judged.is === "unlooked" && goesWithGrant ? ({ is: "ours" } as const) : judged;
      return { name, reference: toReference(resource), resource, verdict };
    }),
    ...changed.flatMap(([name, { document: resource }]): readonly Case[] => {
      const verdict = judgeChanged(resource, prover);
      return verdict === undefined ? [] : [{ name, reference: toReference(resource), resource, verdict }];
    }),
    ...references.map((reference) => {
      const answer = requirements.ask(requireAs("adoption/", reference));
      const verdict = judgeReferenced(answer, prover, areFromBackup);
      return { name: undefined, reference, resource: answer.is === "resolved" ? answer.items[0] : undefined, verdict };
    }),
  ];
}

/**
 * Tells whether a resource of this XR was restored just now, and so has no controller, or may be restored yet: it is recorded, desired and
 * not observed. The XR itself may have lived on. False for a render, which has no UIDs, and often no controllers.
 */
function isAnyRestored(call: Call): boolean {
  const { observed, desired } = call.request;
  if (readUid(call.composite.document) === undefined) return false;
  const isLost = (name: string): boolean => !observed.resources.has(name) && desired.resources.has(name);
  return (
    [...observed.resources.values()].some(({ document }) => findController(document) === undefined) ||
    [...recallNames(call).names.keys()].some(isLost)
  );
}

/**
 * Finds the observed managed resources and nested XRs whose name in the Composition has another kind, as after a move from cluster-scoped
 * to namespaced kinds. Crossplane composes the other kind beside such a resource, and forgets the resource if nobody controls it.
 */
function findChanged(call: Call, desired: ReadonlyMap<string, Document>) {
  if (hasAdopted(call.composite.document)) return [];
  return [...call.request.observed.resources].filter(([name, { document }]) => {
    const wanted = desired.get(name);
    const isCloud = isManaged(document) || hasReferences(document);
    return wanted?.at(["kind"]) !== undefined && isCloud && observedAs(name, toReference(wanted), call) === undefined;
  });
}

/** Lists the names of resources at which no provider has looked since the restore, including desired resources that do not exist yet. */
function listUnlooked(call: Call, draft: Draft): readonly string[] {
  const { observed, desired } = call.request;
  const all = new Set([...observed.resources.keys(), ...desired.resources.keys(), ...desiredSoFar(call, draft).keys()]);
  const isLooked = (document: Document | undefined): boolean => document !== undefined && isLookedAt(document);
  return [...all].filter((name) => !isLooked(observed.resources.get(name)?.document)).sort();
}

/**
 * Finds the references whose resource is not observed: it does not exist, or has another controller. Crossplane observes exactly the
 * resources to which the XR refers, so equal numbers mean that all are observed, and nothing is read.
 *
 * Leaves out references with a namespace where Crossplane cannot look up by namespace. A missing kind needs no care: Crossplane gets
 * every reference before it calls a function, and fails the XR.
 */
function findUnobserved({ composite, request }: Call): readonly Reference[] {
  const listed = toReferences(composite);
  const { resources } = request.observed;
  if (listed.length === resources.size) return [];
  const references = new Map(listed.map((reference) => [referenceKey(reference), reference]));
  for (const { document } of resources.values()) references.delete(referenceKey(toReference(document)));
  const canSelect = canSelectNamespaces(request, composite);
  return [...references]
    .sort(compareEntries)
    .map(([, reference]) => reference)
    .filter((found) => (found.namespace === undefined || canSelect) && !isNamesRecord(found, composite));
}

/** Desires observed resources again, as ready, if their verdict is to keep them: Crossplane then adopts them and refers to them. */
function putBackAll(cases: readonly Case[], { onUnadopted }: Adoption): Edits {
  const kept = ["unsettled", "unlooked", "marked", ...(onUnadopted === "Adopt" ? ["unadopted"] : [])];
  return cases.flatMap(({ name, resource, verdict }): Edits => {
    if (name === undefined || resource === undefined || !kept.includes(verdict.is)) return [];
    const isLooked = verdict.is === "marked" || (verdict.is === "unlooked" && verdict.waitingFor.length === 0);
    return [[name, { is: "set", object: putBack(resource, isLooked ? "looked" : PENDING), ready: "True" }]];
  });
}

/** Desires an observed resource unchanged, but for new marks (ADOPTION, RESTORED), and the policies to delete one that is held. */
function putBack(observed: Document, mark: string): JsonObject {
  const { metadata, spec, ...object } = asObserved(observed);
  const { annotations = {}, ...kept } = objectOf(metadata);
  const unmarked = pick(objectOf(annotations), (key) => key !== RESTORED);
  const released = formatReleased(observed);
  const marks = { ...(released !== undefined && { [RESTORED]: released }), [ADOPTION]: mark };
  const policies = readAnnotation(observed, RESTORED) && { managementPolicies: [...policiesToDelete(observed)] };
  return {
    ...object,
    metadata: { ...kept, annotations: { ...unmarked, ...marks } },
    ...(spec !== undefined && { spec: isObject(spec) ? { ...spec, ...policies } : spec }),
  };
}
