import { type FieldPath, parseFieldPath } from "../../model/field-path.ts";
import { lazy } from "../../model/once.ts";
import { AWS } from "./aws.generated.ts";
import { AWS_CLASSIC } from "./aws-classic.generated.ts";
import { AZURE } from "./azure.generated.ts";
import { GCP } from "./gcp.generated.ts";
import {
  type KindEntry,
  parseEntry,
  parseTagField,
  splitTable,
  type Table,
  type TagField,
  USUAL_VERSIONS,
  type Versions,
} from "./table.ts";

export type Cloud = "AWS" | "Azure" | "GCP" | "Kubernetes";

/** A provider family: the facts that its kinds share, and the table of kinds that differ. */
interface Family {
  /** Matches the API group without the `.m` of namespaced managed resources. */
  readonly apiGroups: RegExp;
  readonly cloud: Cloud;
  /** The field in which most kinds keep their tags. */
  readonly usual: TagField;
  /** True if the status of managed resources reports the cloud's tags, among them the provider's own, such as `crossplane-name`. */
  readonly reportsTags: boolean;
  /** The fields below spec.forProvider with a location, such as the region. */
  readonly places: readonly FieldPath[];
  readonly accountField?: FieldPath;
  /** Matches the services whose names are case-insensitive. */
  readonly caseless?: RegExp;
  /** Matches the services that have no locations. */
  readonly global?: RegExp;
  readonly entries: () => ReadonlyMap<string, string>;
}

const toParameterPath = (field: FieldPath): FieldPath => ["spec", "forProvider", ...field];

const below = ({ path, shape }: TagField): TagField => ({ path: toParameterPath(path), shape });

/** Defers splitting a table until a kind of its family is looked up. */
const entriesOf = ({ kinds }: Table) => lazy(() => splitTable(kinds));

/** Services that store identifiers in lower case. Source: CreateDBInstance, CreateCacheCluster, CreateCluster of Redshift; RFC 4343. */
const AWS_CASELESS = /^(?:rds|docdb|neptune|elasticache|memorydb|redshift|dax|database|cache|route53)$/;

/** Services without regions: a managed resource's region identifies nothing there. Source: AWS Fault Isolation Boundaries. */
const AWS_GLOBAL = /^(?:route53|cloudfront|iam|organizations|globalaccelerator|networkmanager|shield|waf)$/;

/** Services with case-insensitive names: all but three. Source: learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules. */
const AZURE_CASELESS = /^(?!cosmosdb$|storage$|appconfiguration$)/;

const aws = { cloud: "AWS", places: [["region"]], caseless: AWS_CASELESS, global: AWS_GLOBAL } as const;

const families: readonly Family[] = [
  {
    ...aws,
    apiGroups: /^(?:(?<service>[^.]+)\.)?aws\.upbound\.io$/,
    usual: parseTagField("tags"),
    reportsTags: true,
    entries: entriesOf(AWS),
  },
  {
    ...aws,
    apiGroups: /^(?:(?<service>[^.]+)\.)?aws\.crossplane\.io$/,
    usual: parseTagField("tags[key,value]"),
    reportsTags: false,
    entries: entriesOf(AWS_CLASSIC),
  },
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?azure\.upbound\.io$/,
    cloud: "Azure",
    usual: parseTagField("tags"),
    reportsTags: true,
    places: [],
    caseless: AZURE_CASELESS,
    entries: entriesOf(AZURE),
  },
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?gcp\.upbound\.io$/,
    cloud: "GCP",
    usual: parseTagField("labels"),
    reportsTags: true,
    places: [["project"], ["region"], ["location"], ["zone"]],
    accountField: toParameterPath(["project"]),
    entries: entriesOf(GCP),
  },
];

interface TagFact {
  /** `none`: the kind has no tags. `unknown`: no table lists the kind. */
  readonly is: "known" | "none" | "unknown";
  /** The field with the tags. For `none` and `unknown` it is the family's usual field. */
  readonly field: TagField | undefined;
}

/** The fields that identify a cloud resource among those of its kind. */
export interface IdentityFacts {
  readonly name: NameFact;
  /** The fields with the cloud resource's location, such as its region, and with its parents. */
  readonly scope: readonly FieldPath[];
  /** True for an unknown kind: each field beside which the spec has a reference or selector identifies the cloud resource too. */
  readonly isUnknownKind: boolean;
  /**
   * Fields that identify the cloud resource in addition: the paths of `scopeFieldPaths` or, for an unknown kind without any, the
   * names of fields of spec.forProvider beside which the schema has a reference or selector, even if the spec sets neither.
   */
  readonly added?: ReadonlySet<string> | undefined;
  /** True if names and locations are case-insensitive. */
  readonly isCaseless?: boolean;
  /** True if the name, or its parent's, is unique in the whole cloud. */
  readonly isUnique?: boolean;
  readonly accountField?: FieldPath | undefined;
}

