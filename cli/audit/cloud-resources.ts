import { readManagedKind } from "../../src/crossplane/managed-resource.ts";
import {
  COMPOSITION_RESOURCE_NAME,
  EXTERNAL_NAME,
  findController,
  readAnnotation,
  readUid,
} from "../../src/crossplane/metadata.ts";
import { formatReference, toReference } from "../../src/crossplane/references.ts";
import { groupBy } from "../../src/model/collections.ts";
import { brief, listSome, MAX_NAMES } from "../../src/model/condition.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { once } from "../../src/model/once.ts";
import { ADOPTION, RESTORED } from "../../src/ownership/annotations.ts";
import { allowsDeletion, byPrecedence, type Contender, toContender } from "../../src/ownership/contender.ts";
import { toRecordedKind } from "../../src/records/names-record.ts";
import { judgeRestored, releaseCommand } from "../../src/records/restored.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { getIfThere, inParallel } from "../cluster/list.ts";
import { type Finding, type Patience, toFinding, type World } from "./world.ts";

/** Reads the registered managed resources, once for all types of findings: there may be thousands. */
const findRegistered = once(({ labelled }: World): readonly Contender[] =>
  [...labelled.values()].map(toContender).filter(({ identity }) => identity !== undefined),
);

const byCloudResource = (registered: readonly Contender[]): readonly (readonly Contender[])[] => [
  ...groupBy(registered, ({ document, identity }) => `${toCloudKind(document)} ${identity}`).values(),
];

/**
 * Finds the managed resources that only the tags step keeps from writing or deleting their cloud resource. Without the
 * step, or under another name in the Composition, they get the policies that the Composition desires: by default all.
 */
export const findHeldBack = (world: World): readonly Finding[] =>
  byCloudResource(findRegistered(world)).flatMap((all) =>
    all.flatMap((one) => {
      const message = explainHeldBack(one, all);
      const { only } = world.findComposer(one.document);
      return message === undefined ? [] : [toFinding("HeldBack", one.document, only, message)];
    }),
  );

const DELETED = "deleting it deletes the cloud resource";

function explainHeldBack(one: Contender, { length }: readonly Contender[]): string | undefined {
  if (!one.isMarked) return `it only observes: without the tags step it writes beside the owner, and ${DELETED}`;
  const without = `without the tags step, ${DELETED}`;
  const others =
    length === 2 ? "1 other managed resource represents" : `${length - 1} other managed resources represent`;
  if (length > 1) return `${others} its cloud resource: ${without}`;
  return allowsDeletion(one) ? undefined : `its cloud resource existed before it: ${without}`;
}

/**
 * Finds cloud resources that a registered managed resource created, and that have had no owner with an XR for the grace
 * period. A managed resource outlives its XR if the admission webhook has kept it, or if the XR was deleted without its
 * composed resources.
 */
export function findUnmanaged(world: World, { graceMs, now }: Patience): readonly Finding[] {
  const uids = new Set(world.composites.map(({ document }) => readUid(document)));
  const hasXr = ({ document }: Contender): boolean => uids.has(findController(document)?.uid);
  const isOld = ({ createdAt }: Contender): boolean => now - Date.parse(createdAt) >= graceMs;
  const living = findRegistered(world).filter(({ isDeleting }) => !isDeleting);
  return byCloudResource(living).flatMap((all) => {
    const isLeft = all.some(allowsDeletion) && all.every(isOld);
    const [first] = all.toSorted(byPrecedence);
    if (!isLeft || first === undefined || all.some((one) => one.isMarked && hasXr(one))) return [];
    const why = all.some(hasXr)
      ? "no managed resource of its cloud resource is the owner"
      : "its XR is gone, and no other managed resource represents its cloud resource";
    const message = `${why}, so nothing updates or deletes the cloud resource`;
    return [toFinding("Unmanaged", first.document, world.findComposer(first.document).only, message)];
  });
}

/** Finds managed resources without the function's label that have the external name of one with the label. Ignores regions. */
export function findUnregistered(world: World): readonly Finding[] {
  const known = groupBy(findRegistered(world), ({ document }) => toCloudName(document));
  return world.unregistered.flatMap((document) => {
    const [first] = known.get(toCloudName(document)) ?? [];
    if (first === undefined || stringAt(document, EXTERNAL_NAME) === undefined) return [];
    const other = formatReference(toReference(first.document));
    const message =
      `it has the external name of ${other}, and no XR with this function composes it: ` +
      "both may write the same cloud resource, and this one may delete it";
    return [toFinding("Unregistered", document, world.findComposer(document).only, message)];
  });
}

/** Formats the kind of a managed resource; the same text for the cluster-scoped and the namespaced kind of a provider. */
export const toCloudKind = (document: Document): string => toRecordedKind(readManagedKind(document));

const toCloudName = (one: Document): string => `${toCloudKind(one)} ${stringAt(one, EXTERNAL_NAME) ?? ""}`;

const NAMES = { found: "Found", missing: "Missing", different: "Different", waiting: "Waiting" } as const;

/** Finds the managed resources that only observe since a restore, what their providers found, and how to release each. */
export async function findRestored(cluster: Cluster, { labelled, composites }: World): Promise<readonly Finding[]> {
  const marked = [...labelled.values()].filter((document) => readAnnotation(document, RESTORED) !== undefined);
  const found = await inParallel(marked, (metadata) => getIfThere(cluster, toReference(metadata)));
  return found.filter((managed) => managed !== undefined).map((managed) => toRestoredFinding(managed, composites));
}

function toRestoredFinding(managed: Document, composites: World["composites"]): Finding {
  const uid = findController(managed)?.uid;
  const composite = composites.find(({ document }) => readUid(document) === uid);
  const { is, ...judged } = judgeRestored(managed);
  const isLeft = readAnnotation(managed, ADOPTION) !== undefined;
  if (is === "found" && !isLeft)
    return toFinding("Found", managed, composite, "it is released with the others of its XR");
  const name = stringAt(managed, COMPOSITION_RESOURCE_NAME);
  const dropped = isLeft ? "no step desires it any more: once released, it is deleted; " : "";
  const differs = "fields" in judged ? `it differs in ${listSome(judged.fields, MAX_NAMES, brief)}; ` : "";
  const command = composite && name !== undefined ? releaseCommand(composite, name) : undefined;
  const message = `${dropped}${differs}${command === undefined ? "no XR controls it yet" : "to release it"}`;
  return toFinding(NAMES[is], managed, composite, message, command);
}
