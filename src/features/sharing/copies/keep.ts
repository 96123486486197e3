import { OBSERVE, policiesOf } from "../../../crossplane/management-policies.ts";
import { annotationOf } from "../../../crossplane/metadata.ts";
import type { Document } from "../../../model/document.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { parseFieldPath } from "../../../model/field-path.ts";
import { isObject, type JsonObject } from "../../../model/json.ts";
import { pick } from "../../observed.ts";
import { EARLIER_RESOURCES, SHARED_RESOURCE } from "../origin.ts";
import { SOURCE_VERSION } from "./composed.ts";
import { isPublisher, isSecret, type ObservedCopy } from "./observed.ts";
import { isReady, isReleased } from "./progress.ts";

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
const OUR_ANNOTATIONS = [SHARED_RESOURCE, EARLIER_RESOURCES, SOURCE_VERSION];

/**
 * Desires a copy exactly as we desired it before, its management policies and its recorded origin included. Nothing else of it
 * may come back: what we desired once would be ours, and go as soon as we no longer desired it. A Secret's data that the
 * provider filled in is not even read.
 */
function asDesired(observed: Document): JsonObject {
  if (isSecret(observed)) return pick(observed, DESIRED_OF_SECRET);
  const paths = [...DESIRED_OF_OBJECT];
  // All is the default: of an Object that is not limited we never said so.
  if (policiesOf(observed)?.includes("*") === false) paths.push(POLICIES);
  // Where the provider fills in the data, it does so by references.
  if (observed.at(REFERENCES) === undefined) paths.push(MANIFEST_DATA);
  const object = pick(observed, paths);
  const annotations = OUR_ANNOTATIONS.flatMap((name) => {
    const text = annotationOf(observed, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return annotations.length === 0 ? object : { ...object, metadata: { annotations: Object.fromEntries(annotations) } };
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
export function release({ resource }: ObservedCopy): ResourceEdit | undefined {
  const { document } = resource;
  if (isSecret(document) || isPublisher(resource) || isReleased(document)) return undefined;
  return { is: "set", object: asObserver(asDesired(document)), ready: "False" };
}

/** The same Object, writing and deleting nothing. */
export const asObserver = (object: JsonObject): JsonObject => ({
  ...object,
  spec: { ...(isObject(object["spec"]) ? object["spec"] : {}), managementPolicies: OBSERVE },
});
