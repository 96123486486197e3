import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import { RenderError, whileDoing } from "./error.ts";
import { parseYaml, splitYamlStream } from "./yaml.ts";

/** Reads the first document of a YAML file. */
export const readYaml = (file: string): JsonValue => parseYaml(readFileSync(file, "utf8"));

/**
 * Reads the objects of a YAML file, or of a directory's own `.yaml` and `.yml` files, sorted by file name; none without a path.
 *
 * @throws {RenderError} where a file cannot be read, or a document is not an object with a kind.
 */
export function readObjects(path: string | undefined): readonly JsonObject[] {
  if (path === undefined) return [];
  return findFiles(path).flatMap((file) =>
    whileDoing(`cannot read ${JSON.stringify(file)}`, () =>
      splitYamlStream(readFileSync(file, "utf8"))
        .map(parseYaml)
        .filter((document) => document !== null) // a document of comments only
        .map(toManifest),
    ),
  );
}

/** @throws {RenderError} where the value is no Kubernetes object. */
export function toManifest(value: JsonValue): JsonObject {
  if (isObject(value) && typeof value["kind"] === "string" && value["kind"] !== "") return value;
  throw new RenderError(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
}

function findFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && [".yaml", ".yml"].includes(extname(entry.name)))
    .map((entry) => join(path, entry.name))
    .sort();
  if (files.length > 0) return files;
  throw new RenderError(`no YAML files found in ${JSON.stringify(path)} (.yaml or .yml)`);
}
