import { compareTexts, groupBy } from "../../src/model/collections.ts";
import { Unread } from "../cluster/list.ts";
import type { Host } from "../host.ts";
import { findSharing } from "../lookup/consumers.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson, toPrintable } from "../text.ts";
import type { GraphFlags } from "./command.ts";
import { type Folded, fold } from "./fold.ts";
import { type Graph, inNamespace, toGraph } from "./graph.ts";
import { findManagedKinds, listCloudResources, report } from "./owners.ts";
import { toPage } from "./page.ts";

/** Prints who shares what. @returns the exit code. */
export async function drawGraph({ output, namespace, ...flags }: GraphFlags, host: Host): Promise<number> {
  const cluster = await openCluster(flags, host);
  const unread = new Unread();
  const resources = await listCloudResources(cluster, findManagedKinds([], cluster), unread);
  const sharing = await findSharing(cluster, unread);
  host.print(FORMATS[output](inNamespace(toGraph(resources, sharing), namespace)));
  return report(unread, host);
}

const FORMATS: Readonly<Record<GraphFlags["output"], (graph: Graph) => string>> = {
  html: toPage,
  mermaid: (graph) => toMermaid(fold(graph)),
  dot: (graph) => toDot(fold(graph)),
  json: toJson,
  matrix: toMatrix,
};

/** Characters that end or structure a label are written as their numbers: teams write names. */
const toEntities = (text: string): string =>
  toPrintable(text).replace(/[^\p{L}\p{N} .,·:/_-]/gu, (character) => `#${character.codePointAt(0)};`);

function toMermaid({ nodes, edges }: Folded): string {
  const lines = nodes.map(
    ({ type, title, subtitle }, index) => `  n${index}["${toEntities(title)}<br/>${toEntities(subtitle)}"]:::${type}`,
  );
  const arrows = edges.map(({ from, to, label }) => `  n${from} -->|${label}| n${to}`);
  const waiting = edges.flatMap(({ waits }, index) => (waits ? [index] : []));
  const red = waiting.length === 0 ? [] : [`  linkStyle ${waiting.join(",")} stroke:#d1242f`];
  const classes = ["  classDef shared stroke-width:3px", "  classDef gone stroke:#d1242f"];
  return `${["flowchart LR", ...lines, ...arrows, ...classes, ...red].join("\n")}\n`;
}

function toDot({ nodes, edges }: Folded): string {
  const quote = (...lines: readonly string[]) =>
    `"${lines.map((line) => toPrintable(line).replace(/["\\]/g, "\\$&")).join("\\n")}"`;
  const lines = nodes.map(
    ({ type, title, subtitle }, index) =>
      `  n${index} [label=${quote(title, subtitle)}, shape=${type === "cloud" ? "ellipse" : "box"}${type === "gone" ? ", color=red" : ""}];`,
  );
  const arrows = edges.map(
    ({ from, to, label, waits }) => `  n${from} -> n${to} [label="${label}"${waits ? ", color=red" : ""}];`,
  );
  return `${["digraph {", "  rankdir=LR;", ...lines, ...arrows, "}"].join("\n")}\n`;
}

/** Lists cloud resources, each in a row, by team: the namespaces of those that own or observe them. */
function toMatrix({ nodes, edges }: Graph): string {
  const spaceOf = new Map(nodes.map(({ id, namespace = "-" }) => [id, namespace]));
  const holders = groupBy(edges, ({ to }) => to);
  const clouds = nodes.filter(({ type }) => type === "cloud");
  const held = clouds.map(({ id }) => {
    const sorted = (holders.get(id) ?? []).toSorted((a, b) => compareTexts(a.type, b.type)); // "owns" stays: it comes last
    return new Map(sorted.map(({ from, type }) => [spaceOf.get(from) ?? "-", type]));
  });
  const teams = [...new Set(held.flatMap((row) => [...row.keys()]))].sort();
  if (clouds.length === 0) return "No cloud resources are registered.\n";
  const rows = clouds.map(({ kind, name }, index) => [
    kind,
    name,
    ...teams.map((team) => held[index]?.get(team) ?? "."),
  ]);
  return alignColumns([["KIND", "EXTERNAL NAME", ...teams], ...rows]);
}
