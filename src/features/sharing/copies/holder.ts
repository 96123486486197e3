import { canSelectNamespaces } from "../../../crossplane/namespaces.ts";
import { toRequirement, toSecretRequirement } from "../../../crossplane/requirement.ts";
import { stringAt } from "../../../model/document.ts";
import type { Requirement } from "../../../model/requirement.ts";
import { OWNER, ownerOf } from "../../../ownership/owner.ts";
import type { Call } from "../../feature.ts";
import { targetLabel } from "./composed.ts";
import type { Destination } from "./destination.ts";

/** The holder of a destination's Secret, who alone may write it. */
type Holder =
  | { readonly is: "us"; readonly isThere: boolean } // whether the Secret is there, with our mark
  | { readonly is: "other"; readonly name: string | undefined } // undefined: the Secret carries no mark of ours
  | { readonly is: "unknown" }; // not looked up yet

/**
 * Finds who holds a destination's Secret, by proof that lies on the Secret itself: the owner annotation of a copy. One that is
 * there and is not ours stays as it is. That is also how two XRs settle that both saw none there and wrote at once: whoever
 * sees the other's mark gives way without deleting the Secret, and the mark that is on it in the end says who has it.
 *
 * Crossplane v1 cannot look up a Secret by its name, and so finds copies of ours only. `via: ConnectionSecret` leaves it to
 * the provider, which refuses to write what the Object does not control.
 */
export function findHolder(
  key: string,
  destination: Destination,
  { request, composite }: Call,
): { readonly holder: Holder; readonly requirements: readonly Requirement[] } {
  if (destination.copy.via === "ConnectionSecret") return { holder: { is: "us", isThere: false }, requirements: [] };
  const requirement = canSelectNamespaces(request, composite)
    ? toSecretRequirement(`${key}/target`, destination)
    : toRequirement(`${key}/target`, {
        apiVersion: "v1",
        kind: "Secret",
        match: { labels: targetLabel(destination) },
      });
  const answer = request.required(requirement.name);
  if (answer.is === "pending") return { holder: { is: "unknown" }, requirements: [requirement] };

  const found = answer.items.find(
    (item) =>
      stringAt(item, ["metadata", "namespace"]) === destination.namespace &&
      stringAt(item, ["metadata", "name"]) === destination.name,
  );
  const owner = found && stringAt(found, ["metadata", "annotations", OWNER]);
  const isThere = found !== undefined;
  const isOurs = !isThere || owner === ownerOf(composite);
  return { holder: isOurs ? { is: "us", isThere } : { is: "other", name: owner }, requirements: [requirement] };
}
