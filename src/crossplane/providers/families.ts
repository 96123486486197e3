import { type FieldPath, parseFieldPath } from "../../model/field-path.ts";
import { lazy } from "../../model/once.ts";
import { AWS } from "./aws.generated.ts";
import { AWS_CLASSIC } from "./aws-classic.generated.ts";
import { AZURE } from "./azure.generated.ts";
import { GCP } from "./gcp.generated.ts";
import { type Entry, parseEntry, parseTagField, splitTable, type Table, type TagField } from "./table.ts";

/** The clouds whose rules tags have to follow. */
export type Cloud = "AWS" | "Azure" | "GCP" | "Kubernetes";

/** A family of kinds: the rule by which they are looked up, and the facts that all of them share. docs/tags.md shows this. */
interface Family {
  /** Of the API group, without the `.m` of namespaced managed resources. */
  readonly apiGroups: RegExp;
  readonly cloud: Cloud;
  /** Where most kinds keep their tags. */
  readonly usual: TagField;
  /** True if its kinds report the cloud's tags, and with them who writes a cloud resource. */
  readonly reportsTags: boolean;
  /** The fields that say where a cloud resource of any kind is. */
  readonly places: readonly FieldPath[];
  /** The services in which two names that differ only in case are one. */
  readonly caseless?: RegExp;
  readonly table: Table;
  readonly entries: () => ReadonlyMap<string, string>;
}

const toPath = (field: FieldPath): FieldPath => ["spec", "forProvider", ...field];

const below = ({ path, shape }: TagField): TagField => ({ path: toPath(path), shape });

/** A table that is split when the first kind of its family is looked up. */
const lazily = (table: Table): Pick<Family, "table" | "entries"> => ({
  table,
  entries: lazy(() => splitTable(table.kinds)),
});

/** The places that a kind may have of which nothing else is known. */
const PLACES: readonly FieldPath[] = ["region", "location", "project"].map((field) => [field]);

/** Their identifiers are stored in lower case. Source: CreateDBInstance, CreateCacheCluster, CreateCluster of Redshift. */
const DATABASES = /^(?:rds|docdb|neptune|elasticache|memorydb|redshift|dax|database|cache)$/;

/**
 * Names of Azure Resource Manager have no case, but for what lies within some services. Source: learn.microsoft.com/azure/
 * azure-resource-manager/management/resource-name-rules.
 */
const AZURE_CASELESS = /^(?!cosmosdb$|storage$|appconfiguration$)/;

const families: readonly Family[] = [
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?aws\.upbound\.io$/,
    cloud: "AWS",
    usual: parseTagField("tags"),
    reportsTags: true,
    places: [["region"]],
    caseless: DATABASES,
    ...lazily(AWS),
  },
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?aws\.crossplane\.io$/,
    cloud: "AWS",
    usual: parseTagField("tags[key,value]"),
    reportsTags: false,
    places: [["region"]],
    caseless: DATABASES,
    ...lazily(AWS_CLASSIC),
  },
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?azure\.upbound\.io$/,
    cloud: "Azure",
    usual: parseTagField("tags"),
    reportsTags: true,
    places: [],
    caseless: AZURE_CASELESS,
    ...lazily(AZURE),
  },
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?gcp\.upbound\.io$/,
    cloud: "GCP",
    usual: parseTagField("labels"),
    reportsTags: true,
    places: ["project", "region", "location", "zone"].map((field) => [field]),
    ...lazily(GCP),
  },
];

/** Where a kind keeps its tags: `none` and `unknown` have the field where others of the family keep theirs, if there is one. */
export interface TagFact {
  readonly is: "known" | "none" | "unknown";
  readonly field: TagField | undefined;
}

/** The fields that tell two cloud resources of a kind apart. */
export interface IdentityFacts {
  readonly name: NameFact;
  /** The fields that say where it is, and which others it belongs to. */
  readonly scope: readonly FieldPath[];
  /** True if nothing is known of the kind, so that every field with a reference or a selector beside it counts as well. */
  readonly countsReferences: boolean;
  /** True if names and places that differ only in case are one. */
  readonly isCaseless?: boolean;
}