type NameFact =
  /** The external name; with `defaultsToName`, metadata.name where it is not set. */
  | { readonly is: "externalName"; readonly defaultsToName: boolean }
  /** Fields that form the name together. Only the last field has to be set. */
  | { readonly is: "fields"; readonly paths: readonly FieldPath[] }
  /** Fields that form one name, joined by commas, such as both ends of an association. */
  | {
      readonly is: "association";
      readonly paths: readonly FieldPath[];
      /** True if the external name is used where no field is set. */
      readonly orExternalName?: boolean;
    };

export interface KindFacts {
  readonly cloud: Cloud | undefined;
  readonly tags: TagFact;
  readonly identity: IdentityFacts;
  /** True if the cloud assigns the external name, which the provider reports in status.atProvider.id. */
  readonly isNamedById: boolean;
  readonly reportsTags: boolean;
  readonly versions: Versions;
}

const OBJECT_MANIFEST = "spec.forProvider.manifest";

const OBJECT: KindFacts = {
  cloud: "Kubernetes",
  tags: { is: "known", field: { path: parseFieldPath(`${OBJECT_MANIFEST}.metadata.labels`), shape: undefined } },
  identity: {
    name: {
      is: "fields",
      paths: ["apiVersion", "kind", "metadata.namespace", "metadata.name"].map((field) =>
        parseFieldPath(`${OBJECT_MANIFEST}.${field}`),
      ),
    },
    scope: [],
    isUnknownKind: false,
  },
  isNamedById: false,
  reportsTags: true,
  versions: { cluster: "v1alpha2", namespaced: "v1alpha1" },
};

const UNKNOWN = unlisted({ reportsTags: true, places: [["region"], ["location"], ["project"]] });

/** Finds the facts about a kind of an API group (without `.m`). */
export function findFacts(apiGroup: string, kind: string): KindFacts {
  if (apiGroup === "kubernetes.crossplane.io" && kind === "Object") return OBJECT;
  const family = families.find(({ apiGroups }) => apiGroups.test(apiGroup));
  if (family === undefined) return UNKNOWN;
  // `-`: a kind of the family's own group, such as ResourceGroup of azure.upbound.io.
  const service = family.apiGroups.exec(apiGroup)?.groups?.["service"] ?? "-";
  const text = family.entries().get(`${service}:${kind}`);
  const placed = family.global?.test(service) === true ? { ...family, places: [] } : family;
  const facts = text === undefined ? unlisted(placed) : listed(placed, parseEntry(text));
  return family.caseless?.test(service) === true
    ? { ...facts, identity: { ...facts.identity, isCaseless: true } }
    : facts;
}

type FamilyFacts = Pick<Family, "reportsTags" | "places"> & Partial<Pick<Family, "cloud" | "usual">>;

function unlisted({ cloud, usual, reportsTags, places }: FamilyFacts): KindFacts {
  const name: NameFact = { is: "externalName", defaultsToName: false };
  return {
    cloud,
    reportsTags,
    versions: USUAL_VERSIONS,
    tags: { is: "unknown", field: usual && below(usual) },
    identity: { name, scope: places.map(toParameterPath), isUnknownKind: true },
    isNamedById: false,
  };
}

function listed(family: Family, { named, isId, isUnique, fields, tags, versions }: KindEntry): KindFacts {
  const { cloud, usual, reportsTags, places, accountField } = family;
  const isAssociation = named === "fields" || named === "either";
  const scope = isAssociation ? places : [...places, ...fields];
  const name: NameFact = isAssociation
    ? { is: "association", paths: fields.map(toParameterPath), orExternalName: named === "either" }
    : { is: "externalName", defaultsToName: named === "metadata" };
  return {
    cloud,
    reportsTags,
    versions,
    tags: { is: tags === "none" ? "none" : "known", field: below(typeof tags === "string" ? usual : tags) },
    identity: { name, scope: scope.map(toParameterPath), isUnknownKind: false, isUnique, accountField },
    isNamedById: isId,
  };
}

/** Counts the parts of a cloud resource's name: more than one only for an Object. The fields of an association form one part. */
export const countNames = ({ name }: IdentityFacts): number => (name.is === "fields" ? name.paths.length : 1);
