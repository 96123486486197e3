import { groupBy } from "../../src/model/collections.ts";
import type { Graph, GraphEdge, GraphNode } from "./nodes.ts";

/** The most nodes that a person can read in a picture. */
const MAX_NODES = 60;

/** Makes the key of an XR's node; XRs with the same key are folded. */
type ToKey = (node: GraphNode) => string;

/**
 * Folds a graph until it is small enough: XRs of one namespace, then XRs that use the same, then all XRs. Cloud resources
 * of one kind with the same holders are folded, too. Of shared resources, only those that do not exist are folded: a
 * team may make up many.
 */
export function fold(graph: Graph): Folded {
  const levels: readonly ToKey[] = [({ namespace = "" }) => namespace, keyByUse(graph), () => ""];
  let folded = foldBy(graph, new Map(graph.nodes.map(({ id }) => [id, id])));
  for (const toKey of levels) {
    if (folded.nodes.length <= MAX_NODES) break;
    folded = foldBy(graph, toKeys(graph, toKey));
  }
  return folded;
}

/** Makes a key of all that an XR uses: shared resources, and kinds of cloud resources. */
function keyByUse({ nodes, edges }: Graph): ToKey {
  const edgesFrom = groupBy(edges, ({ from }) => from);
  const used = new Map(nodes.map((node) => [node.id, node.type === "shared" ? node.id : node.kind]));
  return ({ id }) => [...new Set(edgesFrom.get(id)?.map(({ type, to }) => `${type} ${used.get(to)}`))].sort().join();
}

/** Gives each node the key of its group. A cloud resource's key has its kind and the keys of its holders. */
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

/** A graph small enough to read: similar nodes are merged. */
export type Folded = ReturnType<typeof foldBy>;
export type FoldedNode = Folded["nodes"][number];
export type FoldedEdge = Folded["edges"][number];

/** @returns nodes; edges, whose ends are indexes of nodes; and the index of each node of the graph, by its id. */
function foldBy({ nodes, edges }: Graph, keys: ReadonlyMap<string, string>) {
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

function toFoldedNode([first, ...rest]: readonly GraphNode[]) {
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
