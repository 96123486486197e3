import { SHARED_RESOURCE, SHARED_RESOURCE_LABEL } from "../../../crossplane/copies.ts";
import { OBSERVE, readPolicies } from "../../../crossplane/management-policies.ts";
import { readAnnotation, readLabel } from "../../../crossplane/metadata.ts";
import type { Document } from "../../../model/document.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { parseFieldPath } from "../../../model/field-path.ts";
import { isObject, type JsonObject } from "../../../model/json.ts";
import { OWNER } from "../../../ownership/owner.ts";
import type { Call } from "../../feature.ts";
import { pick } from "../../observed.ts";
import { EARLIER_RESOURCES } from "../source.ts";
import type { Part } from "../verdict.ts";
import { SOURCE_VERSION } from "./compose.ts";
import { isPublisher, isReady, isReleased, isSecret, type ObservedCopy } from "./observed.ts";

const REFERENCES = parseFieldPath("spec.references");

const DESIRED_OF_OBJECT = [
  "apiVersion",
  "kind",
  "spec.forProvider.manifest.apiVersion",
  "spec.forProvider.manifest.kind",
  "spec.forProvider.manifest.metadata",
  "spec.forProvider.manifest.type",
  "spec.providerConfigRef",
  "spec.references",
  "spec.connectionDetails",
  "spec.writeConnectionSecretToRef",
].map(parseFieldPath);

const POLICIES = parseFieldPath("spec.managementPolicies");

const DESIRED_OF_SECRET = [
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "type",
  "data",
].map(parseFieldPath);

const MANIFEST_DATA = parseFieldPath("spec.forProvider.manifest.data");
const OUR_ANNOTATIONS = [OWNER, SHARED_RESOURCE, EARLIER_RESOURCES, SOURCE_VERSION];

/**
 * Desires a copy exactly as we desired it before, with its management policies and its recorded origin. Fields that others set
 * are left out: with server-side apply they would become ours, and be removed once we no longer desire them. Data that the
 * provider filled in is not read.
 */
function asDesired(observed: Document): JsonObject {
  if (isSecret(observed)) return pick(observed, DESIRED_OF_SECRET);
  const paths = [...DESIRED_OF_OBJECT];
  // All is the default: of an Object that is not limited we never said so.
  if (readPolicies(observed)?.includes("*") === false) paths.push(POLICIES);
  // Where the provider fills in the data, it does so by references.
  if (observed.at(REFERENCES) === undefined) paths.push(MANIFEST_DATA);
  const object = pick(observed, paths);
  const metadata = { ...ourLabel(observed), ...ourAnnotations(observed) };
  return Object.keys(metadata).length === 0 ? object : { ...object, metadata };
}

/** Copies from before there was this label have none; it comes with the next write. */
function ourLabel(observed: Document): JsonObject {
  const label = readLabel(observed, SHARED_RESOURCE_LABEL);
  return label === undefined ? {} : { labels: { [SHARED_RESOURCE_LABEL]: label } };
}

function ourAnnotations(observed: Document): JsonObject {
  const annotations = OUR_ANNOTATIONS.flatMap((name) => {
    const text = readAnnotation(observed, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) };
}

/** Keeps a copy as it is. */
export const keep = ({ resource }: ObservedCopy): ResourceEdit => ({
  is: "set",
  object: asDesired(resource.document),
  ready: isReady(resource) ? "True" : "False",
});

/**
 * Gives a Secret up without deleting it: the Object first learns to observe only, and goes when the provider has read that.
 * Dropped at once, it would take the Secret with it. Undefined for what can be dropped at once, or cannot be released.
 */
function release({ resource }: ObservedCopy): ResourceEdit | undefined {
  const { document } = resource;
  if (isSecret(document) || isPublisher(resource) || isReleased(document)) return undefined;
  return { is: "set", object: asObserver(asDesired(document)), ready: "False" };
}

/** Makes an Object observe only: it neither writes nor deletes its Secret. */
export const asObserver = (object: JsonObject): JsonObject => ({
  ...object,
  spec: { ...(isObject(object["spec"]) ? object["spec"] : {}), managementPolicies: OBSERVE },
});

/** Leaves a copy out, also where an earlier step of this function has kept it. */
export const drop = ({ key }: ObservedCopy, { request }: Call): Part => ({
  edits: request.desired.resources.has(key) ? [[key, { is: "removed" }]] : [],
});

export function giveUp(copy: ObservedCopy, call: Call): Part {
  const edit = release(copy);
  return edit === undefined ? drop(copy, call) : { edits: [[copy.key, edit]] };
}
