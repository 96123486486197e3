import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { reasons } from "../scripts/generate/reasons.ts";
import { inRepository } from "../scripts/package/layout.ts";
import { createMetrics } from "../src/server/metrics.ts";

const read = (file: string): string => readFileSync(inRepository(file), "utf8");
const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));

const atTheRoot = readdirSync(inRepository(".")).filter((file) => file.endsWith(".md"));
const pages = [...atTheRoot, ...["docs", "examples", ".github"].flatMap((folder) => filesIn(folder, ".md"))];

/** The page without its fenced blocks: nothing in them is a link or a heading. */
const proseOf = (page: string): string => read(page).replaceAll(/^```[\s\S]*?^```/gm, "");

/** The anchors that GitHub makes of headings, and those written as HTML. */
function anchorsOf(page: string): readonly string[] {
  const prose = proseOf(page);
  const toAnchor = (title: string): string => title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "");
  const headings = [...prose.matchAll(/^#{2,} (.*)$/gm)].map(([, title = ""]) => toAnchor(title).replaceAll(" ", "-"));
  return [...headings, ...[...prose.matchAll(/<a id="(.*?)">/g)].map(([, id = ""]) => id)];
}

test.each(pages)("%s leads to files and anchors that exist", (page) => {
  const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)]*)\)/g)].map(([, link = ""]) => link);
  const broken = links.filter((link) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : join(dirname(page), path);
    if (!existsSync(inRepository(target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(pages)("%s has tables that GitHub shows as such: the line below the header has as many columns", (page) => {
  const toColumns = (row = ""): number => row.replaceAll(/`[^`]*`|\\\|/g, "").split("|").length;
  const heads = [...proseOf(page).matchAll(/^(\|.*)\n(\|[ :|-]+\|)$/gm)];
  const broken = heads.filter(([, header, line]) => toColumns(header) !== toColumns(line));
  expect(broken.map(([, header]) => header)).toEqual([]);
});

test("README.md has a link to every page of docs/, and is short enough to be read", () => {
  const readme = read("README.md");
  expect(filesIn("docs", ".md").filter((page) => !readme.includes(`(${page})`))).toEqual([]);
  expect(readme.length).toBeLessThan(10_000);
});

describe("README.zh-CN.md", () => {
  const fencesOf = (page: string): readonly string[] =>
    [...read(page).matchAll(/^```(?:sh|yaml)\n([\s\S]*?)^```/gm)].map(([, text = ""]) =>
      text.replaceAll(/ *#(?! yaml-).*/g, ""),
    );

  test("has the commands and manifests of README.md", () => {
    expect(fencesOf("README.zh-CN.md")).toEqual(fencesOf("README.md"));
  });

  test("has its sections, under the same anchors", () => {
    const anchors = [...read("README.zh-CN.md").matchAll(/<a id="(.*?)">/g)].map(([, id]) => id);
    expect(anchors).toEqual(anchorsOf("README.md"));
  });

  test("has its links and its words in code", () => {
    const linksOf = (page: string): readonly string[] =>
      [...proseOf(page).matchAll(/\]\(([^)]*)\)/g)].map(([, link = ""]) => link).filter((link) => !/README/.test(link));
    expect(linksOf("README.zh-CN.md")).toEqual(linksOf("README.md"));
    expect(unique(ticked(proseOf("README.zh-CN.md")))).toEqual(unique(ticked(proseOf("README.md"))));
  });
});

const ticked = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

/** The first column of the tables below a heading, up to the next of the same level. */
function firstColumn(page: string, heading: string): readonly string[] {
  const [, after = ""] = read(page).split(`\n${heading}\n`);
  const level = heading.split(" ")[0] ?? "";
  const section = after.split(new RegExp(`\\n#{1,${level.length}} `))[0] ?? "";
  return [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) => ticked(cell));
}

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)].sort();

/** Where a condition's reasons stand in the sources. */
const conditions: Readonly<Record<string, readonly string[]>> = {
  SharedResourcesReady: ["sharing/sharing-condition.ts", "sharing/reasons.ts"],
  EnvironmentConfigPublished: ["publish.ts"],
  ConsumersServed: ["consumers/consumers-condition.ts"],
  CapacityAvailable: ["../records/capacity.ts"],
  TagsOwned: ["tags/tags-condition.ts"],
  ResourcesAdopted: ["adoption/adoption-condition.ts"],
  ExternalNamesPinned: ["external-names/names-condition.ts"],
};

/** What the variants of a union or the entries of a table are called, what a list of reasons holds, and what a reason is where nothing is to be said. */
function reasonsIn(source: string): readonly string[] {
  const unions = [...source.matchAll(/readonly is: ((?:"\w+"(?: \| )?)+)/g)];
  const entries = [...source.matchAll(/(?:^ {2,4}|[{,] )([A-Z]\w+): [("[]/gm)].map(([all, name]) => [all, `"${name}"`]);
  const lists = [...source.matchAll(/REASONS(?:: [^=]*)? = \[([^\]]*)\]/g)];
  const expressions = [...source.matchAll(/const reason =([^;]*);|\breason: ("\w+"|\w+\?\..*)/g)];
  return [...unions, ...entries, ...lists, ...expressions]
    .flatMap(([, ...found]) => [...found.join().matchAll(/"([A-Z]\w+)"/g)])
    .map(([, reason = ""]) => reason);
}

describe("docs/conditions.md", () => {
  test.each(Object.entries(conditions))("has every reason of %s, and no other", (type, files) => {
    const found = files.flatMap((file) => reasonsIn(read(join("src/features", file))));
    expect(unique(firstColumn("docs/conditions.md", `### ${type}`))).toEqual(unique(found));
  });

  test("says of every reason that needs nothing from a person that it waits, or who acts", () => {
    const unsaid = reasons.filter(({ state, who }) => (state === "False" || state === "Stops") && who === "");
    expect(unsaid.map(({ type, name }) => `${type} ${name}`)).toEqual([]);
  });

  test("has a wait of SharedResourcesReady wherever the function takes it for one", () => {
    const [, list = ""] = /WAITS: [^=]* = \[([^\]]*)\]/.exec(read("src/features/sharing/sharing-condition.ts")) ?? [];
    const waits = reasons.filter(({ state, type }) => type === "SharedResourcesReady" && /Waits|Unknown/.test(state));
    expect(unique(waits.map(({ name }) => name))).toEqual(unique(list.match(/\w+/g) ?? []));
  });

  test("has every type of a condition, and no other", () => {
    const sources = filesIn("src", ".ts").map(read).join("\n");
    const types = [...sources.matchAll(/(?:^const TYPE =|^const KIND = {\s+type:) "(\w+)"/gm)].map(
      ([, type = ""]) => type,
    );
    const headings = [...read("docs/conditions.md").matchAll(/^### (\w+)$/gm)].map(([, type = ""]) => type);
    expect(unique(types)).toEqual(unique(Object.keys(conditions)));
    expect(unique(headings)).toEqual(unique(types));
  });

  test("has every code of an error, and no other", () => {
    const codes = [...read("src/errors.ts").matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code = ""]) => code);
    const documented = ["## Fatal results", "## Refused calls", "## When it does not start"];
    expect(unique(documented.flatMap((heading) => firstColumn("docs/conditions.md", heading)))).toEqual(unique(codes));
  });

  test("has no log line that is not logged", () => {
    const sources = filesIn("src", ".ts").map(read).join("\n");
    const documented = firstColumn("docs/conditions.md", "## Log lines");
    expect(documented.filter((line) => !sources.includes(`"${line}"`))).toEqual([]);
  });
});

test("docs/conditions.md begins with what a reader sees: every condition, by reasons that its table has", () => {
  const [start = ""] = read("docs/conditions.md").split("\n## ");
  const rows = [...start.matchAll(/^\| \[`(\w+)`\]\(#(\w+)\)(.*?) \|/gm)];
  expect(unique(rows.map(([, condition = ""]) => condition))).toEqual(unique(Object.keys(conditions)));
  for (const [, condition = "", anchor, situation = ""] of rows) {
    expect(anchor).toBe(condition.toLowerCase());
    const known = firstColumn("docs/conditions.md", `### ${condition}`);
    expect(known).toEqual(expect.arrayContaining([...ticked(situation)]));
  }
});

test("CONTRIBUTING.md has a reason for each package that the image holds", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { readonly dependencies: object };
  expect(firstColumn("CONTRIBUTING.md", "## Dependencies")).toEqual(Object.keys(dependencies));
});

test("every metric that is documented is exposed, and all of ours are documented", async () => {
  const { registry } = createMetrics("v0", []);
  const exposed = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const text = read("docs/operations.md");
  const named: readonly string[] =
    text.match(/\b(?:grpc_server|function_shared_infrastructure|process|nodejs)_\w+/g) ?? [];
  const base = (name: string): string => (exposed.includes(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ""));
  expect(named.map(base).filter((name) => !exposed.includes(name))).toEqual([]);
  const ours = exposed.filter((name) => /^(?:grpc_server|function_)/.test(name));
  expect(ours.filter((name) => !named.includes(name))).toEqual([]);
});
