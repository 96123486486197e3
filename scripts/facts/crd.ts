import type { Source } from "./source.ts";

/** Of an OpenAPI schema, what the facts need. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

/** A kind of managed resource, and the schema of spec.forProvider by version of its API. */
export interface Kind {
  /** Without the `.m` of namespaced managed resources. */
  readonly group: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly versions: ReadonlyMap<string, Schema>;
}

/** Reads the kinds of managed resources among the CRDs of a provider. */
export function readKinds(source: Source): readonly Kind[] {
  const files = source.list("package/crds").filter((path) => path.endsWith(".yaml"));
  return [...source.read(files)].flatMap(([path, text]) => toKind(path, text));
}

function toKind(path: string, text: string): readonly Kind[] {
  const group = find(text, /^ {2}group: (.*)$/m, path);
  const kind = find(text, /^ {4}kind: (.*)$/m, path);
  const blocks = [...text.matchAll(/^ {14}forProvider:\n(?<block>(?: {15,}.*\n|\n)*)/gm)];
  if (blocks.length === 0) return []; // a ProviderConfig
  const names = [...text.matchAll(/^ {4}name: (.*)$/gm)].map(([, name = ""]) => name);
  if (names.length !== blocks.length) throw new Error(`cannot tell the versions of ${path}: ${names.join(", ")}`);
  const versions = new Map(blocks.map(({ groups }, at) => [names[at] ?? "", readSchema(groups?.["block"] ?? "")]));
  return [{ group: group.replace(".m.", "."), kind, isNamespaced: group.includes(".m."), versions }];
}

function find(text: string, pattern: RegExp, path: string): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`cannot read ${path}: no ${pattern}`);
  return found;
}

type Outline = { [key: string]: Outline | string };

/** A line of YAML that is a key: `description: text`, `items:`. */
const KEY = /^(?<indent> *)(?<key>[\w$-]+|"[^"]+"):(?: (?<value>.*))?$/;

/**
 * Reads the keys of a block of YAML as controller-gen writes it, by indentation; lists are left out. A YAML parser takes minutes
 * for the hundreds of megabytes of CRDs, this takes seconds.
 */
function readSchema(block: string): Schema {
  const root: Outline = {};
  const parents: { readonly indent: number; readonly node: Outline }[] = [{ indent: 0, node: root }];
  for (const line of joinTexts(block)) {
    const { indent = "", key, value } = KEY.exec(line)?.groups ?? {};
    if (key === undefined) continue;
    const outer = parents.findLastIndex((parent) => parent.indent < indent.length);
    parents.length = outer + 1;
    const node: Outline = {};
    Object.assign(parents[outer]?.node ?? root, { [key]: value ?? node });
    if (value === undefined) parents.push({ indent: indent.length, node });
  }
  return root;
}

/** The lines, with texts of several lines in one: what follows a value and is indented more belongs to it. */
function joinTexts(block: string): readonly string[] {
  const lines: string[] = [];
  let indent = Number.POSITIVE_INFINITY;
  for (const line of block.split("\n")) {
    const own = line.search(/\S/);
    if (own > indent) lines.push(`${lines.pop()} ${line.trim()}`);
    else if (own >= 0) {
      indent = KEY.exec(line)?.groups?.["value"] === undefined ? Number.POSITIVE_INFINITY : own;
      lines.push(line);
    }
  }
  return lines;
}
