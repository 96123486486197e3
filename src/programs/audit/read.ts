import { COMPOSITE_LABEL } from "../../capabilities/adoption/proof.ts";
import { type Reference, toReference, toReferences } from "../../capabilities/adoption/references.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { discover, type ResourceKind } from "../../cluster/discovery.ts";
import { ClusterError } from "../../cluster/error.ts";
import { fullNameOf } from "../../cluster/kinds.ts";
import { getMetadata, list } from "../../cluster/list.ts";
import { type Composite, toComposite } from "../../model/composite.ts";
import { type Document, documentOf, stringAt } from "../../model/document.ts";
import { inParallel } from "./in-parallel.ts";
import { keyOf, type Referred, type World } from "./world.ts";

/** Told what is being read, and how far that is. */
export type Progress = (what: string, done: number, of: number) => void;

/** Requests at a time: a platform has a thousand kinds, and its API server has others to serve. */
const AT_A_TIME = 10;

const CROSSPLANE = "apiextensions.crossplane.io";

const paceOf = (progress: Progress, what: string, of: number) => ({
  atATime: AT_A_TIME,
  onDone: (done: number) => progress(what, done, of),
});

/** Kubernetes' own record of what happened: nobody composes it, and there are very many. */
const NEVER_COMPOSED = new Set(["events", "events.events.k8s.io"]);

/**
 * Reads all XRs, and the metadata of all that carries Crossplane's label, whatever its kind. Orphans are in nobody's
 * references, so there is no other way to find them.
 *
 * A kind that RBAC keeps from us is left out, and said to be.
 *
 * @throws {ClusterError} where the API server cannot be asked, or the XRs cannot be listed.
 */
export async function readWorld(cluster: Cluster, progress: Progress): Promise<World> {
  const all = await discover(cluster, { includeCore: true });
  const kinds = all.filter((kind) => kind.verbs.includes("list") && !NEVER_COMPOSED.has(fullNameOf(kind)));
  const composites = await readComposites(cluster, kinds, progress);
  const found = await readLabelled(cluster, kinds, progress);
  const own = composites.map(({ document }): [string, Document] => [keyOf(toReference(document)), document]);
  const labelled = new Map([...found.documents, ...own]);
  const references = composites.flatMap(toReferences);
  const referred = await readReferred(
    cluster,
    all,
    references.filter((reference) => !labelled.has(keyOf(reference))),
    progress,
  );
  const inUse = new Set(references.map(({ apiVersion, kind }) => `${kind}.${apiVersion.split("/")[0]}`));
  return {
    composites,
    labelled,
    referred: referred.answers,
    notLookedAt: [...found.forbidden, ...referred.forbidden].map(({ kind, message }) => ({
      message,
      isComposed: isCrossplanes(kind) || inUse.has(`${kind.kind}.${kind.group || kind.version}`),
    })),
    kinds: kinds.length,
  };
}

const isCrossplanes = ({ categories }: ResourceKind): boolean =>
  categories.includes("managed") || categories.includes("composite");

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
  // An XRD is named after the kind that it defines; one that is not established has none yet.
  const composite = kinds.filter((kind) => defined.has(fullNameOf(kind)));
  const lists = await inParallel(composite, paceOf(progress, "XRs", composite.length), async (kind) => {
    return list(cluster, kind);
  });
  return lists.flat().map((object) => toComposite(documentOf(object)));
}

const NAME = ["metadata", "name"];

interface Forbidden {
  readonly kind: ResourceKind;
  readonly message: string;
}

async function readLabelled(cluster: Cluster, kinds: readonly ResourceKind[], progress: Progress) {
  const forbidden: Forbidden[] = [];
  const lists = await inParallel(kinds, paceOf(progress, "kinds", kinds.length), async (kind) => {
    return unlessForbidden(list(cluster, kind, { labelSelector: COMPOSITE_LABEL, isMetadataOnly: true }), (message) => {
      forbidden.push({ kind, message });
      return [];
    });
  });
  const documents = lists.flat().map((object): [string, Document] => {
    const document = documentOf(object);
    return [keyOf(toReference(document)), document];
  });
  return { documents, forbidden: sorted(forbidden) };
}

async function readReferred(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  references: readonly Reference[],
  progress: Progress,
) {
  const forbidden = new Map<string, Forbidden>();
  const answers = await inParallel(
    references,
    paceOf(progress, "references", references.length),
    async (reference): Promise<[string, Referred]> => {
      const kind = kinds.find(
        (one) => keyOf({ ...reference, apiVersion: apiVersionOf(one), kind: one.kind }) === keyOf(reference),
      );
      if (kind === undefined) return [keyOf(reference), { is: "kindMissing" }];
      const { namespace, name } = reference;
      const metadata = getMetadata(cluster, kind, name, kind.isNamespaced ? namespace : undefined);
      const answer = metadata.then((object): Referred => ({ is: "there", document: documentOf(object) }), whenMissing);
      return [
        keyOf(reference),
        await unlessForbidden(answer, (message): Referred => {
          forbidden.set(fullNameOf(kind), { kind, message });
          return { is: "unknown" };
        }),
      ];
    },
  );
  return { answers: new Map(answers), forbidden: sorted([...forbidden.values()]) };
}

const apiVersionOf = ({ group, version }: ResourceKind): string => (group === "" ? version : `${group}/${version}`);

function whenMissing(error: unknown): Referred {
  if (error instanceof ClusterError && error.code === "NotFound") return { is: "missing" };
  throw error;
}

async function unlessForbidden<T>(answer: Promise<T>, otherwise: (message: string) => T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // A kind may be removed between discovery and now, and one whose API server is away is no answer either.
    if (error instanceof ClusterError && ["Forbidden", "NotFound", "Refused"].includes(error.code))
      return otherwise(error.message);
    throw error;
  }
}

const sorted = (forbidden: readonly Forbidden[]): readonly Forbidden[] =>
  [...forbidden].sort((a, b) => (fullNameOf(a.kind) < fullNameOf(b.kind) ? -1 : 1));
