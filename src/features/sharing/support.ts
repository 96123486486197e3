import { canSelectNamespaces } from "../../crossplane/composite.ts";
import type { Copy } from "../../input/connection.ts";
import { type Fault, invalidInput } from "../../input/faults.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Call } from "../feature.ts";

/**
 * Guards against inputs that this version of Crossplane, or this kind of XR, does not support.
 *
 * @throws {FunctionError} `InvalidInput`, with every fault and an alternative.
 */
export function assertSupported(call: Call): void {
  const faults = call.input.spec.sharedResources.flatMap((shared, index) => {
    const path = `spec.sharedResources[${index}]`;
    const isV2 = canSelectNamespaces(call.request, call.composite);
    return [...(isV2 ? [] : beyondV1(shared, path)), ...beyondModern(shared, path, call)];
  });
  if (faults.length > 0) throw invalidInput(faults);
}

/** v2.0 and v2.1 advertise no capabilities; only XRs of v2 distinguish them from v1. */
export const NEEDS_V2 = "needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2";

function beyondV1({ select, grant, connection }: SharedResource, path: string): Fault[] {
  const faults: Fault[] = [];
  const isEverywhere = select.namespace?.is === "literal" && select.namespace.value === "*";
  if (select.namespace !== undefined && !isEverywhere) {
    const message = `${NEEDS_V2}; else share a cluster-scoped kind, or select by matchLabels in namespace "*"`;
    faults.push({ path: `${path}.select.namespace`, message });
  }
  if (grant === "ReferenceGrant") {
    faults.push({ path: `${path}.grant`, message: `ReferenceGrant ${NEEDS_V2}; else use Annotation` });
  }
  const copies = connection?.copies ?? [];
  return [...faults, ...copies.flatMap((copy, index) => copyBeyondV1(copy, `${path}.connection.copies[${index}]`))];
}

/** Crossplane v1 cannot look up a Secret, so there the provider has to read it. */
function copyBeyondV1({ via, keys }: Copy, path: string): Fault[] {
  switch (via) {
    case "Secret":
    case "CompositeConnectionDetails":
      return [{ path: `${path}.via`, message: `${via} ${NEEDS_V2}; else use Object or ConnectionSecret` }];
    case "ConnectionSecret":
      return keys === undefined
        ? [{ path: `${path}.keys`, message: `required here: reading them from the Secret ${NEEDS_V2}` }]
        : [];
    case "Object":
      return (Array.isArray(keys) ? keys : []).flatMap(({ template = [] }, index) =>
        template.some((part) => typeof part !== "string" && "key" in part)
          ? [{ path: `${path}.keys[${index}].value`, message: `a key of the Secret ${NEEDS_V2}; else use from` }]
          : [],
      );
  }
}

/** Crossplane v2's own XRs have no connection details. */
const beyondModern = ({ connection }: SharedResource, path: string, { composite }: Call): Fault[] =>
  (connection?.copies ?? []).flatMap(({ via }, index) =>
    via === "CompositeConnectionDetails" && composite.isModern
      ? [
          {
            path: `${path}.connection.copies[${index}].via`,
            message: `${composite.kind} has no connection details, as all XRs of Crossplane v2; use Object`,
          },
        ]
      : [],
  );
