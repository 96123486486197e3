import { COPY_KINDS, type CopyKind, sharedResourceLabel } from "../../crossplane/copies.ts";
import { findController } from "../../crossplane/metadata.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { invalidInput } from "../../input/faults.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { formatOwner } from "../../ownership/annotations.ts";
import { type Consumer, compareConsumers, readWrittenOwner, toConsumer } from "../../ownership/consumer.ts";
import type { Call } from "../feature.ts";

/**
 * Finds the consumers by one requirement for each kind that makes copies. Crossplane fails the XR where a kind is not installed,
 * so its schema is asked for first, where that can be asked.
 *
 * @returns undefined until each kind that makes copies has been looked up.
 * @throws {FunctionError} `InvalidInput` where neither Crossplane nor the input says which kinds are installed.
 */
export function findConsumers({ kinds }: Consumers, call: Call): readonly Consumer[] | undefined {
  const lists = (kinds ?? defaultKinds(call)).map((kind) => findOfKind(kind, kinds !== undefined, call));
  return lists.every((list) => list !== undefined) ? lists.flat().sort(compareConsumers) : undefined;
}

function defaultKinds({ request }: Call): readonly CopyKind[] {
  if (request.capabilities.has("RequiredSchemas")) return ["Object", "NamespacedObject", "Secret"];
  const message = "required here: Crossplane before v2.2 cannot say which kinds are installed";
  throw invalidInput([{ path: "spec.consumers.kinds", message }]);
}

function findOfKind(kind: CopyKind, isSaid: boolean, call: Call): readonly Consumer[] | undefined {
  const { requirements, composite } = call;
  const selector = COPY_KINDS[kind];
  if (!isSaid && kind !== "Secret") {
    const schema = requirements.askSchema({ name: `consumers/${selector.apiVersion}/${selector.kind}`, ...selector });
    if (schema.is !== "resolved") return schema.is === "pending" ? undefined : [];
  }

  const match = { labels: sharedResourceLabel(composite) };
  const answer = requirements.ask(toRequirement(`consumers/${kind}`, { ...selector, match }));
  if (answer.is === "pending") return undefined;
  return answer.items.filter(notComposedBy(call)).flatMap((copy) => toConsumer(copy, kind) ?? []);
}

/** Leaves out what this XR delivers itself (`select.self`): as its own consumer it could never be deleted. */
function notComposedBy({ composite }: Call): (copy: Document) => boolean {
  const uid = stringAt(composite.document, ["metadata", "uid"]);
  const owner = formatOwner(composite);
  return (copy) => {
    const controller = findController(copy);
    return controller === undefined ? readWrittenOwner(copy) !== owner : controller.uid !== uid;
  };
}