/** The source of a cloud resource's name. */
type NameFact =
  /** The external name; `defaultsToName`: where it is not set, metadata.name is. */
  | { readonly is: "externalName"; readonly defaultsToName: boolean }
  /** Fields, of which the last one has to be set. */
  | { readonly is: "fields"; readonly paths: readonly FieldPath[] }
  /** Fields that are one name together: what an association associates, and what a setting is of. */
  | { readonly is: "association"; readonly paths: readonly FieldPath[] };

/** The facts about one kind of managed resource. */
export interface KindFacts {
  readonly cloud: Cloud | undefined;
  readonly tags: TagFact;
  readonly identity: IdentityFacts;
  /** True if the external name is made up by the cloud, and is what the provider reports in status.atProvider.id. */
  readonly isNamedById: boolean;
  /** False if the provider reports nothing that tells who else writes a cloud resource. */
  readonly reportsTags: boolean;
}

const MANIFEST = "spec.forProvider.manifest";

const OBJECT: KindFacts = {
  cloud: "Kubernetes",
  tags: { is: "known", field: { path: parseFieldPath(`${MANIFEST}.metadata.labels`), shape: undefined } },
  identity: {
    name: {
      is: "fields",
      paths: ["apiVersion", "kind", "metadata.namespace", "metadata.name"].map((field) =>
        parseFieldPath(`${MANIFEST}.${field}`),
      ),
    },
    scope: [],
    countsReferences: false,
  },
  isNamedById: false,
  reportsTags: true,
};

const UNKNOWN: KindFacts = {
  cloud: undefined,
  tags: { is: "unknown", field: undefined },
  identity: toUnknownIdentity(PLACES),
  isNamedById: false,
  reportsTags: true,
};

/** Finds the facts about a kind of an API group (without `.m`). */
export function findFacts(apiGroup: string, kind: string): KindFacts {
  if (apiGroup === "kubernetes.crossplane.io" && kind === "Object") return OBJECT;
  const family = families.find(({ apiGroups }) => apiGroups.test(apiGroup));
  if (family === undefined) return UNKNOWN;
  const service = family.apiGroups.exec(apiGroup)?.groups?.["service"] ?? "-";
  const text = family.entries().get(`${service}:${kind}`);
  const facts = text === undefined ? unlisted(family) : listed(family, parseEntry(text));
  return family.caseless?.test(service) === true
    ? { ...facts, identity: { ...facts.identity, isCaseless: true } }
    : facts;
}

/** A kind of a provider that is newer or older than the table. */
const unlisted = ({ cloud, usual, reportsTags, places }: Family): KindFacts => ({
  cloud,
  reportsTags,
  tags: { is: "unknown", field: below(usual) },
  identity: toUnknownIdentity(places),
  isNamedById: false,
});

function listed({ cloud, usual, reportsTags, places }: Family, { named, isId, fields, tags }: Entry): KindFacts {
  const isAssociation = named === "fields";
  const scope = isAssociation ? places : [...places, ...fields];
  const name: NameFact = isAssociation
    ? { is: "association", paths: fields.map(toPath) }
    : { is: "externalName", defaultsToName: named === "metadata" };
  return {
    cloud,
    reportsTags,
    tags: { is: tags === "none" ? "none" : "known", field: below(typeof tags === "string" ? usual : tags) },
    identity: { name, scope: scope.map(toPath), countsReferences: false },
    isNamedById: isId,
  };
}

function toUnknownIdentity(places: readonly FieldPath[]): IdentityFacts {
  const name: NameFact = { is: "externalName", defaultsToName: false };
  return { name, scope: places.map(toPath), countsReferences: true };
}

/** The number of names that a cloud resource of a kind has. */
export const countNames = ({ name }: IdentityFacts): number => (name.is === "fields" ? name.paths.length : 1);

/** The entries of a family's table. */
export interface Listing {
  readonly source: string;
  /** By `service:Kind`. */
  readonly entries: ReadonlyMap<string, Entry>;
}

/** Everything that the tables list, for documentation and tests. */
export const listTables = (): readonly Listing[] =>
  families.map(({ table, entries }) => ({
    source: table.source,
    entries: new Map([...entries()].map(([name, text]) => [name, parseEntry(text)])),
  }));
