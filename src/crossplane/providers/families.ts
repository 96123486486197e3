import { type FieldPath, parseFieldPath } from "../../model/field-path.ts";
import { EXTERNAL_NAME } from "../metadata.ts";
import { AWS_KINDS } from "./aws-kinds.ts";
import { AWS_UNTAGGED_KINDS } from "./aws-untagged-kinds.ts";
import { AZURE_KINDS } from "./azure-kinds.ts";
import { AZURE_UNTAGGED_KINDS } from "./azure-untagged-kinds.ts";

/** The clouds whose rules tags have to follow. */
export type Cloud = "AWS" | "Azure" | "GCP" | "Kubernetes";

/** The facts about one family of providers. docs/tags.md shows this table. */
export interface Family {
  /** Of the API group, without the `.m` of namespaced managed resources. */
  readonly apiGroups: RegExp;
  readonly kinds?: RegExp;
  readonly cloud: Cloud;
  readonly fieldPath: FieldPath;
  /** Kinds that have the field, as service:Kind, or all of them. */
  readonly taggable: ReadonlySet<string> | "all";
  /** Kinds that do not have it. For kinds in neither set, a schema or the resource itself tells. */
  readonly untaggable: ReadonlySet<string>;
  /** The fields that name the cloud resource. The last one has to be set. */
  readonly name: readonly FieldPath[];
  /** The fields that say where the cloud resource is. A parent's name counts only where the desired resource sets or refers to it. */
  readonly scope: readonly FieldPath[];
}

const paths = (parent: string, names: string): readonly FieldPath[] =>
  names.split(/\s+/).map((name) => parseFieldPath(`${parent}.${name}`));

function kindsOf(table: string): ReadonlySet<string> {
  const kinds = new Set<string>();
  let service = "";
  for (const word of table.split(/\s+/)) {
    if (word.endsWith(":")) service = word.slice(0, -1);
    else if (word !== "") kinds.add(`${service}:${word}`);
  }
  return kinds;
}

const NONE: ReadonlySet<string> = new Set();

const FOR_PROVIDER = "spec.forProvider";
const MANIFEST = `${FOR_PROVIDER}.manifest`;

const families: readonly Family[] = [
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?aws\.upbound\.io$/,
    cloud: "AWS",
    fieldPath: parseFieldPath(`${FOR_PROVIDER}.tags`),
    taggable: kindsOf(AWS_KINDS),
    untaggable: kindsOf(AWS_UNTAGGED_KINDS),
    name: [EXTERNAL_NAME],
    scope: paths(FOR_PROVIDER, "region apiId bucket catalogId cluster clusterName restApiId userPoolId"),
  },
  {
    apiGroups: /^(?:[^.]+\.)?aws\.crossplane\.io$/,
    cloud: "AWS",
    fieldPath: parseFieldPath(`${FOR_PROVIDER}.tags`),
    taggable: NONE,
    untaggable: NONE,
    name: [EXTERNAL_NAME],
    scope: paths(FOR_PROVIDER, "region apiID clusterName functionName restAPIID userPoolID"),
  },
  {
    apiGroups: /^(?:(?<service>[^.]+)\.)?azure\.upbound\.io$/,
    cloud: "Azure",
    fieldPath: parseFieldPath(`${FOR_PROVIDER}.tags`),
    taggable: kindsOf(AZURE_KINDS),
    untaggable: kindsOf(AZURE_UNTAGGED_KINDS),
    name: [EXTERNAL_NAME],
    scope: paths(
      FOR_PROVIDER,
      "resourceGroupName subscriptionId accountId accountName apiManagementName automationAccountName clusterId " +
        "clusterName dataFactoryId hostGroupId kubernetesClusterId kustoClusterName labName managedHsmId namespaceId " +
        "namespaceName parentId profileName serverId serverName storageAccountId storageAccountName synapseWorkspaceId " +
        "vaultId vaultName virtualHubId virtualMachineId virtualNetworkName virtualWanId workspaceId workspaceName zoneName",
    ),
  },
  {
    apiGroups: /^(?:[^.]+\.)?gcp\.upbound\.io$/,
    cloud: "GCP",
    fieldPath: parseFieldPath(`${FOR_PROVIDER}.labels`),
    taggable: NONE,
    untaggable: NONE,
    name: [EXTERNAL_NAME],
    scope: paths(
      FOR_PROVIDER,
      "project region location zone bucket cluster dataset datasetId gateway instance keyRing lake network service topic",
    ),
  },
  {
    apiGroups: /^kubernetes\.crossplane\.io$/,
    kinds: /^Object$/,
    cloud: "Kubernetes",
    fieldPath: parseFieldPath(`${MANIFEST}.metadata.labels`),
    taggable: "all",
    untaggable: NONE,
    name: paths(MANIFEST, "apiVersion kind metadata.namespace metadata.name"),
    scope: [],
  },
];

/** The family of an API group (without `.m`) and kind. */
export const familyOf = (apiGroup: string, kind: string): Family | undefined =>
  families.find(({ apiGroups, kinds }) => apiGroups.test(apiGroup) && (kinds?.test(kind) ?? true));

/** Tells whether the kind has the tag field; undefined where the family's table has no answer. */
export function isTaggable(
  { taggable, untaggable, apiGroups }: Family,
  apiGroup: string,
  kind: string,
): boolean | undefined {
  const name = `${apiGroups.exec(apiGroup)?.groups?.["service"] ?? "-"}:${kind}`;
  if (taggable === "all" || taggable.has(name)) return true;
  return untaggable.has(name) ? false : undefined;
}
