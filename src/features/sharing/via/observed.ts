import { shownCondition } from "../../../model/condition.ts";
import type { Document } from "../../../model/document.ts";
import { type FieldPath, parseFieldPath } from "../../../model/field-path.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Resource } from "../../../model/resource.ts";
import { pick } from "../../observed.ts";

const KIND: FieldPath = ["kind"];

const DESIRED_OF_OBJECT = [
  "apiVersion",
  "kind",
  "spec.forProvider.manifest.apiVersion",
  "spec.forProvider.manifest.kind",
  "spec.forProvider.manifest.metadata",
  "spec.forProvider.manifest.type",
  "spec.providerConfigRef",
  "spec.references",
].map(parseFieldPath);

/** Of an Object that copies by publishing: of the others, these are defaults. */
const DESIRED_OF_PUBLISHER = [
  "spec.connectionDetails",
  "spec.managementPolicies",
  "spec.writeConnectionSecretToRef",
].map(parseFieldPath);

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
const CONNECTION_DETAILS = parseFieldPath("spec.connectionDetails");
const REFERENCES = parseFieldPath("spec.references");

/**
 * What we composed once, as we desired it. Nothing else of it may come back: what we desired once would be ours, and go as
 * soon as we no longer desired it. A Secret's data that the provider filled in is not even read.
 */
export function asDesired(observed: Document): JsonObject {
  if (observed.at(KIND) === "Secret") return pick(observed, DESIRED_OF_SECRET);
  if (observed.at(CONNECTION_DETAILS) !== undefined)
    return pick(observed, [...DESIRED_OF_OBJECT, ...DESIRED_OF_PUBLISHER]);
  // Where the provider fills in the data, it does so by references.
  const isOurs = observed.at(REFERENCES) === undefined;
  return pick(observed, isOurs ? [...DESIRED_OF_OBJECT, MANIFEST_DATA] : DESIRED_OF_OBJECT);
}

/** Tells whether the copy is there and up to date. An Object that may not write stays Ready but is not Synced: both count. */
export function isReady(resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  if (resource.document.at(KIND) === "Secret") return true;
  return ["Ready", "Synced"].every((type) => shownCondition(resource.document, type)?.status === "True");
}

/** Tells whether the provider says that the Secret which an Object is to publish into belongs to somebody else. */
export const isRefused = ({ document }: Resource): boolean =>
  shownCondition(document, "Synced")?.message.includes("refusing to modify uncontrolled secret") === true;

/** Tells whether an Object writes nothing and takes nothing with it when it goes. */
export function isReleased({ document }: Resource): boolean {
  const policies = document.at(["spec", "managementPolicies"]);
  return Array.isArray(policies) && policies.length === 1 && policies[0] === "Observe";
}
