import { type Composite, canSelectNamespaces } from "../../crossplane/composite.ts";
import type { Copy } from "../../input/connection.ts";
import { type Fault, invalidInput } from "../../input/faults.ts";
import type { Select } from "../../input/select.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Call } from "../feature.ts";

/** v2.0 and v2.1 advertise no capabilities; only XRs of v2 distinguish them from v1. */
export const NEEDS_V2 = "needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2";

/**
 * Guards against inputs that this version of Crossplane, or this kind of XR, does not support.
 *
 * @throws {FunctionError} `InvalidInput`, with every fault and an alternative.
 */
export function assertSupported({ request, composite, input }: Call): void {
  const isV2 = canSelectNamespaces(request, composite);
  const faults = input.spec.sharedResources.flatMap((shared, index) => {
    const path = `spec.sharedResources[${index}]`;
    const copies = shared.connection?.copies ?? [];
    return [
      ...(isV2 ? [] : beyondV1(shared, path)),
      ...copies.flatMap((copy, number) =>
        findCopyFaults(copy, `${path}.connection.copies[${number}]`, isV2, composite),
      ),
    ];
  });
  if (faults.length > 0) throw invalidInput(faults);
}

/** Tells whether a selector by labels is for all namespaces. */
export const isEverywhere = ({ namespace }: Select): boolean => namespace?.is === "literal" && namespace.value === "*";

function beyondV1({ select, grant }: SharedResource, path: string): readonly Fault[] {
  const faults: Fault[] = [];
  if (select.namespace !== undefined && !isEverywhere(select)) {
    const message = `${NEEDS_V2}; else share a cluster-scoped kind, or select by matchLabels in namespace "*"`;
    faults.push({ path: `${path}.select.namespace`, message });
  }
  if (grant === "ReferenceGrant") {
    faults.push({ path: `${path}.grant`, message: `ReferenceGrant ${NEEDS_V2}; else use Annotation` });
  }
  return faults;
}

/** Crossplane v1 cannot look up a Secret, so there the provider has to read it. Crossplane v2's own XRs have no connection details. */
function findCopyFaults({ via, keys }: Copy, path: string, isV2: boolean, xr: Composite): readonly Fault[] {
  if (via === "CompositeConnectionDetails" && xr.isModern) {
    const message = `${xr.kind} has no connection details, as all XRs of Crossplane v2; use Object`;
    return [{ path: `${path}.via`, message }];
  }
  if (isV2) return [];
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
