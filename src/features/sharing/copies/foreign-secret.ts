import { type Composite, toComposite } from "../../../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import { canSelectNamespaces } from "../../../crossplane/generation.ts";
import { findController, qualifiedName, readAnnotation, readUid } from "../../../crossplane/metadata.ts";
import { toRequirement, toSecretRequirement } from "../../../crossplane/requirement-names.ts";
import { groupBy } from "../../../model/collections.ts";
import { brief } from "../../../model/condition.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import { hashText } from "../../../model/hash.ts";
import { DOMAIN, isName } from "../../../model/names.ts";
import { once } from "../../../model/once.ts";
import type { Resource } from "../../../model/request.ts";
import { formatOwner, OWNER } from "../../../ownership/annotations.ts";
import type { Call } from "../../feature.ts";
import type { Target } from "../judgement.ts";
import { findCopies, isReleased, type ObservedCopy } from "./observed.ts";

/** Label of a copy: a hash of its Secret's namespace and name. Crossplane v1 looks up namespaced resources by labels only. */
const TARGET_LABEL = `${DOMAIN}/target`;

export const targetLabel = (secret: SecretName) => ({ [TARGET_LABEL]: hashText(formatSecret(secret), 40) });

/**
 * Looks up a target Secret; undefined if it does not exist. Crossplane v1 finds only Secrets with this function's label.
 * `via: ConnectionSecret` looks up none: the provider itself refuses to write a Secret that its Object does not control.
 */
export const findTarget = (key: string, target: Target, call: Call): Document | "pending" | undefined =>
  target.copy.via === "ConnectionSecret" ? undefined : lookUpSecret(key, target, call);

function lookUpSecret(key: string, target: SecretName, call: Call): Document | "pending" | undefined {
  const { request, composite, requirements } = call;
  const selector = { apiVersion: "v1", kind: "Secret", match: { labels: targetLabel(target) } };
  const requirement = canSelectNamespaces(request, composite)
    ? toSecretRequirement(`${key}/target`, target)
    : toRequirement(`${key}/target`, selector);
  const answer = requirements.ask(requirement);
  if (answer.is === "pending") return "pending";
  return answer.items.find((item) => qualifiedName(item) === formatSecret(target));
}

/** Annotation of a copy that a claim's XR writes: the name of the XR. The owner annotation names the claim. */
const COMPOSITE = `${DOMAIN}/composite`;

export const markComposite = ({ claim, name }: Composite) => claim && { [COMPOSITE]: name };

/** Another writer of a Secret: with `isRival` the name of another XR of this XR's claim, else the owner annotation, if any. */
export type OtherWriter = { readonly writer: string | undefined; readonly isRival: boolean };

/**
 * Finds the other writer of a target Secret. Undefined if the Secret does not exist, or this XR may write it. The Secret's
 * owner annotation tells: if two XRs have written the Secret at once, the XR that reads the other's annotation gives way.
 *
 * A claim that is replaced by force has two XRs (crossplane#4803). The copy belongs to the XR that the claim names. With
 * `via: Secret` it stays with the XR that controls it.
 *
 * @param isMoving true while the copy moves to another shared resource. Then the claim is not looked up: that would take
 * one more of Crossplane's six calls.
 */
export function findOtherWriter(found: Document | "pending" | undefined, isMoving: boolean, call: Call) {
  if (found === undefined || found === "pending") return found;
  const { composite } = call;
  const owner = readAnnotation(found, OWNER);
  if (owner !== formatOwner(composite)) return { writer: owner && brief(owner), isRival: false };
  if (isMoving) return;
  const writer = readAnnotation(found, COMPOSITE);
  if (composite.claim === undefined || writer === undefined || writer === composite.name || !isName(writer)) return;
  const isNamed = isNamedByClaim(composite.claim, writer, call);
  if (isNamed === "pending") return isNamed;
  const controller = findController(found)?.uid;
  const canWrite = controller === undefined || controller === readUid(composite.document);
  return isNamed && canWrite ? undefined : { writer, isRival: true };
}

/** Tells whether this XR has written the Secret of an observed copy, and none of its other copies writes that Secret. */
export function isOwnCopy({ key, target }: ObservedCopy, call: Call): boolean | "pending" {
  if (target === undefined) return false;
  const { observed, desired } = call.request;
  const writers = [observed, desired].flatMap(({ resources }) => writersIn(resources).get(formatSecret(target)) ?? []);
  if (writers.some((copy) => copy.key !== key)) return false;
  const found = lookUpSecret(key, target, call);
  if (found === undefined || found === "pending") return found ?? false;
  const writer = readAnnotation(found, COMPOSITE) ?? call.composite.name;
  return readAnnotation(found, OWNER) === formatOwner(call.composite) && writer === call.composite.name;
}

/** Indexes the copies that are not released by their Secrets, once: a team may make many of one Secret. */
const writersIn = once((resources: ReadonlyMap<string, Resource>) =>
  groupBy(
    findCopies(resources).filter((copy) => !isReleased(copy)),
    ({ target }) => target && formatSecret(target),
  ),
);

/** Tells whether the claim names this XR. Crossplane v1 cannot look up a claim: there the younger XR counts as named. */
function isNamedByClaim({ kind, namespace, name }: NonNullable<Composite["claim"]>, rival: string, call: Call) {
  const { request, composite, requirements } = call;
  const { apiVersion } = composite; // an XRD serves claims and XRs in the same versions
  const canLookUpClaim = canSelectNamespaces(request, composite);
  const requirement = canLookUpClaim
    ? toRequirement("claim", { apiVersion, kind, namespace, match: { name } })
    : toRequirement("rival", { apiVersion, kind: composite.kind, match: { name: rival } });
  const answer = requirements.ask(requirement);
  if (answer.is === "pending") return "pending";
  const [item] = answer.items;
  if (item === undefined) return true; // copies may be restored before the claim
  if (canLookUpClaim) return (stringAt(item, NAMED) ?? composite.name) === composite.name;
  const other = toComposite(item);
  return formatOwner(other) !== formatOwner(composite) || creationOf(other) < creationOf(composite);
}

const NAMED = ["spec", "resourceRef", "name"];

const creationOf = ({ document, name }: Composite): string =>
  `${stringAt(document, ["metadata", "creationTimestamp"]) ?? ""} ${name}`;
