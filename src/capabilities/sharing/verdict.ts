import type { Connection, SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Call } from "../capability.ts";
import { type Finding, nameOf } from "./find.ts";
import { grants } from "./grant.ts";
import { describe } from "./selector.ts";
import { type SecretName, sourceOf } from "./source.ts";
import type { Standing } from "./standing.ts";
import { faultOf, type Target, targetsOf } from "./target.ts";

/** What is to become of the copies of one shared resource's connection Secret. */
export type Verdict =
  | {
      readonly is: "copy";
      readonly source: SecretName;
      readonly targets: readonly Target[];
      /** Why a namespace goes without: its owner does not grant it, or no longer does. */
      readonly refusal: Standing | undefined;
    }
  | { readonly is: "nothingToCopy" }
  | { readonly is: "keep"; readonly standing: Standing }
  | { readonly is: "drop"; readonly standing: Standing };

/**
 * Judges one shared resource.
 *
 * - What we cannot tell yet (a field not set, an answer pending, several matches, names that are no names) keeps what is there.
 * - A source that is gone keeps it too, unless the input says `onSourceMissing: Delete`: applications go on working.
 * - Only targets in namespaces that the owner grants are copied to. A grant taken back takes the copy away.
 */
export function judge({ connection }: SharedResource, finding: Finding, call: Call): Verdict {
  switch (finding.is) {
    case "unset":
      return { is: "keep", standing: { is: "FieldNotSet", field: finding.field } };
    case "pending":
      return { is: "keep", standing: { is: "WaitingForRequiredResources" } };
    case "ambiguous":
      return { is: "keep", standing: { is: "Ambiguous", names: finding.names } };
    case "notFound":
      return withoutSource(connection, { is: "NotFound", wanted: describe(finding.selector) });
    case "found":
      return connection === undefined ? { is: "nothingToCopy" } : judgeFound(connection, finding.resource, call);
  }
}

const withoutSource = (connection: Connection | undefined, standing: Standing): Verdict => ({
  is: connection?.onSourceMissing === "Delete" ? "drop" : "keep",
  standing,
});

function judgeFound(connection: Connection, resource: Document, call: Call): Verdict {
  const shared = nameOf(resource);
  const source = sourceOf(resource, connection.secretRef);
  if (source.is === "missing") {
    const field = formatFieldPath(connection.secretRef.nameFieldPath);
    return withoutSource(connection, { is: "NoConnectionSecret", shared, field });
  }
  if (source.is === "foreign") {
    return { is: "keep", standing: { is: "SourceNotAllowed", shared, secret: source.secret } };
  }
  const targets = targetsOf(connection.copies, call);
  if (targets.is === "unset") return { is: "keep", standing: { is: "FieldNotSet", field: targets.field } };
  const fault = targets.value.map((target) => faultOf(target, source.secret)).find((found) => found !== undefined);
  if (fault !== undefined) return { is: "keep", standing: { is: "InvalidTarget", fault } };

  const refused = new Set(targets.value.map(({ namespace }) => namespace).filter((name) => !grants(resource, name)));
  return {
    is: "copy",
    source: source.secret,
    targets: targets.value.filter(({ namespace }) => !refused.has(namespace)),
    refusal: refused.size === 0 ? undefined : { is: "AccessNotGranted", shared, namespaces: [...refused].sort() },
  };
}
