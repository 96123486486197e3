import { createHash } from "node:crypto";
import { stringAt } from "../../model/document.ts";
import { DOMAIN } from "../../model/names.ts";
import { OWNER, ownerOf } from "../../ownership/owner.ts";
import type { Call } from "../feature.ts";
import { knowsNamespaces } from "./generation.ts";
import { ask, askForSecret, type Question } from "./question.ts";
import type { SecretName } from "./source.ts";
import type { Target } from "./target.ts";

/** Who may write a target Secret. */
type Holder =
  | { readonly is: "us" }
  | { readonly is: "other"; readonly name: string | undefined } // undefined: it carries no mark of ours
  | { readonly is: "unknown" }; // not looked up yet

export interface Held {
  readonly holder: Holder;
  readonly questions: readonly Question[];
}

/** Which Secret a copy is, in the alphabet of labels: Crossplane v1 finds namespaced resources by labels only. On the copy. */
const TARGET = `${DOMAIN}/target`;

export const targetLabel = ({ namespace, name }: SecretName) => ({
  [TARGET]: createHash("sha256").update(`${namespace}/${name}`).digest("hex").slice(0, 40),
});

/**
 * Who holds a target, by proof that lies on the Secret itself: the owner annotation of a copy. One that is there and is not
 * ours stays as it is. That is also how two XRs settle that both saw none there and wrote in the same instant: whoever sees
 * the other's mark gives way without deleting the Secret, and the mark that is on it in the end says who has it.
 *
 * Crossplane v1 cannot look up a Secret by its name, and so finds copies of ours only. `via: ConnectionSecret` leaves it to
 * the provider, which refuses to write what the Object does not control.
 */
export function holderOf(name: string, target: Target, call: Call): Held {
  if (target.copy.via === "ConnectionSecret") return { holder: { is: "us" }, questions: [] };
  const question = knowsNamespaces(call)
    ? askForSecret(`${name}/target`, target, call)
    : ask(`${name}/target`, { apiVersion: "v1", kind: "Secret", match: { labels: targetLabel(target) } }, call);
  const { answer } = question;
  if (answer.is === "pending") return { holder: { is: "unknown" }, questions: [question] };

  const found = answer.items.find(
    (item) =>
      stringAt(item, ["metadata", "namespace"]) === target.namespace &&
      stringAt(item, ["metadata", "name"]) === target.name,
  );
  const owner = found && stringAt(found, ["metadata", "annotations", OWNER]);
  const isOurs = found === undefined || owner === ownerOf(call.composite);
  return { holder: isOurs ? { is: "us" } : { is: "other", name: owner }, questions: [question] };
}
