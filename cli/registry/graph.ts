import { toComposite } from "../../src/crossplane/composite.ts";
import { ALLOWED_NAMESPACE_SELECTOR, readNamespaceGrant } from "../../src/crossplane/grants.ts";
import { readAnnotation } from "../../src/crossplane/metadata.ts";
import { formatReference } from "../../src/crossplane/references.ts";
import { compareTexts, groupBy } from "../../src/model/collections.ts";
import { formatOwner } from "../../src/ownership/annotations.ts";
import type { JudgedConsumer } from "../../src/records/consumer.ts";
import { Unread } from "../cluster/list.ts";
import type { ClusterFlags } from "../command.ts";
import type { Host } from "../host.ts";
import { findSharing, type Sharing } from "../lookup/find-consumers.ts";
import type { Holding } from "../lookup/holding.ts";
import type { CloudResource } from "../lookup/ownership.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson } from "../text.ts";
import type { Graph, GraphEdge, GraphNode } from "./nodes.ts";
import { findManagedKinds, listCloudResources, report } from "./owners.ts";
import { toPage } from "./page.ts";

export interface GraphFlags extends ClusterFlags {
  readonly output: keyof typeof FORMATS;
  readonly namespace?: string;
}

/** Prints who shares what. @returns the exit code. */
export async function drawGraph({ output, namespace, ...flags }: GraphFlags, host: Host): Promise<number> {
  const cluster = await openCluster(flags, host);
  const unread = new Unread();
  const resources = await listCloudResources(cluster, findManagedKinds([], cluster), unread);
  const sharing = await findSharing(cluster, unread);
  host.print(FORMATS[output](inNamespace(toGraph(resources, sharing), namespace)));
  return report(unread, host);
}

const FORMATS = { html: toPage, json: toJson, matrix: toMatrix } as const;

function toGraph(resources: readonly CloudResource[], sharing: readonly Sharing[]): Graph {
  const parts = [...sharing.map(toSharingGraph), ...resources.map(toCloudGraph)];
  const all = parts.flatMap(({ nodes }) => nodes);
  // A shared resource may be a consumer or an owner as well, with a second node of type "xr": the shared one wins.
  const byId = new Map([...all, ...all.filter(({ type }) => type !== "xr")].map((node) => [node.id, node]));
  return { nodes: [...byId.values()], edges: parts.flatMap(({ edges }) => edges) };
}

function toSharingGraph({ reference, shared, consumers }: Sharing): Graph {
  const composite = shared && toComposite(shared);
  const id = composite?.claim === undefined ? formatReference(reference) : formatOwner(composite);
  const node = { ...toNode(id, shared === undefined ? "gone" : "shared"), grants: shared ? toGrants(shared) : [] };
  const byConsumer = groupBy(consumers, toConsumerId);
  const edges = [...byConsumer].map(([from, copies]) => toUse(from, node, copies));
  return { nodes: [node, ...[...byConsumer.keys()].map((consumer) => toNode(consumer, "xr"))], edges };
}

const toConsumerId = ({ kind, namespace, name }: JudgedConsumer): string =>
  [kind, namespace, name].filter((part) => part !== undefined).join("/");

/** Makes a node of an id such as `Kind.group/namespace/name`, or without a namespace. */
function toNode(id: string, type: GraphNode["type"]): GraphNode {
  const [kind = "", ...path] = id.split("/");
  return { id, type, kind, name: path.at(-1) ?? "", namespace: path.length > 1 ? path[0] : undefined };
}

function toGrants(shared: NonNullable<Sharing["shared"]>): readonly string[] {
  const { names, isForAll, selector } = readNamespaceGrant(shared);
  const labels = selector === undefined ? undefined : readAnnotation(shared, ALLOWED_NAMESPACE_SELECTOR);
  return [...(isForAll ? ["*"] : [...names].sort()), ...(labels === undefined ? [] : [`labels ${labels}`])];
}

function toUse(from: string, shared: GraphNode, copies: readonly JudgedConsumer[]): GraphEdge {
  const secrets = copies.flatMap(({ secretName }) => secretName ?? []);
  const dependents = [...new Set(copies.flatMap((copy) => copy.dependents))];
  const denied = new Set(copies.flatMap(({ isGranted, namespaces }) => (isGranted ? [] : namespaces)));
  const grant = denied.size === 0 ? undefined : `its owner grants access to ${[...denied].join(", ")}`;
  const waits = shared.type === "gone" ? "it is restored, or the consumer chooses another" : grant;
  return { from, to: shared.id, type: waits === undefined ? "uses" : "requests", secrets, dependents, waits };
}

function toCloudGraph({ identity, holdings, holder, state }: CloudResource): Graph {
  const [{ query, externalName, id }] = holdings;
  const kind = `${query.kind}.${query.group}`;
  const name = externalName || (id ?? "");
  const cloud: GraphNode = { id: `cloud ${identity}`, type: "cloud", kind, name, namespace: undefined };
  const edges = holdings.map((holding): GraphEdge => {
    const isContested = state === "Contested" && holding.contender.isMarked;
    const type = isContested || holding === holder ? "owns" : "observes";
    const waits = isContested ? "all but one of those that write it are removed" : undefined;
    return { from: toHolderId(holding), to: cloud.id, type, secrets: [], dependents: [], waits };
  });
  return { nodes: [cloud, ...holdings.map((holding) => toNode(toHolderId(holding), "xr"))], edges };
}

/** The id of the XR that holds a cloud resource, or of the managed resource if it has no XR. */
const toHolderId = ({ contender, self }: Holding): string => contender.owner || self;

function inNamespace({ nodes, edges }: Graph, namespace: string | undefined): Graph {
  if (namespace === undefined) return { nodes, edges };
  const inside = new Set(nodes.filter((node) => node.namespace === namespace).map(({ id }) => id));
  const kept = edges.filter(({ from, to }) => inside.has(from) || inside.has(to));
  const near = new Set(kept.flatMap(({ from, to }) => [from, to]));
  return { nodes: nodes.filter(({ id }) => near.has(id)), edges: kept };
}

/** Lists cloud resources, each in a row, by team: the namespaces of those that own or observe them. */
function toMatrix({ nodes, edges }: Graph): string {
  const spaceOf = new Map(nodes.map(({ id, namespace = "-" }) => [id, namespace]));
  const holders = groupBy(edges, ({ to }) => to);
  const clouds = nodes.filter(({ type }) => type === "cloud");
  const held = clouds.map(({ id }) => {
    const sorted = (holders.get(id) ?? []).toSorted((a, b) => compareTexts(a.type, b.type)); // "owns" wins: it comes last
    return new Map(sorted.map(({ from, type }) => [spaceOf.get(from) ?? "-", type]));
  });
  const teams = [...new Set(held.flatMap((row) => [...row.keys()]))].sort();
  if (clouds.length === 0) return "No registered cloud resources found.\n";
  const toCells = (row: (typeof held)[number] | undefined) => teams.map((team) => row?.get(team) ?? ".");
  const rows = clouds.map(({ kind, name }, index) => [kind, name, ...toCells(held[index])]);
  return alignColumns([["KIND", "EXTERNAL NAME", ...teams], ...rows]);
}
