import { canSelectNamespaces, NEEDS_V2 } from "../../crossplane/generation.ts";
import type { Copy } from "../../input/connection.ts";
import { type Fault, invalidInput } from "../../input/faults.ts";
import type { Select } from "../../input/select.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Template } from "../../model/template.ts";
import type { Call } from "../feature.ts";

/**
 * Refuses an input that this version of Crossplane, or this kind of XR, does not support.
 *
 * @throws {FunctionError} `InvalidInput`, with every fault and an alternative.
 */
export function assertSupported({ request, composite, input }: Call): void {
  if (canSelectNamespaces(request, composite)) return;
  const faults = input.spec.sharedResources.flatMap((shared, index) => {
    const copies = shared.connection?.copies ?? [];
    const ofCopies = copies.map((copy, at) => toFaults(judgeCopy(copy), `connection.copies[${at}].`));
    const all = [...toFaults(judgeShare(shared), ""), ...ofCopies.flat()];
    return all.map(({ path, message }) => ({ path: `spec.sharedResources[${index}].${path}`, message }));
  });
  if (faults.length > 0) throw invalidInput(faults);
}

/** The messages of faults by the path of the field. */
type Messages = Readonly<Record<string, string>>;

const toFaults = (messages: Messages, place: string): readonly Fault[] =>
  Object.entries(messages).map(([field, message]) => ({ path: `${place}${field}`, message }));

/** Tells whether a selector by labels is for all namespaces. */
export const isEverywhere = ({ namespace }: Select): boolean => namespace?.is === "literal" && namespace.value === "*";

const judgeShare = ({ select, grant }: SharedResource): Messages => ({
  ...(select.namespace !== undefined &&
    !isEverywhere(select) && {
      "select.namespace": `${NEEDS_V2}; without that, share a cluster-scoped kind, or select by matchLabels in namespace "*"`,
    }),
  ...(grant === "ReferenceGrant" && { grant: `ReferenceGrant ${NEEDS_V2}; without that, use Annotation` }),
});

/** Finds fields of a copy for which this function has to read the source Secret. On Crossplane v1 only the provider can read it. */
function judgeCopy({ via, keys }: Copy): Messages {
  if (via === "Secret") return { via: `Secret ${NEEDS_V2}; without that, use Object or ConnectionSecret` };
  if (via === "ConnectionSecret")
    return keys === undefined
      ? { keys: `required: without keys all keys of the Secret are read, which ${NEEDS_V2}` }
      : {};
  const read = (Array.isArray(keys) ? keys : []).flatMap(({ template = [] }, index) =>
    hasKey(template) ? [`keys[${index}].value`] : [],
  );
  return Object.fromEntries(
    read.map((field) => [
      field,
      `a text with a key of the Secret in braces ${NEEDS_V2}; without that, copy the key as it is, with from in place of value`,
    ]),
  );
}

/** Tells whether a template takes the value of one of the source's keys. */
export const hasKey = (template: Template): boolean =>
  template.some((part) => typeof part !== "string" && "key" in part);
