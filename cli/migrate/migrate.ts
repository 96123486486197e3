import { type Document, isMap, isScalar, isSeq, parseAllDocuments, stringify, type YAMLMap, type YAMLSeq } from "yaml";
import { FunctionError } from "../../src/errors.ts";
import { faultsIn } from "../../src/input/faults.ts";
import { INPUT_API_VERSION, INPUT_KIND, inputSchema } from "../../src/input/schema.ts";
import { isObject, type JsonObject, toPlainText } from "../../src/model/json.ts";
import { readText } from "../files.ts";
import type { Host } from "../host.ts";
import { columnAt, commentsIn, type Edit, placeOf, replaceValue, withEdits } from "./text.ts";
import { fromEnvironmentConfigs, fromExtraResources, fromTagManager, Reader, type Translate } from "./translate.ts";

/** Rewrites the steps of other functions in a file, `-` for standard input. @returns the exit code. */
export async function run(file: string, functionName: string, host: Host): Promise<number> {
  const { text, remarks } = migrate(file === "-" ? await host.readInput() : readText(file), functionName);
  host.print(text);
  for (const remark of remarks) host.printError(`${remark}\n`);
  return remarks.length === 0 ? 0 : 1;
}

/** Translations by the input's API group; these functions read no version and no kind. A Function's name may differ in each cluster. */
const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  "extra-resources.fn.crossplane.io": fromExtraResources,
  "environmentconfigs.fn.crossplane.io": fromEnvironmentConfigs,
  "tag-manager.fn.crossplane.io": fromTagManager,
  // As function-tag-manager's README had it up to v0.4.
  "tag-manger.fn.crossplane.io": fromTagManager,
};

const USUAL_NAME = /function-(?:extra-resources|environment-configs|tag-manager)$/;

/** The annotation, and once the label, of a resource that function-tag-manager leaves alone. */
const IGNORE_RESOURCE = "tag-manager.fn.crossplane.io/ignore-resource";

interface Migrated {
  readonly edits: readonly Edit[];
  readonly remarks: readonly string[];
}

/**
 * Rewrites the steps in all Compositions of a YAML stream; every other character stays.
 *
 * @throws {FunctionError} `InvalidInput` if it is not YAML, or if an alias refers to a part that is removed.
 */
export function migrate(text: string, functionName: string) {
  const migrated = readDocuments(text, "cannot read the Composition").flatMap((document) =>
    compositionsIn(document).flatMap((composition) => migrateSteps(composition, { document, text, functionName })),
  );
  const edits = migrated.flatMap((step) => step.edits);
  const remarks = migrated.flatMap((step) => step.remarks);
  if (edits.length === 0) return { text, remarks };
  const edited = withEdits(text, edits);
  readDocuments(edited, "cannot translate an input with an anchor that is used outside of it");
  // Resources are marked where they are composed, which may be in a template.
  if (text.includes(IGNORE_RESOURCE))
    remarks.push(`${IGNORE_RESOURCE}: here the input names such resources in spec.tags.ignore`);
  return { text: edited, remarks };
}

function readDocuments(text: string, problem: string): readonly Document.Parsed[] {
  const documents = parseAllDocuments(text, { merge: true });
  try {
    for (const document of documents) {
      if (document.errors[0] !== undefined) throw document.errors[0];
      document.toJS({ mapAsMap: true }); // follows the aliases; a template's {{ key }} is no text
    }
  } catch (error) {
    throw new FunctionError("InvalidInput", `${problem}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return documents;
}

/** The document itself, or the items of a List. */
function compositionsIn({ contents }: Document.Parsed): readonly YAMLMap[] {
  if (!isMap(contents)) return [];
  const items = kindOf(contents) === "List" ? contents.get("items") : undefined;
  const objects = isSeq(items) ? items.items.filter((item) => isMap(item)) : [contents];
  return objects.filter((object) => kindOf(object) === "Composition");
}

const kindOf = (object: YAMLMap): unknown => object.get("kind");

interface Source {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly functionName: string;
  /** True if the Composition indents lists below their keys. */
  readonly indentSeq: boolean;
}

function migrateSteps(composition: YAMLMap, source: Omit<Source, "indentSeq">): readonly Migrated[] {
  const spec = composition.get("spec");
  const pipeline = isMap(spec) ? spec.get("pipeline") : undefined;
  if (!isMap(spec) || !isSeq(pipeline)) return [];
  const columnOf = ({ range }: YAMLMap | YAMLSeq): number => columnAt(range?.[0] ?? 0, source.text);
  const indentSeq = columnOf(pipeline) > columnOf(spec);
  return pipeline.items.filter((step) => isMap(step)).map((step) => migrateStep(step, { ...source, indentSeq }));
}

function migrateStep(step: YAMLMap, source: Source): Migrated {
  const { input, step: name, functionRef } = step.toJS(source.document) as Readonly<Record<string, unknown>>;
  const called = isObject(functionRef) ? toPlainText(functionRef["name"]) : "";
  const { edits, remarks } = isObject(input) ? translateInput(input, step, source) : NOT_TRANSLATED;
  const isLeft = edits.length === 0 && USUAL_NAME.test(called);
  const all = isLeft ? [`not translated: ${called} has no input that is known`] : remarks;
  return { edits, remarks: all.map((remark) => `step ${JSON.stringify(name)}: ${remark}`) };
}

const NOT_TRANSLATED: Migrated = { edits: [], remarks: [] };

function translateInput(input: JsonObject, step: YAMLMap, source: Source): Migrated {
  const [group = ""] = toPlainText(input["apiVersion"]).split("/");
  const translation = Object.hasOwn(TRANSLATIONS, group) ? TRANSLATIONS[group] : undefined;
  if (translation === undefined) return NOT_TRANSLATED;
  const reader = new Reader();
  const translated = { apiVersion: INPUT_API_VERSION, kind: INPUT_KIND, spec: translation(reader, input) };
  const parsed = inputSchema.safeParse(translated, { reportInput: true });
  const faults = parsed.success
    ? []
    : faultsIn(parsed.error, inputSchema).map(({ path, message }) => `${path}: ${message}`);
  const replaced = replaceInput(step, translated, source);
  const edits = [...renameFunction(step, source), ...replaced.edits].sort((a, b) => a.start - b.start);
  return { edits, remarks: [...reader.remarks, ...faults, ...replaced.remarks] };
}

/** An alias stays: it is another step's input, which is translated there. */
function replaceInput(step: YAMLMap, translated: JsonObject, { text, indentSeq }: Source): Migrated {
  const before = step.get("input", true);
  const place = isMap(before) ? placeOf(before, text) : undefined;
  if (place === undefined) return NOT_TRANSLATED;
  const isLost = place.isFlow && commentsIn(place).length > 0;
  return {
    edits: [replaceValue(place, translated, indentSeq)],
    remarks: isLost ? ["the comments between the braces of its input are left out"] : [],
  };
}

function renameFunction(step: YAMLMap, { text, functionName }: Source): readonly Edit[] {
  const name = step.getIn(["functionRef", "name"], true);
  const place = isScalar(name) ? placeOf(name, text) : undefined;
  return place === undefined ? [] : [{ start: place.start, end: place.end, text: stringify(functionName).trimEnd() }];
}
