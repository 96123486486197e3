import { stringAt } from "../../model/document.ts";
import type { Resource } from "../../model/resource.ts";
import type { Call } from "../capability.ts";
import { OWNER, ownerOf } from "../owner.ts";
import { knowsNamespaces } from "./generation.ts";
import { askForSecret, type Question } from "./question.ts";
import type { Target } from "./target.ts";
import { shownOwner } from "./via/observed.ts";

/** Who may write a target Secret. */
type Holder =
  | { readonly is: "us" }
  | { readonly is: "other"; readonly name: string | undefined } // undefined: it carries no mark of ours
  | { readonly is: "unknown" }; // not looked up yet

export interface Held {
  readonly holder: Holder;
  readonly questions: readonly Question[];
}

const us: Held = { holder: { is: "us" }, questions: [] };

/**
 * Who holds a target, by proof that lies on the Secret itself (its owner annotation):
 *
 * - Before anything is composed the Secret is looked up. One that is there and is not ours stays as it is.
 * - What is composed is ours. Only an Object that shows another XR's mark says that two of them write to one Secret: both saw
 *   none there and began in the same instant. Then the one whose name comes first holds it, and the other gives it up.
 *
 * Crossplane v1 cannot look up a Secret, so there the first rule needs `via: ConnectionSecret`, where the provider itself
 * refuses; and it is not asked for where it does so, because a lookup brings the Secret's values here.
 */
export function holderOf(name: string, target: Target, observed: Resource | undefined, call: Call): Held {
  if (target.copy.via === "ConnectionSecret") return us;
  const own = ownerOf(call.composite);
  if (observed !== undefined) {
    const shown = shownOwner(observed);
    return shown === undefined || own <= shown ? us : { holder: { is: "other", name: shown }, questions: [] };
  }
  if (!knowsNamespaces(call)) return us;
  const question = askForSecret(`${name}/target`, target, call);
  const { answer } = question;
  if (answer.is === "pending") return { holder: { is: "unknown" }, questions: [question] };
  const found = answer.items.find((item) => stringAt(item, ["metadata", "namespace"]) === target.namespace);
  const owner = found && stringAt(found, ["metadata", "annotations", OWNER]);
  const isOurs = found === undefined || owner === own;
  return { holder: isOurs ? { is: "us" } : { is: "other", name: owner }, questions: [question] };
}
