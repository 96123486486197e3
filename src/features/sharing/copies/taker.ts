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
 * writes (`via: Secret`) stays with the XR that controls it. An XR that is gone keeps none.
 */
function findRival(found: Document, call: Call): Taker | "pending" | undefined {
  const { composite } = call;
  const holder = readAnnotation(found, COMPOSITE);
  if (composite.claim === undefined || holder === undefined || holder === composite.name || !isName(holder))
    return undefined;
  const [rival, named] = [findComposite(holder, call), findNamed(composite.claim, call)];
  if (rival === "pending" || named === "pending") return "pending";
  if (rival?.claim === undefined || formatOwner(rival) !== formatOwner(composite)) return undefined;
  const isOurs = named === undefined ? creationOf(rival) < creationOf(composite) : named === composite.name;
  const isTheirs = findController(found)?.uid === stringAt(rival.document, ["metadata", "uid"]);
  return isOurs && !isTheirs ? undefined : { holder, isRival: true };
}

function findComposite(name: string, { composite: { apiVersion, kind }, requirements }: Call) {
  const answer = requirements.ask(toRequirement("rival", { apiVersion, kind, match: { name } }));
  return answer.is === "pending" ? answer.is : answer.items[0] && toComposite(answer.items[0]);
}

/** Finds the name of the XR that a claim names; undefined where the claim cannot be looked up. */
function findNamed({ kind, namespace, name }: NonNullable<Composite["claim"]>, call: Call): string | undefined {
  const { request, composite, requirements } = call;
  if (!canSelectNamespaces(request, composite)) return undefined;
  const { apiVersion } = composite; // an XRD serves claims and XRs in the same versions
  const answer = requirements.ask(toRequirement("claim", { apiVersion, kind, namespace, match: { name } }));
  if (answer.is === "pending") return answer.is;
  return answer.items[0] && stringAt(answer.items[0], ["spec", "resourceRef", "name"]);
}

/** The creation as a text: of two XRs the younger one has the greater. */
const creationOf = ({ document, name }: Composite): string =>
  `${stringAt(document, ["metadata", "creationTimestamp"]) ?? ""} ${name}`;
