import { withoutScope } from "../../src/crossplane/api-group.ts";
import { type Composite, toComposite } from "../../src/crossplane/composite.ts";
import { COMPOSITE_LABEL, isBeingDeleted, readLabel } from "../../src/crossplane/metadata.ts";
import { type Reference, resourceKey, toReference, toReferences } from "../../src/crossplane/references.ts";
import type { Document } from "../../src/model/document.ts";
import { IDENTITY_LABEL } from "../../src/ownership/annotations.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKind, type ResourceKind, toFullName } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { getIfThere, inParallel, list } from "../cluster/list.ts";
import { Unread } from "../cluster/unread.ts";
import { toCloudKind } from "./cloud-resources.ts";
import { Composers } from "./composer.ts";
import type { World } from "./world.ts";

const CROSSPLANE = "apiextensions.crossplane.io";

/** Events: there are very many, and no XR composes them. */
const NEVER_COMPOSED = new Set(["events", "events.events.k8s.io"]);

/**
 * Reads all XRs, and the metadata of everything with Crossplane's label, of any kind. No reference names an
 * orphan, so there is no other way to find it.
 *
 * Kinds that RBAC forbids to read, or whose API server is unavailable, are left out and reported.
 *
 * @throws {ClusterError} where the API server cannot be asked, or the XRs cannot be listed.
 */
export async function readWorld(cluster: Cluster): Promise<World> {
  const kinds = cluster.kinds.filter((kind) => kind.verbs.includes("list") && !NEVER_COMPOSED.has(toFullName(kind)));
  const unread = new Unread();
  const listMetadata = async (some: readonly ResourceKind[], labelSelector: string): Promise<readonly Document[]> => {
    const options = { labelSelector, isMetadataOnly: true };
    return (await inParallel(some, (kind) => unread.unless(kind, list(cluster, kind, options), []))).flat();
  };
  const composites = await readComposites(cluster, kinds);
  const found = await listMetadata(kinds, COMPOSITE_LABEL);
  // Managed resources without this function's label, of kinds that have some with it. They need not have an XR.
  const registered = new Set(found.filter((one) => readLabel(one, IDENTITY_LABEL) !== undefined).map(toCloudKind));
  const some = kinds.filter(({ group, kind }) => registered.has(`${withoutScope(group)}/${kind}`));
  const all = [...found, ...composites.map(({ document }) => document)];
  const labelled = new Map(all.map((document) => [resourceKey(toReference(document)), document]));
  const references = composites.flatMap(toReferences);
  const unfound = references.filter((reference) => !labelled.has(resourceKey(reference)));
  return {
    composites,
    composers: new Composers(composites),
    labelled,
    unregistered: await listMetadata(some, `!${IDENTITY_LABEL}`),
    referred: await readReferred(cluster, unread, unfound),
    leaving: await readLeaving(cluster, unread, found),
    notLookedAt: unread.all().map(({ kind, message }) => ({ message, isComposed: isComposed(kind, references) })),
    kinds: kinds.length,
  };
}

/** Tells whether it is a kind of managed resource or XR, or one that some XR refers to. */
const isComposed = (kind: ResourceKind, references: readonly Reference[]): boolean =>
  kind.categories.some((category) => ["managed", "composite"].includes(category)) ||
  references.some((reference) => findKind({ kinds: [kind] }, reference) !== undefined);

async function readComposites(cluster: Cluster, kinds: readonly ResourceKind[]): Promise<readonly Composite[]> {
  const definition = kinds.find(
    ({ group, plural }) => group === CROSSPLANE && plural === "compositeresourcedefinitions",
  );
  if (definition === undefined) {
    throw new ClusterError("NotFound", `cannot find Crossplane at ${cluster.server}: it serves no ${CROSSPLANE}`);
  }
  const definitions = await list(cluster, definition, { isMetadataOnly: true });
  const defined = new Set(definitions.map((xrd) => toReference(xrd).name));
  // An XRD is named after its kind. The kind is missing until the XRD is established.
  const lists = await inParallel(
    kinds.filter((kind) => defined.has(toFullName(kind))),
    (kind) => list(cluster, kind),
  );
  return lists.flat().map(toComposite);
}

async function readReferred(
  cluster: Cluster,
  unread: Unread,
  references: readonly Reference[],
): Promise<World["referred"]> {
  const found = new Map<string, Document | "missing" | "kindMissing">();
  await inParallel(references, async (reference) => {
    const key = resourceKey(reference);
    const kind = findKind(cluster, reference);
    if (kind === undefined) return found.set(key, "kindMissing");
    const document = getIfThere(cluster, reference, { isMetadataOnly: true });
    const read = await unread.unless(kind, document, "unknown" as const);
    return read === "unknown" ? found : found.set(key, read ?? "missing");
  });
  return found;
}

/** Finds the namespaces that are being deleted, of those in which something is. */
async function readLeaving(cluster: Cluster, unread: Unread, found: readonly Document[]): Promise<ReadonlySet<string>> {
  const spaces = new Set(found.filter(isBeingDeleted).flatMap((document) => toReference(document).namespace ?? []));
  const references = [...spaces].map((name) => ({ apiVersion: "v1", kind: "Namespace", namespace: undefined, name }));
  const read = [...(await readReferred(cluster, unread, references)).values()];
  const leaving = read.filter((space) => typeof space === "object").filter(isBeingDeleted);
  return new Set(leaving.map((space) => toReference(space).name));
}
