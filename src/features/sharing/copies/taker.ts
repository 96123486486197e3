import { type Composite, canSelectNamespaces, toComposite } from "../../../crossplane/composite.ts";
import { findController, readAnnotation } from "../../../crossplane/metadata.ts";
import { toRequirement } from "../../../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import { DOMAIN, isName } from "../../../model/names.ts";
import { formatOwner, OWNER } from "../../../ownership/annotations.ts";
import type { Call } from "../../feature.ts";

/** Annotation of a copy whose owner mark names a claim: the XR that writes it. */
const COMPOSITE = `${DOMAIN}/composite`;

export const markComposite = ({ claim, name }: Composite) => claim && { [COMPOSITE]: name };

/** Another writer of a Secret; `isRival`: another XR of the same claim. A Secret without an owner mark has no holder. */
export interface Taker {
  readonly holder: string | undefined;
  readonly isRival: boolean;
}

/** Finds the other writer to whom a target Secret belongs, if it is there and not this XR's. */
export function findTaker(found: Document | "pending" | undefined, call: Call): Taker | "pending" | undefined {
  if (found === undefined || found === "pending") return found;
  const owner = readAnnotation(found, OWNER);
  return owner === formatOwner(call.composite) ? findRival(found, call) : { holder: owner, isRival: false };
}

/**
 * Finds another XR of the same claim that keeps the copy: a claim that is replaced by force gets a second XR (crossplane#4803). The copy
 * belongs to the XR that the claim names, and on Crossplane v1, which cannot look up a claim, to the younger one. One that Crossplane
 * writes (`via: Secret`) stays with the XR that controls it.
 */
function findRival(found: Document, call: Call): Taker | "pending" | undefined {
  const { claim, document, name } = call.composite;
  const holder = readAnnotation(found, COMPOSITE);
  if (claim === undefined || holder === undefined || holder === name || !isName(holder)) return undefined;
  const isOurs = isOfClaim(claim, holder, call);
  if (isOurs === "pending") return isOurs;
  const uid = findController(found)?.uid;
  const isOthers = uid !== undefined && uid !== stringAt(document, ["metadata", "uid"]);
  return isOurs && !isOthers ? undefined : { holder, isRival: true };
}

/** Tells whether this XR is the claim's, and not the one of that name. */
function isOfClaim({ kind, namespace, name }: NonNullable<Composite["claim"]>, rival: string, call: Call) {
  const { request, composite, requirements } = call;
  const { apiVersion } = composite; // an XRD serves claims and XRs in the same versions
  const canAskClaim = canSelectNamespaces(request, composite);
  const answer = requirements.ask(
    canAskClaim
      ? toRequirement("claim", { apiVersion, kind, namespace, match: { name } })
      : toRequirement("rival", { apiVersion, kind: composite.kind, match: { name: rival } }),
  );
  if (answer.is === "pending") return "pending";
  const [item] = answer.items;
  const named = item && stringAt(item, ["spec", "resourceRef", "name"]);
  if (canAskClaim) return named === undefined || named === composite.name;
  const other = item && toComposite(item);
  const isRival = other?.claim !== undefined && formatOwner(other) === formatOwner(composite);
  return !isRival || creationOf(other) < creationOf(composite);
}

/** The creation as a text: of two XRs the younger one has the greater. */
const creationOf = ({ document, name }: Composite): string =>
  `${stringAt(document, ["metadata", "creationTimestamp"]) ?? ""} ${name}`;
