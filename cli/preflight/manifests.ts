import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { type Document, isNode, LineCounter, parseAllDocuments } from "yaml";
import { FunctionError } from "../../src/errors.ts";
import type { FieldPath } from "../../src/model/field-path.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { cannotRead, readText } from "../files.ts";
import type { Host } from "../host.ts";

/** An object in a file. */
export interface Manifest {
  /** The path as given; `-` for standard input. */
  readonly file: string;
  /** The chart's template, as in the comment of `helm template`. */
  readonly template: string | undefined;
  readonly object: JsonObject;
  /** Finds the line of a field, or of its nearest existing parent. */
  findLine(path: FieldPath): number;
}

/**
 * Reads the manifests that paths name, `-` for standard input.
 *
 * A path without a manifest is an error: it is most likely the empty output of a renderer that failed.
 *
 * @throws {FunctionError} `InvalidInput` with all that is not a manifest.
 */
export async function readManifests(
  paths: readonly string[],
  allowEmpty: boolean,
  host: Pick<Host, "readInput">,
): Promise<readonly Manifest[]> {
  const parsed = [];
  for (const path of paths) parsed.push(await readPath(path, host));
  const faults = parsed.flatMap(({ path, manifests, faults: own }) => {
    const isEmpty = manifests.length === 0 && own.length === 0 && !allowEmpty;
    return isEmpty ? [`${path}: no Kubernetes manifest found; --allow-empty accepts that`] : own;
  });
  if (faults.length === 0) return parsed.flatMap(({ manifests }) => manifests);
  throw new FunctionError("InvalidInput", ["cannot read the manifests:", ...faults].join("\n  "));
}

async function readPath(path: string, host: Pick<Host, "readInput">): Promise<Parsed & { readonly path: string }> {
  const texts =
    path === "-"
      ? [["-", await host.readInput()] as const]
      : findFiles(path).map((file) => [file, readText(file)] as const);
  return { path, ...joined(texts.map(([file, text]) => parseManifests(text, file))) };
}

const joined = (parsed: readonly Parsed[]): Parsed => ({
  manifests: parsed.flatMap(({ manifests }) => manifests),
  faults: parsed.flatMap(({ faults }) => faults),
});

const ENDINGS = [".yaml", ".yml", ".json"];

/** Finds the file that a path names, or all files below a folder, sorted. @throws {FunctionError} `InvalidInput` */
function findFiles(path: string): readonly string[] {
  if (!isFolder(path)) return [path];
  const files = readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ENDINGS.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  if (files.length === 0) throw cannotRead(path, `no ${ENDINGS.join(", ")} files below it`);
  return files;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/** The manifests of a text, and its faults, each as `file:line: fault`. */
interface Parsed {
  readonly manifests: readonly Manifest[];
  readonly faults: readonly string[];
}

/** Reads a stream of YAML or JSON documents. Lists are taken apart, empty documents are skipped. */
function parseManifests(text: string, file: string): Parsed {
  const lines = new LineCounter();
  // Like Kubernetes: of duplicate keys the last counts, and `<<` merges.
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: false,
    merge: true,
    prettyErrors: false,
  });
  return joined((Array.isArray(documents) ? documents : []).map((document) => parseDocument(document, file, lines)));
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
  if (!isObject(value)) return { manifests: [], faults: [`${file}:${line}: not an object`] };

  const template = /^ ?Source: (\S+)/m.exec(
    `${document.commentBefore ?? ""}\n${document.contents?.commentBefore ?? ""}`,
  )?.[1];
  const findLine = (path: FieldPath): number => lineAt(findOffset(document, path));
  const objects = objectsIn(value, []);
  return {
    manifests: objects.filter(isManifest).map(({ object, path: above }) => ({
      file,
      template,
      object,
      findLine: (path: FieldPath) => findLine([...above, ...path]),
    })),
    faults: objects
      .filter((placed) => !isManifest(placed))
      .map(({ path }) => `${file}:${findLine(path)}: not a Kubernetes manifest: it lacks apiVersion or kind`),
  };
}

/** Tells manifests from other objects; even a renderer's `Error: chart not found` is one in YAML. */
const isManifest = ({ object: { apiVersion, kind } }: Placed): boolean =>
  typeof apiVersion === "string" && typeof kind === "string";

interface Placed {
  readonly object: JsonObject;
  readonly path: FieldPath;
}

/** Takes Lists apart, also nested ones; any other object stays as it is. */
function objectsIn(object: JsonObject, path: FieldPath): readonly Placed[] {
  const { kind, items } = object;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ object, path }];
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
