import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { type Document, isNode, LineCounter, parseAllDocuments } from "yaml";
import { attempt, FunctionError } from "../../src/errors.ts";
import type { FieldPath } from "../../src/model/field-path.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { invalidInput, readText, whileDoing } from "../files.ts";
import type { Host } from "../host.ts";

export interface Manifest {
  /** The path as given; `-` for standard input. */
  readonly file: string;
  /** The chart's template, as in the comment of `helm template`. */
  readonly template: string | undefined;
  readonly object: JsonObject;
  /** Finds the line of a field, or of its nearest existing parent. */
  findLine(path: FieldPath): number;
}

/** A manifest, or the fault of a document that is not one, as `file:line: fault`. */
type Found = Manifest | string;

/**
 * Reads the manifests of paths, `-` for standard input. A path without a manifest is an error: most likely a renderer
 * failed and printed nothing.
 *
 * @throws {FunctionError} `InvalidInput` with all that is not a manifest.
 */
export async function readManifests(paths: readonly string[], allowEmpty: boolean, host: Host) {
  const found: Found[] = [];
  for (const path of paths) {
    const own = await readPath(path, host);
    const isMissing = own.length === 0 && !allowEmpty;
    found.push(...(isMissing ? [`${path}: no Kubernetes manifest found; --allow-empty accepts that`] : own));
  }
  const faults = found.filter((one) => typeof one === "string");
  if (faults.length === 0) return found.filter((one) => typeof one !== "string");
  throw invalidInput(["cannot read the manifests:", ...faults].join("\n  "));
}

async function readPath(path: string, host: Host): Promise<readonly Found[]> {
  if (path === "-") return parseManifests(await host.readInput(), path);
  return findFiles(path).flatMap((file) => parseManifests(readText(file), file));
}

const ENDINGS = [".yaml", ".yml", ".json"];

/** Finds the file that a path names, or all files below a folder, sorted. @throws {FunctionError} `InvalidInput` */
function findFiles(path: string): readonly string[] {
  if (!whileDoing(`cannot read ${path}`, () => statSync(path).isDirectory())) return [path];
  const files = readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ENDINGS.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  if (files.length === 0) throw invalidInput(`cannot read ${path}: no ${ENDINGS.join(", ")} files below it`);
  return files;
}

/** Reads a stream of YAML or JSON documents. Lists are taken apart, empty documents are skipped. */
function parseManifests(text: string, file: string): readonly Found[] {
  const lines = new LineCounter();
  // Like Kubernetes: of duplicate keys the last counts, and `<<` merges.
  const options = { lineCounter: lines, uniqueKeys: false, merge: true, prettyErrors: false };
  return parseAllDocuments(text, options).flatMap((document) => parseDocument(document, file, lines));
}

function parseDocument(document: Document.Parsed, file: string, lines: LineCounter): readonly Found[] {
  const placeOf = (offset: number): string => `${file}:${toLine(offset, lines)}`;
  if (document.errors.length > 0)
    return document.errors.map(({ pos, message }) => `${placeOf(pos[0])}: ${message.split("\n")[0]}`);
  // Fails if an alias is not defined, or aliases of aliases are more than a computer holds.
  const value: unknown = attempt(() => whileDoing(placeOf(document.range[0]), () => document.toJS()));
  if (value instanceof FunctionError) return [value.message];
  if (value === null || value === undefined) return [];
  if (!isObject(value)) return [`${placeOf(document.contents?.range?.[0] ?? 0)}: not an object`];

  const comments = `${document.commentBefore ?? ""}\n${document.contents?.commentBefore ?? ""}`;
  const template = /^ ?Source: (\S+)/m.exec(comments)?.[1];
  const findLine = (path: FieldPath): number => toLine(findOffset(document, path), lines);
  return objectsIn(value, []).map(([object, above]): Found => {
    // Even a renderer's `Error: chart not found` is an object in YAML.
    const isManifest = typeof object["apiVersion"] === "string" && typeof object["kind"] === "string";
    return isManifest
      ? { file, template, object, findLine: (path) => findLine([...above, ...path]) }
      : `${file}:${findLine(above)}: not a Kubernetes manifest: it lacks apiVersion or kind`;
  });
}

const toLine = (offset: number, lines: LineCounter): number => Math.max(1, lines.linePos(offset).line);

/** Returns the items of a List, also of nested ones, or the object itself, each with its path. */
function objectsIn(object: JsonObject, path: FieldPath): readonly (readonly [JsonObject, FieldPath])[] {
  const { kind, items } = object;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [[object, path]];
  return items.flatMap((item, index) => (isObject(item) ? objectsIn(item, [...path, "items", index]) : []));
}

/** Finds the offset of a field, or of its nearest existing parent. */
function findOffset(document: Document.Parsed, path: FieldPath): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}
