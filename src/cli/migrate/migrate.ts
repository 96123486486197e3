import { type Document, isMap, isSeq, parseAllDocuments, type YAMLMap } from "yaml";
import { FunctionError } from "../../errors.ts";
import { faultsIn } from "../../input/parse.ts";
import { API_VERSION, inputSchema, KIND } from "../../input/schema.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { readText } from "../read-text.ts";
import { toRun } from "../run.ts";
import { migrateCommand } from "./command.ts";
import { fromEnvironmentConfigs } from "./environment-configs.ts";
import { fromExtraResources } from "./extra-resources.ts";
import { fromTagManager } from "./tag-manager.ts";
import type { Translated } from "./translate.ts";

/** `migrate`: rewrites the steps of other functions. */
export const run = toRun(migrateCommand, async (line, host) => {
  const name = line.text("function");
  const [file = ""] = line.arguments;
  if (file === "") line.addFault("no Composition is given");
  line.expectNoMoreArguments(1);
  line.finish({});
  const { text, remarks } = migrate(file === "-" ? await host.readInput() : readText(file), name);
  host.print(text);
  for (const remark of remarks) host.printError(`${remark}\n`);
  return remarks.length === 0 ? 0 : 1;
});

/** Translations by the input's API group and kind. A Function's name may differ in each cluster. */
const TRANSLATIONS: Readonly<Record<string, (input: JsonObject) => Translated>> = {
  "extra-resources.fn.crossplane.io/Input": fromExtraResources,
  "environmentconfigs.fn.crossplane.io/Input": fromEnvironmentConfigs,
  "tag-manager.fn.crossplane.io/ManagedTags": fromTagManager,
};

/** Rewrites all Compositions of a YAML stream. @throws {FunctionError} `InvalidInput` where it is not YAML. */
export function migrate(text: string, functionName: string): Omit<Translated, "spec"> & { readonly text: string } {
  const documents = parseAllDocuments(text);
  const remarks: string[] = [];
  for (const document of "empty" in documents ? [] : documents) {
    const [fault] = document.errors;
    if (fault) throw new FunctionError("InvalidInput", `cannot read the Composition: ${fault.message}`);
    if (document.get("kind") === "Composition") remarks.push(...migrateSteps(document, functionName));
  }
  return { text: documents.map((document) => document.toString(detectStyle(text))).join(""), remarks };
}

/** Keeps the indentation of lists, and does not fold long lines. */
const detectStyle = (text: string) => ({ lineWidth: 0, indentSeq: !/^( *)[^\s-].*:(?: *#.*)?\n\1- /m.test(text) });

function migrateSteps(document: Document.Parsed, functionName: string): readonly string[] {
  const pipeline = document.getIn(["spec", "pipeline"]);
  if (!isSeq(pipeline)) return [];
  return pipeline.items.flatMap((step) => (isMap(step) ? migrateStep(document, step, functionName) : []));
}

function migrateStep(document: Document.Parsed, step: YAMLMap, functionName: string): readonly string[] {
  const { input, step: name } = step.toJS(document) as { readonly input?: unknown; readonly step?: unknown };
  if (!isObject(input)) return [];
  const [group = ""] = String(input["apiVersion"]).split("/");
  const translation = TRANSLATIONS[`${group}/${String(input["kind"])}`];
  if (translation === undefined) return [];
  const { spec, remarks } = translation(input as JsonObject);
  const translated = { apiVersion: API_VERSION, kind: KIND, spec };
  const before = step.get("input", true);
  const node = document.createNode(translated);
  if (isMap(before)) keepComments(before, node);
  step.set("input", node);
  step.setIn(["functionRef", "name"], functionName);
  const parsed = inputSchema.safeParse(translated, { reportInput: true });
  const faults = parsed.success
    ? []
    : faultsIn(parsed.error, inputSchema).map(({ path, message }) => `${path}: ${message}`);
  return [...remarks, ...faults].map((remark) => `step ${JSON.stringify(name)}: ${remark}`);
}

/** Moves the comments inside an input above the new one: the fields that they were at may have gone. */
function keepComments(before: YAMLMap, node: { commentBefore?: string | null }): void {
  const comments = collectComments(before);
  if (comments.length > 0) node.commentBefore = comments.join("\n");
}

function collectComments(node: unknown): readonly string[] {
  if (typeof node !== "object" || node === null) return [];
  const { commentBefore, comment, items, key, value } = node as Readonly<Record<string, unknown>>;
  const inner = [...(Array.isArray(items) ? (items as unknown[]) : []), key, value].flatMap(collectComments);
  return [commentBefore, ...inner, comment].filter((text): text is string => typeof text === "string" && text !== "");
}
