import type { Call } from "../../src/features/feature.ts";
import { parseInput } from "../../src/input/parse.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { inputOf } from "../builders/sharing.ts";

/** The settings in which a platform's Compositions differ. All of them share a database of the namespace `databases`. */
export interface Composition {
  /** Everywhere: labels that match in all namespaces, and the first by a field that a resource may lack. */
  readonly select: "name" | "labels" | "labels everywhere";
  readonly minMatch: 0 | 1;
  /** Where the XR's copy goes: into its own namespace, or wherever a field of its says. */
  readonly namespaces: "own" | "spec";
  /** An Object whose provider copies the values, or that holds one of them itself; or another way. */
  readonly via: "Object" | "Object with a value" | "Secret" | "ConnectionSecret";
  readonly grant: "Annotation" | "ReferenceGrant" | "None";
  readonly resolution: "Required" | "Optional";
  /** True if its XRs are namespaced (Crossplane v2); false if they have claims. */
  readonly isNamespaced: boolean;
}

export const DATABASE = { apiVersion: "data.example.org/v1", kind: "Postgres" } as const;
export const OWNERS_NAMESPACE = "databases";

const known = new Map<string, Call["input"] | undefined>();

/** Undefined for one that the function refuses: then every call of it is Fatal. */
export function inputFor(composition: Composition): Call["input"] | undefined {
  const key = JSON.stringify(composition);
  if (!known.has(key)) known.set(key, parsed(composition));
  return known.get(key);
}

function parsed(composition: Composition): Call["input"] | undefined {
  try {
    return parseInput(inputOf({ sharedResources: [toShare(composition)] }));
  } catch {
    return undefined;
  }
}

const HOW = {
  Object: { via: "Object" },
  "Object with a value": { via: "Object", keys: [{ value: "{password}", to: "password" }] },
  Secret: { via: "Secret" },
  ConnectionSecret: { via: "ConnectionSecret" },
} as const;

function toShare({ via, grant, resolution, namespaces, ...composition }: Composition): JsonObject {
  const where = namespaces === "spec" && { namespaces: { fromCompositeFieldPath: "spec.namespaces" } };
  const secretName = { fromCompositeFieldPath: "spec.secretName" };
  return {
    name: "db",
    ...DATABASE,
    select: toSelect(composition),
    grant,
    resolution,
    connection: { copies: [{ secretName, ...HOW[via], ...where }] },
  };
}

function toSelect({ select, minMatch }: Pick<Composition, "select" | "minMatch">): JsonObject {
  const namespace = OWNERS_NAMESPACE;
  if (select === "name") return { name: { fromCompositeFieldPath: "spec.database" }, namespace };
  const labels = { matchLabels: { team: { fromCompositeFieldPath: "metadata.labels[team]" } }, minMatch };
  return select === "labels" ? { ...labels, namespace } : { ...labels, sortByFieldPath: "spec.order" };
}
