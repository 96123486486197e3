import { toApiGroup } from "../../src/crossplane/api-group.ts";
import { compareTexts } from "../../src/model/collections.ts";
import { type Document, documentOf, objectsAt, stringAt } from "../../src/model/document.ts";
import type { FieldPath } from "../../src/model/field-path.ts";
import { type JsonObject, toPlainText } from "../../src/model/json.ts";
import { ClusterError, type Get } from "./error.ts";

/** A kind that the API server serves, in its preferred version. */
export interface ResourceKind {
  /** "" for Kubernetes' core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural in lower case, as in paths and roles. */
  readonly plural: string;
  /** In kubectl's notation: singular, plural and short names. */
  readonly names: readonly string[];
  readonly isNamespaced: boolean;
  /** Crossplane's are `managed`, `composite` and `claim`. */
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
}

const ACCEPT = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(",");

/** Finds all installed kinds, sorted by group and kind (Kubernetes 1.27 and later). @throws {ClusterError} */
export async function discover({ get }: { readonly get: Get }): Promise<readonly ResourceKind[]> {
  const found = [...(await findKindsBelow(get, "/apis")), ...(await findKindsBelow(get, "/api"))];
  return found.sort((a, b) => compareTexts(a.group, b.group) || compareTexts(a.kind, b.kind));
}

async function findKindsBelow(get: Get, path: string): Promise<readonly ResourceKind[]> {
  const answer = await get({ verb: "get", resource: "", apiGroup: "", path }, {}, ACCEPT);
  if (answer["kind"] === "APIGroupDiscoveryList") return objectsAt(documentOf(answer), ["items"]).flatMap(readGroup);
  throw new ClusterError(
    "Refused",
    `cannot get ${path}: the API server has no aggregated discovery, which needs Kubernetes 1.27 or later`,
  );
}

/** Reads a group's kinds. Its newest version comes first; a kind may be in an older one only. */
function readGroup(item: JsonObject): readonly ResourceKind[] {
  const group = documentOf(item);
  const all = objectsAt(group, ["versions"]).flatMap((version) =>
    objectsAt(documentOf(version), ["resources"]).map((resource) =>
      toKind(stringAt(group, ["metadata", "name"]) ?? "", toPlainText(version["version"]), documentOf(resource)),
    ),
  );
  return all.filter(({ plural }, index) => all.findIndex((other) => other.plural === plural) === index);
}

function toKind(group: string, version: string, resource: Document): ResourceKind {
  const plural = stringAt(resource, ["resource"]) ?? "";
  return {
    group,
    version,
    kind: stringAt(resource, ["responseKind", "kind"]) ?? "",
    plural,
    names: [stringAt(resource, ["singularResource"]) ?? plural, plural, ...textsAt(resource, ["shortNames"])],
    isNamespaced: stringAt(resource, ["scope"]) === "Namespaced",
    categories: textsAt(resource, ["categories"]),
    verbs: textsAt(resource, ["verbs"]),
  };
}

function textsAt(document: Document, path: FieldPath): readonly string[] {
  const value = document.at(path);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/**
 * Finds kinds by a name in kubectl's notation: kind, singular, plural or short name in any case, optionally followed by the group
 * with or without a version: `Bucket`, `buckets`, `bucket.s3.aws.upbound.io`, `buckets.v1beta1.s3.aws.upbound.io`.
 */
export function findKindsByName(text: string, kinds: readonly ResourceKind[]): readonly ResourceKind[] {
  const [name = "", ...rest] = text.toLowerCase().split(".");
  const group = rest.join(".");
  return kinds.filter(
    (kind) =>
      [kind.kind.toLowerCase(), ...kind.names].includes(name) &&
      (group === "" || [kind.group, `${kind.version}.${kind.group}`].includes(group)),
  );
}

export const notInstalled = (name: string): string =>
  `cannot find the kind ${JSON.stringify(name)}: no such CRD is installed`;

export type KindReference = Readonly<Record<"apiVersion" | "kind", string>>;

/** Finds the installed kind of an object or reference, in any version. */
export const findKind = ({ kinds }: { readonly kinds: readonly ResourceKind[] }, { apiVersion, kind }: KindReference) =>
  kinds.find((one) => one.group === toApiGroup(apiVersion) && one.kind === kind);

export const toApiVersion = ({ group, version }: ResourceKind): string =>
  group === "" ? version : `${group}/${version}`;

/** Names a kind as its CustomResourceDefinition: `buckets.s3.aws.upbound.io`. */
export const toFullName = ({ plural, group }: ResourceKind): string => (group === "" ? plural : `${plural}.${group}`);
