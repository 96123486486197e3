import { findController } from "../../crossplane/controller.ts";
import { COPY_KINDS, type CopyKind, sharedResourceLabel } from "../../crossplane/copies.ts";
import { toRequirement } from "../../crossplane/requirement.ts";
import type { Consumers } from "../../input/consumers.ts";
import { invalidInput } from "../../input/faults.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Requirement, SchemaRequirement } from "../../model/requirement.ts";
import { type Consumer, compareConsumers, readWrittenOwner, toConsumer } from "../../ownership/consumer.ts";
import { formatOwner } from "../../ownership/owner.ts";
import type { Call } from "../feature.ts";

/** The copies of this XR's connection Secret. Known only when each kind that makes copies has been looked up. */
export interface Found {
  /** Undefined while an answer is missing. */
  readonly consumers: readonly Consumer[] | undefined;
  readonly requirements: readonly Requirement[];
  readonly schemas: readonly SchemaRequirement[];
}

/**
 * Finds the consumers by one requirement for each kind that makes copies. Crossplane fails the XR where a kind is not installed,
 * so its schema is asked for first, where that can be asked.
 *
 * @throws {FunctionError} `InvalidInput` where neither Crossplane nor the input says which kinds are installed.
 */
export function findConsumers({ kinds }: Consumers, call: Call): Found {
  const found = (kinds ?? defaultKinds(call)).map((kind) => findOfKind(kind, kinds !== undefined, call));
  const lists = found.map(({ consumers }) => consumers);
  return {
    consumers: lists.every((list) => list !== undefined) ? lists.flat().sort(compareConsumers) : undefined,
    requirements: found.flatMap(({ requirements }) => requirements),
    schemas: found.flatMap(({ schemas }) => schemas),
  };
}

function defaultKinds({ request }: Call): readonly CopyKind[] {
  if (request.capabilities.has("RequiredSchemas")) return ["Object", "NamespacedObject", "Secret"];
  const message = "required here: Crossplane before v2.2 cannot say which kinds are installed";
  throw invalidInput([{ path: "spec.consumers.kinds", message }]);
}

function findOfKind(kind: CopyKind, isSaid: boolean, call: Call): Found {
  const { request, composite } = call;
  const selector = COPY_KINDS[kind];
  const schema = { name: `consumers/${selector.apiVersion}/${selector.kind}`, ...selector };
  const schemas = isSaid || kind === "Secret" ? [] : [schema];
  const answers = schemas.map(({ name }) => request.requiredSchema(name).is);
  if (answers.includes("pending")) return { consumers: undefined, requirements: [], schemas };
  if (answers.includes("unknown")) return { consumers: [], requirements: [], schemas };

  const match = { labels: sharedResourceLabel(composite) };
  const requirement = toRequirement(`consumers/${kind}`, { ...selector, match });
  const answer = request.required(requirement.name);
  if (answer.is === "pending") return { consumers: undefined, requirements: [requirement], schemas };
  const isOthers = notComposedBy(call);
  const consumers = answer.items.filter(isOthers).flatMap((copy) => toConsumer(copy, kind) ?? []);
  return { consumers, requirements: [requirement], schemas };
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
