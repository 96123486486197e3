import { associations, idempotent, parents, unique } from "./corrections.ts";
import type { Kind } from "./crd.ts";
import type { ExternalName } from "./custom-names.ts";
import { schemaAt } from "./tags.ts";

/** The fields that identify a cloud resource of a kind. */
export interface KindIdentity {
  /** `unknown` where nothing but the CRD tells. */
  readonly from: ExternalName["from"] | "either" | "unknown";
  readonly isId: boolean;
  /** True if no other account can have one of that name. */
  readonly isUnique: boolean;
  /** Fields below spec.forProvider, beside those that every kind of the family has. */
  readonly fields: readonly string[];
}

/** A family of kinds, and the fields that say where any of them is. */
export interface Places {
  readonly domain: string;
  readonly fields: readonly string[];
}

/**
 * Derives what identifies a kind: an association by the fields that it associates, any other by its external name, the arguments that
 * its Terraform ID is made of, and the parents that the ID does not say. A reference alone does not count: many of the fields that
 * references fill in can change in place.
 */
export function toIdentity(versions: readonly Kind[], name: ExternalName | undefined, places: Places): KindIdentity {
  const [{ kind = "", group = "" } = {}] = versions;
  const key = `${kind}.${serviceOf(group, places.domain)}`;
  const fields = fieldsOf(versions);
  const toFields = (...lists: readonly (readonly string[])[]): readonly string[] =>
    [...new Set(lists.flat())].filter((field) => !places.fields.includes(field));

  const { domain } = places;
  const once = idempotent[domain]?.get(key);
  const association = once ?? associations[places.domain]?.get(key) ?? toBinding(kind, fields);
  const isId = name?.isId ?? false;
  if (association !== undefined) {
    assertKnown(association, fields, key);
    const from = once === undefined ? "parameters" : "either";
    return { from, isId, isUnique: isUnique(key, association, domain), fields: toFields(association) };
  }
  const further = parents[places.domain]?.get(key);
  assertKnown(further ?? [], fields, key);
  const ofId = toParents(name, fields, versions);
  if (ofId.includes("") && further === undefined)
    throw new Error(`cannot find all of ${name?.parameters.join(", ")} among the fields of ${key}: name its parents`);
  const own = toFields(ofId.filter(Boolean), further ?? []);
  return { from: name?.from ?? "unknown", isId, isUnique: isUnique(key, own, domain), fields: own };
}

const toParents = (name: ExternalName | undefined, fields: ReadonlySet<string>, versions: readonly Kind[]) =>
  (name?.parameters ?? []).map((parameter) => toField(parameter, fields, versions) ?? "");

/** Tells whether no other account can have a cloud resource of that name, or of that parent. */
function isUnique(key: string, fields: readonly string[], domain: string): boolean {
  const kinds = unique[domain] ?? new Map<string, readonly string[]>();
  const service = key.slice(key.indexOf("."));
  const parents = [...kinds].flatMap(([kind, names]) => (kind.endsWith(service) ? names : []));
  return kinds.has(key) || fields.some((field) => parents.includes(field));
}

/** The service of an API group, `s3` of `s3.aws.upbound.io`, and `-` for the family's own group. */
export const serviceOf = (group: string, domain: string): string =>
  group === domain ? "-" : group.slice(0, -domain.length - 1);

const fieldsOf = (versions: readonly Kind[]): ReadonlySet<string> =>
  new Set(
    versions.flatMap((kind) => [...kind.versions.values()].flatMap(({ properties }) => Object.keys(properties ?? {}))),
  );

/** In GCP a member of a role is identified by all that it has: whose role it is, the role, the member and the condition. */
function toBinding(kind: string, fields: ReadonlySet<string>): readonly string[] | undefined {
  const not = /IAMMember$/.test(kind)
    ? []
    : /IAMBinding$/.test(kind)
      ? ["members"]
      : ["policyData", "role", "member", "members"];
  if (!/IAM(?:Member|Binding|Policy)$/.test(kind)) return undefined;
  return [...fields].filter((field) => !/(?:Ref|Refs|Selector)$/.test(field) && !not.includes(field));
}

function assertKnown(named: readonly string[], fields: ReadonlySet<string>, key: string): void {
  const unknown = named.filter((field) => !fields.has(field.split(".")[0] ?? ""));
  if (unknown.length > 0) throw new Error(`cannot correct ${key}: it has no ${unknown.join(", ")}`);
}

/** The field of a Terraform argument: `restApiId` of `rest_api_id`. An argument that is omitted from the CRD has none. */
function toField(parameter: string, fields: ReadonlySet<string>, versions: readonly Kind[]): string | undefined {
  const [step = "", ...inner] = parameter.split(".").map(toPlain);
  const field = [...fields].find((candidate) => candidate.toLowerCase() === step);
  if (field === undefined || inner.length === 0) return field;
  const names = versions.flatMap((kind) =>
    [...kind.versions.values()].flatMap((schema) => {
      const block = schemaAt(schema, [field]);
      return Object.keys(block?.properties ?? block?.items?.properties ?? {});
    }),
  );
  const name = names.find((candidate) => candidate.toLowerCase() === inner[0]);
  return name === undefined ? undefined : `${field}.${name}`;
}

const toPlain = (parameter: string): string => parameter.replaceAll("_", "").toLowerCase();
