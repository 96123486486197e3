import { toApiGroup, withoutScope } from "../../src/crossplane/api-group.ts";
import { type Composite, toComposite } from "../../src/crossplane/composite.ts";
import { COMPOSITE_LABEL, isBeingDeleted, readLabel } from "../../src/crossplane/metadata.ts";
import { type Reference, resourceKey, toReference, toReferences } from "../../src/crossplane/references.ts";
import { compareTexts } from "../../src/model/collections.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import { IDENTITY_LABEL } from "../../src/ownership/annotations.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { discover, type ResourceKind, toFullName } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { getIfThere, inParallel, list } from "../cluster/list.ts";
import { findKindOf } from "../lookup/find-kind.ts";
import { toCloudKind } from "./cloud-resources.ts";
import { namespacesOfDeleted } from "./hanging.ts";
import type { Referred, World } from "./world.ts";

/** Receives the subject of the current requests, and their number done and in all. */
export type Progress = (what: string, done: number, of: number) => void;

/** Requests in flight. A platform has a thousand kinds, and its API server other clients. */
const AT_A_TIME = 10;

const CROSSPLANE = "apiextensions.crossplane.io";

const toPace = (progress: Progress, what: string, of: number) => ({
  atATime: AT_A_TIME,
  onDone: (done: number) => progress(what, done, of),
});

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
export async function readWorld(cluster: Cluster, progress: Progress): Promise<World> {
  const all = await discover(cluster, { includeCore: true });
  const kinds = all.filter((kind) => kind.verbs.includes("list") && !NEVER_COMPOSED.has(toFullName(kind)));
  const unread = new UnreadKinds();
  const reading = { cluster, unread, progress };
  const composites = await readComposites(reading, kinds);
  const found = await listMetadata(reading, kinds, "kinds", COMPOSITE_LABEL);
  // Managed resources without this function's label, of kinds that have some with it. They need not have an XR.
  const registered = new Set(
    found.filter((document) => readLabel(document, IDENTITY_LABEL) !== undefined).map(toCloudKind),
  );
  const some = kinds.filter(({ group, kind }) => registered.has(`${withoutScope(group)}/${kind}`));
  const unregistered = await listMetadata(reading, some, "kinds with owners", `!${IDENTITY_LABEL}`);
  const labelled = new Map(
    [...found, ...composites.map(({ document }) => document)].map((document) => [
      resourceKey(toReference(document)),
      document,
    ]),
  );
  const references = composites.flatMap(toReferences);
  const unfound = references.filter((reference) => !labelled.has(resourceKey(reference)));
  const referred = await readReferred(reading, all, unfound);
  const leaving = await readLeaving(reading, all, found);
  const notLookedAt = unread.all().map(({ kind, message }) => ({ message, isComposed: isComposed(kind, references) }));
  return { composites, labelled, unregistered, referred, leaving, notLookedAt, kinds: kinds.length };
}

/** Tells whether it is a kind of managed resource or XR, or one that some XR refers to. */
const isComposed = (kind: ResourceKind, references: readonly Reference[]): boolean =>
  kind.categories.some((category) => ["managed", "composite"].includes(category)) ||
  references.some(({ kind: name, apiVersion }) => name === kind.kind && toApiGroup(apiVersion) === kind.group);

interface Reading {
  readonly cluster: Cluster;
  readonly unread: UnreadKinds;
  readonly progress: Progress;
}

async function readComposites(
  { cluster, progress }: Reading,
  kinds: readonly ResourceKind[],
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

/** Lists the metadata of all objects that a label selects, of the kinds that can be read. */
async function listMetadata(
  { cluster, unread, progress }: Reading,
  kinds: readonly ResourceKind[],
  what: string,
  labelSelector: string,
): Promise<readonly Document[]> {
  const lists = await inParallel(
    kinds,
    (kind) => unread.unless(kind, list(cluster, kind, { labelSelector, isMetadataOnly: true }), []),
    toPace(progress, what, kinds.length),
  );
  return lists.flat().map(documentOf);
}

async function readReferred(
  { cluster, unread, progress }: Reading,
  kinds: readonly ResourceKind[],
  references: readonly Reference[],
): Promise<World["referred"]> {
  const read = async (reference: Reference): Promise<Referred> => {
    const kind = findKindOf(kinds, reference);
    return kind === undefined
      ? { is: "kindMissing" }
      : unread.unless(kind, readOne(cluster, kind, reference), { is: "unknown" });
  };
  const answers = await inParallel(
    references,
    async (reference): Promise<[string, Referred]> => [resourceKey(reference), await read(reference)],
    toPace(progress, "references", references.length),
  );
  return new Map(answers);
}

/** Finds the namespaces that are being deleted, of those in which something is. */
async function readLeaving(
  reading: Reading,
  kinds: readonly ResourceKind[],
  found: readonly Document[],
): Promise<ReadonlySet<string>> {
  const references = namespacesOfDeleted(found).map((name) => ({ ...NAMESPACE, namespace: undefined, name }));
  const read = references.length === 0 ? [] : [...(await readReferred(reading, kinds, references)).values()];
  const leaving = read.flatMap((each) => (each.is === "there" && isBeingDeleted(each.document) ? each.document : []));
  return new Set(leaving.map((document) => toReference(document).name));
}

const NAMESPACE = { apiVersion: "v1", kind: "Namespace" };

async function readOne(cluster: Cluster, kind: ResourceKind, { namespace, name }: Reference): Promise<Referred> {
  const within = kind.isNamespaced ? namespace : undefined;
  const object = await getIfThere(cluster, kind, name, within, { isMetadataOnly: true });
  return object === undefined ? { is: "missing" } : { is: "there", document: documentOf(object) };
}

/** A kind that could not be read, and why. */
export interface Unread {
  readonly kind: ResourceKind;
  readonly message: string;
}

/** Kinds with an own API server or conversion webhook that may be unavailable. If more are, the whole cluster is. */
const MAX_UNAVAILABLE = 3;

/** Collects the kinds that cannot be read, so that the others still are. */
export class UnreadKinds {
  readonly #found = new Map<string, Unread>();
  #unavailable = 0;

  /**
   * @returns the answer, or `otherwise` where the kind cannot be read.
   * @throws {ClusterError} where no kind can be read.
   */
  async unless<T>(kind: ResourceKind, answer: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ClusterError) || !this.#isOfThisKindOnly(error)) throw error;
      this.#found.set(error.message, { kind, message: error.message });
      return otherwise;
    }
  }

  /** Sorted by kind. */
  all(): readonly Unread[] {
    return [...this.#found.values()].sort(
      (a, b) => compareTexts(toFullName(a.kind), toFullName(b.kind)) || compareTexts(a.message, b.message),
    );
  }

  /** NotFound: the kind was removed after discovery. */
  #isOfThisKindOnly({ code }: ClusterError): boolean {
    if (code === "Unavailable") this.#unavailable++;
    const isAway = code === "Unavailable" && this.#unavailable <= MAX_UNAVAILABLE;
    return isAway || ["Forbidden", "NotFound", "Refused"].includes(code);
  }
}
