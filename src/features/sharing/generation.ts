import type { Copy } from "../../input/connection.ts";
import { type Fault, invalidInput } from "../../input/parse.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Call } from "../feature.ts";

/**
 * Crossplane v1 ignores a selector's namespace, and then fails the whole XR because it cannot get a namespaced resource
 * without one. v2.0 and v2.1 say nothing of what they can do, but their XRs have `spec.crossplane`.
 */
export const knowsNamespaces = ({ request, composite }: Call): boolean =>
  request.capabilities.size > 0 || composite.isModern;

/**
 * Guards what this generation of Crossplane, and this kind of XR, cannot do.
 *
 * @throws {FunctionError} `InvalidInput`, with every fault and what to do instead.
 */
export function assertSupported(call: Call): void {
  const faults = call.input.spec.sharedResources.flatMap((shared, index) => {
    const path = `spec.sharedResources[${index}]`;
    return [...(knowsNamespaces(call) ? [] : beyondV1(shared, path)), ...beyondModern(shared, path, call)];
  });
  if (faults.length > 0) throw invalidInput(faults);
}

function beyondV1({ select, grant, connection }: SharedResource, path: string): Fault[] {
  const faults: Fault[] = [];
  if (select.namespace !== undefined) {
    const message = "needs Crossplane v2; on v1 share a cluster-scoped kind, or select by matchLabels alone";
    faults.push({ path: `${path}.select.namespace`, message });
  }
  if (grant === "ReferenceGrant") {
    faults.push({ path: `${path}.grant`, message: "ReferenceGrant needs Crossplane v2; on v1 use Annotation" });
  }
  const copies = connection?.copies ?? [];
  return [...faults, ...copies.flatMap((copy, index) => copyBeyondV1(copy, `${path}.connection.copies[${index}]`))];
}

/** Crossplane v1 cannot look up a Secret, so there the provider has to read it. */
function copyBeyondV1({ via, keys }: Copy, path: string): Fault[] {
  switch (via) {
    case "ObjectWithValues":
    case "Secret":
      return [{ path: `${path}.via`, message: `${via} needs Crossplane v2; on v1 use Object or ConnectionSecret` }];
    case "CompositeConnectionDetails":
      return [{ path: `${path}.toCompositeConnectionDetails`, message: "needs Crossplane v2; on v1 use secretName" }];
    case "ConnectionSecret":
      return keys === undefined
        ? [{ path: `${path}.keys`, message: "required on Crossplane v1, which cannot read the Secret for them" }]
        : [];
    case "Object":
      return [];
  }
}

/** Crossplane v2's own XRs have no connection details. */
const beyondModern = ({ connection }: SharedResource, path: string, { composite }: Call): Fault[] =>
  (connection?.copies ?? []).flatMap(({ via }, index) =>
    via === "CompositeConnectionDetails" && composite.isModern
      ? [
          {
            path: `${path}.connection.copies[${index}].toCompositeConnectionDetails`,
            message: `${composite.kind} has no connection details, as all XRs of Crossplane v2; use secretName`,
          },
        ]
      : [],
  );
