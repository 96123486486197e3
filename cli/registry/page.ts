import { createHash } from "node:crypto";
import { Graph as Layout, layout } from "@dagrejs/dagre";
import { toPrintable } from "../text.ts";
import { type Folded, type FoldedEdge, type FoldedNode, fold } from "./fold.ts";
import type { Graph, GraphEdge, GraphNode } from "./nodes.ts";

/** Draws a graph as one HTML page that loads nothing: a picture, laid out here, and a table with the same content. */
export function toPage(graph: Graph): string {
  const folded = fold(graph);
  const waiting = graph.edges.filter(({ waits }) => waits !== undefined).length;
  const spaces = [...new Set(graph.nodes.flatMap(({ namespace }) => namespace ?? []))].sort();
  const options = spaces.map((namespace) => `<option>${escapeHtml(namespace)}</option>`).join("");
  const hash = createHash("sha256").update(SCRIPT).digest("base64");
  // Names are escaped; should one get through, the browser still runs nothing but this script.
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Who shares what</title><style>${STYLE}</style></head><body>
<header><h1>Who shares what</h1>
<label>Namespace <select id="namespace"><option value="">all</option>${options}</select></label>
<label>Search <input id="search" type="search"></label>
<label><input id="waiting" type="checkbox"> waits for a person (${waiting})</label>
<output id="count"></output></header>
<main>${graph.nodes.length === 0 ? "<p>No resources found.</p>" : toPicture(folded)}</main>
${toTable(graph, folded)}
<script>${SCRIPT}</script></body></html>
`;
}

const escapeHtml = (text: string): string =>
  toPrintable(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

const WIDTH = 250;
const HEIGHT = 44;

type Point = Readonly<Record<"x" | "y", number>>;

function toPicture({ nodes, edges }: Folded): string {
  const picture = new Layout({ multigraph: true });
  picture.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 110, marginx: 10, marginy: 10 });
  for (const index of nodes.keys()) picture.setNode(String(index), { width: WIDTH, height: HEIGHT });
  for (const { from, to, type } of edges) picture.setEdge(String(from), String(to), {}, type);
  layout(picture);
  const { width = 0, height = 0 } = picture.graph() as { readonly width?: number; readonly height?: number };
  const lines = edges.map((edge) => toLine(edge, picture.edge(String(edge.from), String(edge.to), edge.type).points));
  const boxes = nodes.map((node, index) => toBox(node, index, edges, picture.node(String(index)) as Point));
  return `<svg width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}">
${lines.join("\n")}
${boxes.join("\n")}</svg>`;
}

function toLine({ from, to, type, label, waits }: FoldedEdge, points: readonly Point[] = []): string {
  const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${Math.round(x)} ${Math.round(y)}`).join("");
  const { x, y } = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
  const text = `<text x="${Math.round(x)}" y="${Math.round(y) - 4}" text-anchor="middle">${label}</text>`;
  return `<g class="edge ${type}${waits ? " waits" : ""}" data-ends="${from}-${to}-${type}"><path d="${path}"/>${text}</g>`;
}

function toBox({ type, title, subtitle }: FoldedNode, index: number, edges: readonly FoldedEdge[], at: Point): string {
  const waits = edges.some((edge) => edge.waits && (edge.from === index || edge.to === index)) ? " waits" : "";
  const [x, y] = [Math.round(at.x - WIDTH / 2), Math.round(at.y - HEIGHT / 2)];
  const line = (text: string, dy: number) => `<text x="10" y="${dy}">${escapeHtml(shorten(text))}</text>`;
  const hint = escapeHtml(`${title}: ${subtitle}`);
  return `<g class="node ${type}${waits}" data-node="${index}" tabindex="0" role="button" transform="translate(${x} ${y})"><title>${hint}</title><rect width="${WIDTH}" height="${HEIGHT}" rx="6"/>${line(title, 18)}${line(subtitle, 35)}</g>`;
}

/** Cuts a text to the width of a box. */
const shorten = (text: string): string => (text.length > 36 ? `${text.slice(0, 35)}…` : text);

