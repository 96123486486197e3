import { COMPOSITE_LABEL, readLabel } from "../../crossplane/metadata.ts";
import { toPossibleComposer } from "../../crossplane/proof.ts";
import { formatReference, toReference } from "../../crossplane/references.ts";
import type { Result } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import type { Call } from "../feature.ts";

/** Names the resources of which one can stay, and says how to choose: Crossplane composes the one to which the XR refers, labelled or not. */
export function explainDuplicate(name: string, all: readonly Document[], { request, composite }: Call) {
  const observed = request.observed.resources.get(name)?.document;
  const isUnlabelled =
    observed !== undefined && readLabel(observed, COMPOSITE_LABEL) !== toPossibleComposer(composite).root;
  const resources = all.map((each) => formatReference(toReference(each))).join(" and ");
  const sentence = isUnlabelled
    ? `this XR still refers to ${formatReference(toReference(observed))}, which has lost the label ${COMPOSITE_LABEL}: to keep the other, remove the reference from the XR, too; otherwise set the label again`
    : DUPLICATED;
  return { resource: `${name} (${resources})`, sentence };
}

/** Stops the XR until a person has chosen one of several predecessors. With `adoption`, its condition and its result do that. */
export function findFatal({ duplicates = new Map() }: Call): readonly Result[] {
  const lines = [...duplicates.values()].map(({ resource, sentence }) => `  ${resource}: ${sentence}`);
  const message = ["cannot compose anything until one resource is left for each of these names:", ...lines].join("\n");
  return lines.length === 0 ? [] : [{ severity: "Fatal", message, reason: "Duplicated", target: "Composite" }];
}

const DUPLICATED = `this XR composed all of them before it was restored, and can keep one: delete the others (if they share a cloud resource, first set deletionPolicy Orphan, or managementPolicies without Delete), or remove the label ${COMPOSITE_LABEL} from them, and the reference from the XR where it refers to one; without the label they go on writing to the cloud`;
