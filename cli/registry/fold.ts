import { groupBy } from "../../src/model/collections.ts";

/** Who shares what: each output format of `registry graph` is a function of it. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  /** `xr`: an XR or claim that others do not use; `gone`: a shared resource that does not exist. */
  readonly type: "xr" | "shared" | "gone" | "cloud";
  /** Kind.group */
  readonly kind: string;
  readonly name: string;
  /** Undefined for a cluster-scoped object or a cloud resource. */
  readonly namespace: string | undefined;
  /** Of a shared resource: the namespaces with access by its annotations, `*`, or a label selector. */
  readonly grants?: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `requests`: without a grant. */
  readonly type: "uses" | "requests" | "owns" | "observes";
  /** The copies of the connection Secret. */
  readonly secrets: readonly string[];
  /** The decision of a person that it waits for. */
  readonly waits: string | undefined;
}

/** A graph small enough to read: similar nodes are merged. */
export interface Folded {
  readonly nodes: readonly FoldedNode[];
  readonly edges: readonly FoldedEdge[];
  /** The folded node of each node, by its id. */
  readonly indexOf: ReadonlyMap<string, number>;
}

export interface FoldedNode {
  readonly type: GraphNode["type"];
  readonly title: string;
  readonly subtitle: string;
}

export interface FoldedEdge {
  /** Indexes of nodes. */
  readonly from: number;
  readonly to: number;
  readonly type: GraphEdge["type"];
  /** The type, and the number of the edges if they are several: `uses ×3`. */
  readonly label: string;
  readonly waits: boolean;
}

/** The most nodes that a person can read in a picture. */
const MAX_NODES = 60;

/** Makes the key of an XR's node; XRs with the same key are folded. */
type ToKey = (node: GraphNode) => string;

/**
 * Folds a graph until it is small enough: XRs by namespace, then namespaces that use the same, then all. Cloud resources of one kind are
 * folded with their holders. Shared resources stay, except those that do not exist, of which a team may invent many.
 */
export function fold(graph: Graph): Folded {
  const byNamespace: ToKey = ({ namespace = "" }) => namespace;
  const patterns = toPatterns(graph);
  const levels: readonly ToKey[] = [byNamespace, (node) => patterns.get(byNamespace(node)) ?? "", () => ""];
  let folded = foldBy(graph, new Map(graph.nodes.map(({ id }) => [id, id])));
  for (const toKey of levels) {
    if (folded.nodes.length <= MAX_NODES) break;
    folded = foldBy(graph, toKeys(graph, toKey));
  }
  return folded;
}

/** Finds what the XRs of each namespace use: shared resources, and kinds of cloud resources. */
function toPatterns({ nodes, edges: all }: Graph): ReadonlyMap<string, string> {
  const edgesFrom = groupBy(all, ({ from }) => from);
  const kinds = new Map(nodes.map((node) => [node.id, node.type === "shared" ? node.id : node.kind]));
  const spaces = groupBy(nodes, ({ type, namespace = "" }) => (type === "xr" ? namespace : undefined));
  return new Map(
    [...spaces].map(([namespace, own]) => {
      const edges = own.flatMap(({ id }) => edgesFrom.get(id) ?? []);
      return [namespace, [...new Set(edges.map(({ type, to }) => `${type} ${kinds.get(to)}`))].sort().join()];
    }),
  );
}

function toKeys({ nodes, edges }: Graph, toKey: ToKey): ReadonlyMap<string, string> {
  const holders = groupBy(edges, ({ to }) => to);
  const toOwnKey = (node: GraphNode): string =>
    node.type === "xr" ? JSON.stringify(["xr", toKey(node)]) : node.type === "gone" ? "gone" : node.id;
  const keys = new Map(nodes.map((node) => [node.id, toOwnKey(node)]));
  for (const { id, kind } of nodes.filter(({ type }) => type === "cloud")) {
    const held = (holders.get(id) ?? []).map(({ from, type }) => `${type} ${keys.get(from)}`);
    keys.set(id, JSON.stringify([kind, ...new Set(held.sort())]));
  }
  return keys;
}

function foldBy({ nodes, edges }: Graph, keys: ReadonlyMap<string, string>): Folded {
  const groups = [...groupBy(nodes, ({ id }) => keys.get(id)).values()];
  const indexOf = new Map(groups.flatMap((group, index) => group.map(({ id }) => [id, index] as const)));
  const ends = ({ from, to }: GraphEdge) => [indexOf.get(from) ?? 0, indexOf.get(to) ?? 0] as const;
  const byEnds = groupBy(edges, (edge) => [...ends(edge), edge.type].join());
  return {
    nodes: groups.flatMap(toFoldedNode),
    edges: [...byEnds.values()].flatMap(([edge, ...rest]) => {
      if (edge === undefined) return [];
      const [from, to] = ends(edge);
      const waits = [edge, ...rest].some((one) => one.waits !== undefined);
      const label = `${edge.type}${rest.length === 0 ? "" : ` ×${rest.length + 1}`}`;
      return [{ from, to, type: edge.type, label, waits }];
    }),
    indexOf,
  };
}

function toFoldedNode([first, ...rest]: readonly GraphNode[]): readonly FoldedNode[] {
  if (first === undefined) return [];
  const { type, kind, name, namespace, grants = [] } = first;
  if (rest.length === 0) {
    const granted = type === "shared" ? [`grants ${grants.join(", ") || "nothing"}`] : [];
    const subtitle = [toKindName(kind), ...(namespace ? [namespace] : []), ...granted].join(" · ");
    return [{ type, title: name, subtitle }];
  }
  const spaces = new Set([first, ...rest].map((member) => member.namespace ?? "no namespace"));
  const kinds = new Set([first, ...rest].map((member) => toKindName(member.kind)));
  const where = spaces.size === 1 ? [...spaces].join() : `${spaces.size} namespaces`;
  const what = `${rest.length + 1} ${kinds.size === 1 ? [...kinds].join() : NOUNS[type]}`;
  return [type === "xr" ? { type, title: where, subtitle: what } : { type, title: what, subtitle: NOUNS[type] }];
}

const toKindName = (kind: string): string => kind.split(".")[0] ?? "";

const NOUNS: Readonly<Record<GraphNode["type"], string>> = {
  xr: "XRs",
  shared: "shared resources",
  gone: "do not exist",
  cloud: "cloud resources",
};
