import { customNames, type ExternalName } from "./custom-names.ts";
import type { Source } from "./source.ts";

/** Reads the tables of a provider's config/externalname.go, by Terraform resource. */
export function readExternalNames(source: Source): ReadonlyMap<string, ExternalName> {
  const path = "config/externalname.go";
  const text = (source.read([path]).get(path) ?? "").replaceAll(/^\s*\/\/.*$/gm, "");
  const entries = text.matchAll(/^\t"(?<resource>(?:aws|azurerm|google)_\w+)":\s*(?<start>[\w.]+)/gm);
  return new Map(
    [...entries].map(({ groups, index, 0: { length } }) => {
      const [resource = "", start = ""] = [groups?.["resource"], groups?.["start"]];
      const rest = text.slice(index + length, endOfEntry(text, index + length));
      return [resource, evaluate(resource, start, rest)];
    }),
  );
}

/** An entry of a Go map ends with a comma outside of parentheses and braces, at the end of a line. */
function endOfEntry(text: string, from: number): number {
  let depth = 0;
  for (let position = from; position < text.length; position++) {
    const character = text[position] ?? "";
    if ("({[".includes(character)) depth++;
    if (")}]".includes(character)) depth--;
    if (depth === 0 && text.startsWith(",\n", position)) return position;
  }
  throw new Error(`cannot find the end of the entry at ${text.slice(from, from + 80)}`);
}

const named = (parameters: readonly string[]): ExternalName => ({ from: "metadata", isId: false, parameters });
const provided = (parameters: readonly string[]): ExternalName => ({ from: "provider", isId: false, parameters });
const composed = (parameters: readonly string[]): ExternalName => ({ from: "parameters", isId: false, parameters });

const MADE_UP: ExternalName = { from: "provider", isId: true, parameters: [] };

/** Evaluates an entry's Go expression: the call of a configuration function, whose arguments are texts. */
function evaluate(resource: string, callee: string, rest: string): ExternalName {
  const custom = customNames[resource] ?? customNames[callee];
  if (custom !== undefined) return custom;
  const [first = "", , ...keys] = [...rest.matchAll(/"(?<text>[^"]*)"/g)].map(({ groups }) => groups?.["text"] ?? "");
  switch (callee) {
    case "config.NameAsIdentifier":
    case "config.ParameterAsIdentifier":
    case "frameworkNameAsIdentifier":
      return { from: "metadata", isId: false, parameters: [] };
    case "config.IdentifierFromProvider":
    case "identifierFromProviderWithDefaultStub":
    case "identifierFromProviderWithComputedName":
      return MADE_UP;
    case "config.FrameworkResourceWithComputedIdentifier":
    case "s3vectorsComputedARNIdentifier":
      return { from: "provider", isId: false, parameters: [] };
    case "FormattedIdentifierFromProvider":
      return composed(textsAfter(rest, 1));
    case "apiGatewayFormattedIdentifier":
      return composed(textsAfter(rest, 1));
    case "FormattedIdentifierUserDefinedNameFirst":
    case "FormattedIdentifierUserDefinedNameLast":
      return named(keys);
    case "config.TemplatedStringAsIdentifier":
      return evaluateTemplate(rest, named);
    case "TemplatedStringAsProviderDefinedIdentifier":
    case "TemplatedStringAsIdentifierWithNoName":
      return evaluateTemplate(rest, provided);
    default:
      throw new Error(`cannot read the external name of ${resource}: no rule for ${callee}${first && `("${first}"…)`}`);
  }
}

const textsAfter = (rest: string, count: number): readonly string[] =>
  [...rest.matchAll(/"(?<text>[^"]*)"/g)].map(({ groups }) => groups?.["text"] ?? "").slice(count);

const PARAMETER =
  /\(index \.parameters\.(?<block>\w+) 0\)\.(?<inner>\w+)|\.param\w*\.(?<parameter>\w+)|\{\{ *\.(?<bare>(?!external_name)\w+) *\}\}/g;

function evaluateTemplate(rest: string, withName: typeof named): ExternalName {
  const parameters = [...rest.matchAll(PARAMETER)].map(
    ({ groups }) => groups?.["parameter"] ?? groups?.["bare"] ?? `${groups?.["block"]}.${groups?.["inner"]}`,
  );
  return rest.includes(".external_name") ? withName(parameters) : composed(parameters);
}

/** Reads which kind a Terraform resource is, `Bucket.s3.aws.upbound.io`, by Terraform resource. */
export function readTerraformTypes(source: Source, domain: string): ReadonlyMap<string, string> {
  const files = source.list("apis/cluster").filter((path) => path.endsWith("_terraformed.go"));
  return new Map(
    [...source.read(files)].map(([path, text]) => {
      const { kind, resource } =
        /func \(mg \*(?<kind>\w+)\) GetTerraformResourceType\(\) string \{\s*return "(?<resource>\w+)"/.exec(text)
          ?.groups ?? {};
      if (kind === undefined || resource === undefined)
        throw new Error(`cannot find the Terraform resource in ${path}`);
      const folder = path.split("/").at(-3) ?? "";
      return [`${kind}.${folder === domain.split(".")[0] ? domain : `${folder}.${domain}`}`, resource];
    }),
  );
}
