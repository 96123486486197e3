import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { NAME } from "../../scripts/package/layout.ts";
import { findTool, toolNames } from "../../scripts/tools/catalogue.ts";

const root = fileURLToPath(new URL("../../examples/", import.meta.url));

/** The folders of examples/: each is a render's files, and what is expected of it. */
export const examples: readonly string[] = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export const fileOf = (example: string, file: string): string => join(root, example, file);

/** Tells whether the functions that an example's steps call are built, of those that this project builds. */
export const canRender = (example: string): boolean =>
  functionsOf(example).every((name) => !toolNames.some((tool) => tool === name && findTool(tool) === undefined));

/** Tells whether an example's steps call our function alone: then nothing has to be built. */
export const isAlone = (example: string): boolean => functionsOf(example).every((name) => name === NAME);

const functionsOf = (example: string): readonly string[] =>
  parseAllDocuments(readFileSync(fileOf(example, "functions.yaml"), "utf8")).map((document) =>
    String(document.getIn(["metadata", "name"])),
  );

/** The differences between CLIs: the name of the flag, and the functions file where it is not the example's own. */
export interface Dialect {
  readonly requiredResources: "--extra-resources" | "--required-resources";
  readonly functions?: string;
}

/** The arguments of a render. */
export function argsOf(example: string, dialect: Dialect): readonly string[] {
  const whereThereIs = (flag: string, file: string): readonly string[] =>
    existsSync(fileOf(example, file)) ? [`${flag}=${fileOf(example, file)}`] : [];
  return [
    fileOf(example, "xr.yaml"),
    fileOf(example, "composition.yaml"),
    dialect.functions ?? fileOf(example, "functions.yaml"),
    "--include-function-results",
    ...whereThereIs(dialect.requiredResources, "required-resources.yaml"),
    // Crossplane knows schemas from v2.2 on, as its CLI knows the flag --required-resources.
    ...(dialect.requiredResources === "--required-resources" ? whereThereIs("--required-schemas", "schemas") : []),
    ...whereThereIs("--observed-resources", "observed-resources.yaml"),
    ...whereThereIs("--context-files=apiextensions.crossplane.io/environment", "environment.json"),
    ...(showsContext(example) ? ["--include-context"] : []),
  ];
}

/** The context is printed where an example is about nothing but what later steps find in it. */
const showsContext = (example: string): boolean => /^(?:environment|context)-/.test(example);
