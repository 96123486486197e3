import { toApiGroup, withoutScope } from "../../src/crossplane/api-group.ts";
import { type Composite, toComposite } from "../../src/crossplane/composite.ts";
import { COMPOSITE_LABEL, readLabel } from "../../src/crossplane/metadata.ts";
import { type Reference, toReference, toReferences } from "../../src/crossplane/references.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import { IDENTITY } from "../../src/ownership/marks.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { discover, findKind, type ResourceKind, toFullName } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { getIfThere, inParallel, list } from "../cluster/list.ts";
import { toCloudKind } from "./cloud-resources.ts";
import { UnreadKinds } from "./unread.ts";
import { type Referred, toKey, type World } from "./world.ts";

/** Receives the subject of the current requests, and their number done and in all. */
export type Progress = (what: string, done: number, of: number) => void;

/** Requests in flight. A platform has a thousand kinds, and its API server other clients. */
const AT_A_TIME = 10;

const CROSSPLANE = "apiextensions.crossplane.io";

const toPace = (progress: Progress, what: string, of: number) => ({
  atATime: AT_A_TIME,
  onDone: (done: number) => progress(what, done, of),
});

/** Events: there are very many, and nobody composes them. */
const NEVER_COMPOSED = new Set(["events", "events.events.k8s.io"]);

/**
 * Reads all XRs, and the metadata of everything with Crossplane's label, of any kind. Orphans are in nobody's
 * references, so there is no other way to find them.
 *
 * Kinds that RBAC forbids to read, or whose API server is unavailable, are left out and reported.
 *
 * @throws {ClusterError} where the API server cannot be asked, or the XRs cannot be listed.
 */
export async function readWorld(cluster: Cluster, progress: Progress): Promise<World> {
  const all = await discover(cluster, { includeCore: true });
  const kinds = all.filter((kind) => kind.verbs.includes("list") && !NEVER_COMPOSED.has(toFullName(kind)));
  const unread = new UnreadKinds();
  const composites = await readComposites(cluster, kinds, progress);
  const found = await readLabelled(cluster, kinds, unread, progress);
  const unregistered = await readUnregistered(cluster, kinds, found, unread, progress);
  const own = composites.map(({ document }): [string, Document] => [toKey(toReference(document)), document]);
  const labelled = new Map([...found, ...own]);
  const references = composites.flatMap(toReferences);
  const unfound = references.filter((reference) => !labelled.has(toKey(reference)));
  const referred = await readReferred(cluster, all, unfound, unread, progress);
  const notLookedAt = unread.all().map(({ kind, message }) => ({ message, isComposed: isComposed(kind, references) }));
  return { composites, labelled, unregistered, referred, notLookedAt, kinds: kinds.length };
}

/** Tells whether it is a kind of managed resource or XR, or one that some XR refers to. */
const isComposed = (kind: ResourceKind, references: readonly Reference[]): boolean =>
  kind.categories.some((category) => ["managed", "composite"].includes(category)) ||
  references.some(({ kind: name, apiVersion }) => name === kind.kind && toApiGroup(apiVersion) === kind.group);

async function readComposites(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  progress: Progress,
): Promise<readonly Composite[]> {
  const definition = kinds.find(
    ({ group, plural }) => group === CROSSPLANE && plural === "compositeresourcedefinitions",
  );
  if (definition === undefined) {
    throw new ClusterError("NotFound", `cannot find Crossplane at ${cluster.server}: it serves no ${CROSSPLANE}`);
  }
  const defined = new Set(
    (await list(cluster, definition, { isMetadataOnly: true })).map((xrd) => stringAt(documentOf(xrd), NAME)),
  );
  // An XRD is named after its kind. The kind is missing until the XRD is established.
  const composite = kinds.filter((kind) => defined.has(toFullName(kind)));
  const lists = await inParallel(composite, (kind) => list(cluster, kind), toPace(progress, "XRs", composite.length));
  return lists.flat().map((object) => toComposite(documentOf(object)));
}

const NAME = ["metadata", "name"];

async function readLabelled(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  unread: UnreadKinds,
  progress: Progress,
): Promise<ReadonlyMap<string, Document>> {
  const options = { labelSelector: COMPOSITE_LABEL, isMetadataOnly: true };
  const lists = await inParallel(
    kinds,
    (kind) => unread.unless(kind, list(cluster, kind, options), []),
    toPace(progress, "kinds", kinds.length),
  );
  return new Map(
    lists
      .flat()
      .map(documentOf)
      .map((document) => [toKey(toReference(document)), document]),
  );
}

/** Reads the managed resources without this function's label, of kinds that have some with it. They need not have an XR. */
async function readUnregistered(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  labelled: ReadonlyMap<string, Document>,
  unread: UnreadKinds,
  progress: Progress,
): Promise<readonly Document[]> {
  const registered = new Set(
    [...labelled.values()].filter((document) => readLabel(document, IDENTITY) !== undefined).map(toCloudKind),
  );
  const some = kinds.filter(({ group, kind }) => registered.has(`${withoutScope(group)}/${kind}`));
  const options = { labelSelector: `!${IDENTITY}`, isMetadataOnly: true };
  const lists = await inParallel(
    some,
    (kind) => unread.unless(kind, list(cluster, kind, options), []),
    toPace(progress, "kinds with owners", some.length),
  );
  return lists.flat().map(documentOf);
}

async function readReferred(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  references: readonly Reference[],
  unread: UnreadKinds,
  progress: Progress,
): Promise<World["referred"]> {
  const read = async (reference: Reference): Promise<Referred> => {
    const kind = findKind(kinds, { group: toApiGroup(reference.apiVersion), kind: reference.kind });
    return kind === undefined
      ? { is: "kindMissing" }
      : unread.unless(kind, readOne(cluster, kind, reference), { is: "unknown" });
  };
  const answers = await inParallel(
    references,
    async (reference): Promise<[string, Referred]> => [toKey(reference), await read(reference)],
    toPace(progress, "references", references.length),
  );
  return new Map(answers);
}

async function readOne(cluster: Cluster, kind: ResourceKind, { namespace, name }: Reference): Promise<Referred> {
  const within = kind.isNamespaced ? namespace : undefined;
  const object = await getIfThere(cluster, kind, name, within, { isMetadataOnly: true });
  return object === undefined ? { is: "missing" } : { is: "there", document: documentOf(object) };
}
