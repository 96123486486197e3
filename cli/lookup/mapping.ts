import * as z from "zod";
import { withoutScope } from "../../src/crossplane/api-group.ts";
import { countNames, findFacts } from "../../src/crossplane/providers/families.ts";
import { FunctionError } from "../../src/errors.ts";
import { faultsIn } from "../../src/input/faults.ts";
import { converted, exactlyOneOf, fieldPath, text } from "../../src/input/fields.ts";
import { INPUT_API_VERSION } from "../../src/input/schema.ts";
import { type FieldsText, parseFieldsText } from "../../src/model/template.ts";

/**
 * A mapping: the cloud resources that XRs and claims represent, for `preflight` and `admission`. It repeats how their
 * Compositions name them, since only Crossplane can run a Composition.
 */

/** A text with fields of the XR or claim. */
export type Source = FieldsText;

const template = text.pipe(converted(parseFieldsText));

const source = z
  .union([
    template,
    z.strictObject({ fromFieldPath: fieldPath }).transform(({ fromFieldPath: path }): Source => [path]),
  ])
  .describe(
    "A text with field paths of the XR or claim in braces, such as {spec.parameters.team}-logs; or fromFieldPath with such a path.",
  );

/** The resource that an Object of provider-kubernetes manages. */
const manifest = z.strictObject({ apiVersion: source, kind: source, namespace: source.optional(), name: source });

const NONE: Source = [""];

/** Finds the fields of spec.forProvider that locate cloud resources of a kind. */
export const findScopeFields = (group: string, kind: string): readonly string[] =>
  findFacts(withoutScope(group), kind).identity.scope.map((path) => String(path.at(-1)));

export const describeUnknownScope = (kind: string, known: ReadonlySet<string>): string =>
  `not a location field of ${kind}, which has ${[...known].sort().join(", ") || "none"}`;

const resource = exactlyOneOf(
  z.strictObject({
    apiGroup: z.string().min(1).describe("The managed resource's API group, such as s3.aws.upbound.io."),
    kind: z.string().min(1).describe("The managed resource's kind, such as Bucket."),
    externalName: source
      .optional()
      .describe("What its Composition writes into metadata.annotations[crossplane.io/external-name]."),
    manifest: manifest
      .optional()
      .describe("For an Object of provider-kubernetes, in place of externalName: what it manages."),
    providerConfig: source.optional().describe("The name of its ProviderConfig. Default: any."),
    scope: z
      .record(z.string(), source)
      .prefault({})
      .describe(
        "Its location, by field of spec.forProvider, such as region. A field that is not given matches any value.",
      ),
  }),
  ["externalName", "manifest"],
)
  .superRefine(({ apiGroup, kind, externalName, scope }, check) => {
    const { identity } = findFacts(withoutScope(apiGroup), kind);
    const hasManifest = countNames(identity) > 1;
    if (hasManifest === (externalName !== undefined)) {
      const [wrong, right] = hasManifest ? ["externalName", "manifest"] : ["manifest", "externalName"];
      const message = `not allowed for ${hasManifest ? "an Object" : `a ${kind}`}: set ${right}`;
      check.addIssue({ code: "custom", path: [wrong], message });
    }
    const known = new Set(findScopeFields(apiGroup, kind));
    for (const field of Object.keys(scope).filter((name) => !known.has(name))) {
      check.addIssue({ code: "custom", path: ["scope", field], message: describeUnknownScope(kind, known) });
    }
  })
  .transform(({ externalName = NONE, manifest: object, ...rest }) => {
    if (object === undefined) return { ...rest, names: [externalName] };
    const { apiVersion, kind, namespace = NONE, name } = object;
    return { ...rest, names: [apiVersion, kind, namespace, name] }; // in the order in which the function names an Object
  });

const mapping = z.strictObject({
  apiGroup: z.string().min(1).describe("The API group of the XR or claim, in any version."),
  kind: z.string().min(1).describe("Its kind."),
  resources: z.array(resource).min(1).describe("The cloud resources that one of them represents."),
});

/** One schema for the validation here and for editors (deploy/mapping.schema.json). */
export const mappingSchema = z.strictObject({
  apiVersion: z.literal(INPUT_API_VERSION),
  kind: z.literal("IdentityMapping"),
  mappings: z.array(mapping).min(1).describe("One for each kind of XR or claim."),
});

export type Mapping = z.output<typeof mapping>;
export type MappedResource = z.output<typeof resource>;

/** Validates a mapping file's content. @throws {FunctionError} `InvalidInput`, with every fault on a line of its own. */
export function parseMapping(content: unknown, file: string): readonly Mapping[] {
  const parsed = mappingSchema.safeParse(content, { reportInput: true });
  if (parsed.success) return parsed.data.mappings;
  const faults = faultsIn(parsed.error, mappingSchema).map(({ path, message }) => `  ${path}: ${message}`);
  throw new FunctionError("InvalidInput", [`cannot use the mapping ${file}:`, ...faults].join("\n"));
}
