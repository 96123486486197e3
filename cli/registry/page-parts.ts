/** The style of the page. */
export const STYLE = `
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

/** Filters the table by the page's controls, shows only the nodes and edges of the rows that are left, and crops the picture to them. */
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
  if (svg === null || count === 0 || svg.getBBox === undefined) return;
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
