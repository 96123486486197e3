import { toGroupKind, withoutScope } from "../../src/crossplane/api-group.ts";
import { type Composite, toComposite } from "../../src/crossplane/composite.ts";
import {
  COMPOSITE_LABEL,
  COMPOSITE_LABEL_PATH,
  COMPOSITION_RESOURCE_NAME,
  isBeingDeleted,
  readLabel,
} from "../../src/crossplane/metadata.ts";
import { findProof, nestingBy, toPossibleComposer } from "../../src/crossplane/proof.ts";
import { type Reference, resourceKey, toReference, toReferences } from "../../src/crossplane/references.ts";
import { groupBy } from "../../src/model/collections.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { IDENTITY_LABEL } from "../../src/ownership/annotations.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKind, type ResourceKind, toFullName } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { getIfThere, inParallel, list, Unread } from "../cluster/list.ts";
import { toCloudKind } from "./cloud-resources.ts";
import type { Composer, World } from "./world.ts";

const CROSSPLANE = "apiextensions.crossplane.io";

/** Kinds with very many objects, none of which an XR composes. */
const NEVER_COMPOSED = new Set(["events", "events.events.k8s.io"]);

/**
 * Reads all XRs, the objects to which they refer, and the metadata of all objects with the label
 * crossplane.io/composite: an XR does not refer to its orphans. Leaves out and reports kinds that RBAC forbids to list,
 * or whose API server is unavailable.
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
  // Kinds with a managed resource that has this function's label. Those that lack it are listed, too, even without an XR.
  const registered = new Set(found.filter((one) => readLabel(one, IDENTITY_LABEL) !== undefined).map(toCloudKind));
  const some = kinds.filter(({ group, kind }) => registered.has(toGroupKind(kind, withoutScope(group))));
  const all = [...found, ...composites.map(({ document }) => document)];
  const labelled = new Map(all.map((document) => [resourceKey(toReference(document)), document]));
  const references = composites.flatMap(toReferences);
  const unfound = references.filter((reference) => !labelled.has(resourceKey(reference)));
  return {
    composites,
    findComposer: findComposerIn(composites),
    labelled,
    unregistered: await listMetadata(some, `!${IDENTITY_LABEL}`),
    referred: await readReferred(cluster, unread, unfound),
    leaving: await readLeaving(cluster, unread, found),
    notLookedAt: unread.all().map(({ kind, message }) => ({ message, isComposed: isComposed(kind, references) })),
    kinds: kinds.length,
  };
}

/** Tells whether XRs may compose the kind: it is one of managed resources or XRs, or some XR refers to it. */
const isComposed = (kind: ResourceKind, references: readonly Reference[]): boolean =>
  kind.categories.some((category) => ["managed", "composite"].includes(category)) ||
  references.some((reference) => findKind({ kinds: [kind] }, reference) !== undefined);

async function readComposites(cluster: Cluster, kinds: readonly ResourceKind[]): Promise<readonly Composite[]> {
  const definition = findKind({ kinds }, { apiVersion: `${CROSSPLANE}/v1`, kind: "CompositeResourceDefinition" });
  if (definition === undefined)
    throw new ClusterError("NotFound", `cannot find Crossplane at ${cluster.server}: it serves no ${CROSSPLANE}`);
  const definitions = await list(cluster, definition, { isMetadataOnly: true });
  const defined = new Set(definitions.map((xrd) => toReference(xrd).name));
  // An XRD is named after its kind. The kind is missing until the XRD is established.
  const established = kinds.filter((kind) => defined.has(toFullName(kind)));
  const lists = await inParallel(established, (kind) => list(cluster, kind));
  return lists.flat().map(toComposite);
}

async function readReferred(cluster: Cluster, unread: Unread, references: readonly Reference[]) {
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

/** Finds namespaces being deleted that hold a resource being deleted. */
async function readLeaving(cluster: Cluster, unread: Unread, found: readonly Document[]): Promise<ReadonlySet<string>> {
  const spaces = new Set(found.filter(isBeingDeleted).flatMap((document) => toReference(document).namespace ?? []));
  const references = [...spaces].map((name) => ({ apiVersion: "v1", kind: "Namespace", namespace: undefined, name }));
  const read = [...(await readReferred(cluster, unread, references)).values()];
  const leaving = read.filter((space) => typeof space === "object").filter(isBeingDeleted);
  return new Set(leaving.map((space) => toReference(space).name));
}

/**
 * Finds the XR that composed a resource, by the same proof as adoption: the label, the claim's labels, and Crossplane's
 * field manager if there are managed fields. A namespaced XR composes in its own namespace only. A nested XR is
 * `only` if the XRs above it confirm that it belongs to its root, which they may not do yet after a restore.
 */
export function findComposerIn(all: readonly Composite[]): (document: Document) => Composer {
  const candidates = all.map((composite) => ({ composite, composer: toPossibleComposer(composite) }));
  // The label of a composed resource names the root XR of its tree, and few XRs are below one root.
  const byRoot = groupBy(candidates, ({ composer }) => composer.root);
  const byKey = new Map(all.map(({ document }) => [resourceKey(toReference(document)), document]));
  const confirmNesting = nestingBy((reference) => {
    const found = byKey.get(resourceKey(reference)) ?? byKey.get(resourceKey({ ...reference, namespace: undefined }));
    return { is: "resolved", items: found === undefined ? [] : [found] };
  });
  return (document) => {
    // An Endpoints object copies its Service's labels, but not this annotation.
    if (stringAt(document, COMPOSITION_RESOURCE_NAME) === undefined) return { composites: [], only: undefined };
    const { namespace } = toReference(document);
    const possible = (byRoot.get(stringAt(document, COMPOSITE_LABEL_PATH) ?? "") ?? [])
      .filter(({ composite }) => composite.namespace === undefined || composite.namespace === namespace)
      .map(({ composite, composer }) => ({ composite, proof: findProof(document, composer).is }))
      .filter(({ proof }) => proof !== "unproven");
    const composites = possible.map(({ composite }) => composite);
    const [first, ...others] = possible;
    if (first === undefined || others.length > 0) return { composites, only: undefined };
    const isSure = first.proof === "proven" || confirmNesting(first.composite.document).is === "proven";
    return { composites, only: isSure ? first.composite : undefined };
  };
}