function toTable({ nodes, edges }: Graph, { indexOf }: Folded): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const toRow = ({ from, to, type, secrets, dependents, waits = "" }: GraphEdge): string => {
    const [source, target] = [byId.get(from), byId.get(to)];
    const spaces = [source, target].flatMap((node) => node?.namespace ?? []).join(" ");
    const grants = target?.grants === undefined ? "" : target.grants.join(", ") || "nothing";
    const texts = [toText(source), type, toText(target), grants, secrets.join(", "), dependents.join(", "), waits];
    const cells = texts.map((text) => `<td>${escapeHtml(text)}</td>`).join("");
    const ends = `${indexOf.get(from)}-${indexOf.get(to)}-${type}`;
    return `<tr data-ends="${ends}" data-spaces="${escapeHtml(spaces)}"${waits ? ' class="waits"' : ""}>${cells}</tr>`;
  };
  const header = ["XR or claim", "", "resource", "grants of its owner", "Secrets", "dependents", "waits until"];
  const head = header.map((cell) => `<th>${cell}</th>`).join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${edges.map(toRow).join("\n")}</tbody></table>`;
}

const toText = (node: GraphNode | undefined): string =>
  node === undefined ? "" : [node.kind, node.namespace, node.name].filter(Boolean).join("/");

const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --soft: #656d76; --line: #8c959f; --box: #f6f8fa; --blue: #0969da; --red: #d1242f }
@media (prefers-color-scheme: dark) {
  :root { --back: #0d1117; --text: #e6edf3; --soft: #8d96a0; --line: #6e7681; --box: #161b22; --blue: #4493f8; --red: #f85149 }
}
body { margin: 0; background: var(--back); color: var(--text); font: 14px system-ui, sans-serif }
header { position: sticky; top: 0; left: 0; display: flex; flex-wrap: wrap; gap: 16px; align-items: center; padding: 10px 16px; background: var(--back); border-bottom: 1px solid var(--line) }
h1 { font-size: 18px; margin: 0 }
main { overflow: auto; padding: 8px }
svg text { font: 12px system-ui, sans-serif; fill: var(--text) }
svg text + text, .edge text { fill: var(--soft); font-size: 11px }
.node { cursor: pointer }
.node rect { fill: var(--box); stroke: var(--line) }
.node.shared rect { stroke: var(--blue); stroke-width: 2.5 }
.node.cloud rect { stroke-dasharray: 5 3 }
.node.waits rect, .edge.waits path { stroke: var(--red) }
.edge.waits text, tr.waits td:last-child { fill: var(--red); color: var(--red) }
.edge path { fill: none; stroke: var(--line); stroke-width: 1.5 }
.edge.owns path { stroke-width: 3 }
.edge.observes path, .edge.requests path { stroke-dasharray: 3 4 }
table { border-collapse: collapse; margin: 8px 16px }
td, th { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word }
tr { content-visibility: auto }
[hidden] { display: none }
`;

/** Filters the table by the page's controls, and crops the picture to the nodes and edges of the rows that are left. */
export const SCRIPT = `
const find = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const [namespace, search, waiting] = ["namespace", "search", "waiting"].map(find);
const [rows, nodes, edges, svg] = [all("tbody tr"), all(".node"), all(".edge"), document.querySelector("svg")];
const texts = rows.map((row) => row.textContent.toLowerCase());
let chosen;
function show() {
  const words = search.value.toLowerCase().split(" ").filter(Boolean);
  const ends = new Set();
  const near = new Set();
  let count = 0;
  rows.forEach((row, index) => {
    const [from, to] = row.dataset.ends.split("-");
    const fits = (namespace.value === "" || row.dataset.spaces.split(" ").includes(namespace.value))
      && words.every((word) => texts[index].includes(word))
      && (!waiting.checked || row.classList.contains("waits"))
      && (chosen === undefined || from === chosen || to === chosen);
    row.hidden = !fits;
    if (!fits) return;
    count++;
    ends.add(row.dataset.ends);
    near.add(from).add(to);
  });
  for (const edge of edges) edge.style.display = ends.has(edge.dataset.ends) ? "" : "none";
  for (const node of nodes) node.style.display = near.has(node.dataset.node) ? "" : "none";
  find("count").textContent = count + " of " + rows.length + (chosen === undefined ? "" : ", of one box: click it again for all");
  if (svg === null || count === 0) return;
  const { x, y, width, height } = svg.getBBox();
  svg.setAttribute("viewBox", [x - 10, y - 10, width + 20, height + 20].join(" "));
  svg.setAttribute("width", width + 20);
  svg.setAttribute("height", height + 20);
}
for (const control of [namespace, search, waiting]) control.addEventListener("input", show);
for (const node of nodes) {
  const choose = () => { chosen = chosen === node.dataset.node ? undefined : node.dataset.node; show(); };
  node.addEventListener("click", choose);
  node.addEventListener("keydown", ({ key }) => { if (key === "Enter") choose(); });
}
show();
`;
