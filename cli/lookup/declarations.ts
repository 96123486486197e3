import { toApiGroup, withoutScope } from "../../src/crossplane/api-group.ts";
import { toComposite } from "../../src/crossplane/composite.ts";
import { readManagedKind } from "../../src/crossplane/managed-resource.ts";
import { ALL_ACTIONS, mayDelete, mayWrite, readPolicies } from "../../src/crossplane/management-policies.ts";
import { readAnnotation } from "../../src/crossplane/metadata.ts";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { formatReference, toReference } from "../../src/crossplane/references.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import { type FieldPath, formatFieldPath } from "../../src/model/field-path.ts";
import { type JsonObject, toPlainText } from "../../src/model/json.ts";
import { formatOwner, OWNER } from "../../src/ownership/annotations.ts";
import { type ResourceQuery, readQuery } from "./holding.ts";
import type { MappedResource, Mapping, Source } from "./mapping.ts";

/** A cloud resource that an XR, a claim or a managed resource declares. */
export interface Declaration {
  /** The owner to be, as `Kind.group/namespace/name`: the claim or XR; for a managed resource its owner by the annotation, or itself. */
  readonly owner: string;
  /** The declaring object, if it is a managed resource: `Bucket.s3.aws.upbound.io/orders`. */
  readonly self?: string;
  readonly query: ResourceQuery;
  /** The field that names the cloud resource. */
  readonly path: FieldPath;
}

export interface Declared {
  readonly declarations: readonly Declaration[];
  /** Warnings about cloud resources in the mapping whose names cannot be read from the object. */
  readonly doubts: readonly string[];
  /** False for an object that is no managed resource, and whose kind no mapping has: what it declares is not known. */
  readonly isKnown: boolean;
}

export const NOTHING: Declared = { declarations: [], doubts: [], isKnown: true };

/** Reads a Kubernetes object; undefined for anything else. With `generateName`, the name is that prefix and a `*`. */
export function toNamed(object: JsonObject): Document | undefined {
  const document = documentOf(object);
  const { apiVersion, kind, name } = toReference(document);
  if (apiVersion === "" || kind === "") return undefined;
  if (name !== "") return document;
  const beginning = stringAt(document, ["metadata", "generateName"]);
  return beginning === undefined ? undefined : document.with([{ path: ["metadata", "name"], value: `${beginning}*` }]);
}

interface ReadOptions {
  /** True to read managed resources that only observe, too. */
  readonly includeObservers?: boolean;
  /** False if any user may have written the object's ownership marks. */
  readonly trustsMarks?: boolean;
}

/**
 * Finds the cloud resources that an object declares: those in the mapping of an XR or claim, or the one that a managed
 * resource names. A managed resource that only observes, as those of the function do at first, declares none: it takes
 * nothing from an owner.
 */
export function findDeclarations(object: JsonObject, mappings: readonly Mapping[], options: ReadOptions = {}) {
  const document = toNamed(object);
  if (document === undefined) return { ...NOTHING, isKnown: false };
  const { apiVersion, kind } = toReference(document);
  const mapping = mappings.find((one) => one.apiGroup === toApiGroup(apiVersion) && one.kind === kind);
  if (mapping !== undefined) return byMapping(document, mapping);
  const managed = readManagedKind(document);
  const isManaged =
    findFacts(managed.group, managed.kind).cloud !== undefined || document.at(["spec", "forProvider"]) !== undefined;
  return isManaged ? byItself(document, options) : { ...NOTHING, isKnown: false };
}

function byItself(document: Document, { includeObservers = false, trustsMarks = true }: ReadOptions): Declared {
  const { query, path } = readQuery(document);
  if (query.names.at(-1) === "") return NOTHING; // its provider makes up the name
  const isObserver = !mayWrite(readPolicies(document) ?? ALL_ACTIONS) && !mayDelete(document);
  if (isObserver && !includeObservers) return NOTHING;
  const self = formatReference(toReference(document));
  const owner = (trustsMarks ? readAnnotation(document, OWNER) : undefined) ?? self;
  return { ...NOTHING, declarations: [{ owner, self, query, path }] };
}

function byMapping(document: Document, { resources }: Mapping): Declared {
  const read = resources.map((resource) => readMapped(resource, document));
  const doubts = read.filter((one) => typeof one === "string");
  return { declarations: read.filter((one) => typeof one !== "string"), doubts, isKnown: true };
}

function readMapped(resource: MappedResource, document: Document): Declaration | string {
  const { apiGroup, kind, names, providerConfig, scope } = resource;
  const path = names.at(-1)?.find((part) => typeof part !== "string") ?? ["kind"];
  const texts = names.map((source) => readSource(source, document));
  // An Object's namespace may be missing; a name may not.
  if (texts.at(-1) === undefined) return `cannot tell which ${kind} it represents: ${formatFieldPath(path)} is not set`;
  const places = Object.entries(scope).flatMap(([field, source]) => {
    const text = readSource(source, document);
    return text === undefined ? [] : [[field, text] as const];
  });
  const query = {
    group: withoutScope(apiGroup),
    kind,
    names: texts.map((text) => text ?? ""),
    providerConfig: providerConfig && readSource(providerConfig, document),
    scope: new Map(places),
  };
  return { owner: formatOwner(toComposite(document)), query, path };
}

function readSource(source: Source, document: Document): string | undefined {
  // A number or a boolean is read as its text: Compositions convert it as well.
  const parts = source.map((part) => (typeof part === "string" ? part : toPlainText(document.at(part)) || undefined));
  return parts.includes(undefined) ? undefined : parts.join("");
}
