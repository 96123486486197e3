import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { type Document, isNode, LineCounter, parseAllDocuments } from "yaml";
import type { FieldPath } from "../../model/field-path.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { cannotRead } from "../read.ts";

/** An object in a file. */
export interface Manifest {
  /** As it was given, or `-`. */
  readonly file: string;
  /** The chart's template that it comes from, where `helm template` says so. */
  readonly template: string | undefined;
  readonly object: JsonObject;
  /** The line of a field, or of what is nearest above it. */
  lineOf(path: FieldPath): number;
}

const ENDINGS = [".yaml", ".yml", ".json"];

/**
 * The files that paths name, `-` for standard input; folders with all that is below them, sorted.
 *
 * @throws {FunctionError} `InvalidInput` where there is none.
 */
export function filesOf(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (path === "-" || !isFolder(path)) return [path];
    const files = readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && ENDINGS.includes(extname(entry.name)))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort();
    if (files.length === 0) throw cannotRead(path, `no ${ENDINGS.join(", ")} files below it`);
    return files;
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/** What is in a text: its objects, and what is no YAML or no object, each as `file:line: what`. */
export interface Parsed {
  readonly manifests: readonly Manifest[];
  readonly faults: readonly string[];
}

/** Reads a stream of YAML or JSON documents. Lists are taken apart, empty documents are skipped. */
export function parseManifests(text: string, file: string): Parsed {
  const lines = new LineCounter();
  // As Kubernetes reads it: of a key given twice the last one counts, and `<<` merges.
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: false,
    merge: true,
    prettyErrors: false,
  });
  const parsed = (Array.isArray(documents) ? documents : []).map((document) => parseDocument(document, file, lines));
  return {
    manifests: parsed.flatMap(({ manifests }) => manifests),
    faults: parsed.flatMap(({ faults }) => faults),
  };
}

function parseDocument(document: Document.Parsed, file: string, lines: LineCounter): Parsed {
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  if (document.errors.length > 0) {
    return {
      manifests: [],
      faults: document.errors.map(({ pos, message }) => `${file}:${lineAt(pos[0])}: ${message.split("\n")[0]}`),
    };
  }
  const value: unknown = document.toJS();
  const line = lineAt(document.contents?.range?.[0] ?? 0);
  if (value === null || value === undefined) return { manifests: [], faults: [] };
  if (!isObject(value)) return { manifests: [], faults: [`${file}:${line}: no object`] };

  const template = /^ ?Source: (\S+)/m.exec(
    `${document.commentBefore ?? ""}\n${document.contents?.commentBefore ?? ""}`,
  )?.[1];
  const manifests = objectsIn(value, []).map(({ object, path: above }) => ({
    file,
    template,
    object,
    lineOf: (path: FieldPath) => lineAt(offsetOf(document, [...above, ...path])),
  }));
  return { manifests, faults: [] };
}

interface Placed {
  readonly object: JsonObject;
  readonly path: FieldPath;
}

/** The object, or what a List of them holds, Lists among it as well. */
function objectsIn(object: JsonObject, path: FieldPath): readonly Placed[] {
  const { kind, items } = object;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ object, path }];
  return items.flatMap((item, index) => (isObject(item) ? objectsIn(item, [...path, "items", index]) : []));
}

/** Where the field begins; where it is not there, the nearest one above it that is. */
function offsetOf(document: Document.Parsed, path: FieldPath): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}
