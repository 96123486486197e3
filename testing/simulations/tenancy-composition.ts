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
  /** Its XRs: namespaced (Crossplane v2), of claims, or composed below a claim's, with its labels and no claimRef. */
  readonly xrs: "namespaced" | "claimed" | "nested";
  readonly databases: keyof typeof DATABASE_KINDS;
  readonly takes: "copy" | "fields" | "copy and fields";
  /**
   * The policy that an earlier step desires, and that exists with access only: it reaches the database whose endpoint is patched into it, or
   * the one that the XR names, where the share selects by that name, too.
   */
  readonly depends?: "nothing" | "patched" | "named";
}

/** What depends on a grant; its spec has what it reaches. */
export const POLICY = { apiVersion: "iam.example.org/v1", kind: "Policy" } as const;

/** What the earlier step desires. */
export function desiredFor(composition: Composition, spec: JsonObject): Readonly<Record<string, JsonObject>> {
  if ((composition.depends ?? "nothing") === "nothing") return {};
  return { policy: { ...POLICY, spec: { reaches: isPatched(composition) ? "" : (spec["database"] ?? "") } } };
}

const isPatched = ({ depends, select }: Composition): boolean =>
  depends === "patched" || (depends === "named" && select !== "name");

export const DATABASE_KINDS = {
  namespaced: { apiVersion: "data.example.org/v1", kind: "Postgres" },
  clusterScoped: { apiVersion: "data.example.org/v1", kind: "XPostgres" },
} as const;
export const OWNERS_NAMESPACE = "databases";
/** The namespace of the team that writes whatever it may. */
export const HOSTILE = "evil";

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

const TO_STATUS = { fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.endpoint", policy: "Optional" };
const TO_POLICY = { fromFieldPath: "status.endpoint", toResource: { name: "policy", fieldPath: "spec.reaches" } };

function toShare(composition: Composition): JsonObject {
  const { via, grant, resolution, namespaces, takes, depends = "nothing" } = composition;
  const where = namespaces === "spec" && { namespaces: { fromCompositeFieldPath: "spec.namespaces" } };
  const secretName = { fromCompositeFieldPath: "spec.secretName" };
  return {
    name: "db",
    ...DATABASE_KINDS[composition.databases],
    select: toSelect(composition),
    grant,
    resolution,
    ...(takes !== "fields" && { connection: { copies: [{ secretName, ...HOW[via], ...where }] } }),
    ...(takes !== "copy" && { toEnvironment: { fromFieldPath: "status.environment" } }),
    patches: [...(takes === "copy" ? [] : [TO_STATUS]), ...(isPatched(composition) ? [TO_POLICY] : [])],
    dependents: depends === "nothing" ? [] : ["polic*"],
  };
}

function toSelect({ select, minMatch, databases }: Pick<Composition, "select" | "minMatch" | "databases">): JsonObject {
  const namespace = databases === "namespaced" ? { namespace: OWNERS_NAMESPACE } : {};
  if (select === "name") return { name: { fromCompositeFieldPath: "spec.database" }, ...namespace };
  const labels = { matchLabels: { team: { fromCompositeFieldPath: "metadata.labels[team]" } }, minMatch };
  if (select === "labels") return { ...labels, ...namespace };
  const everywhere = databases === "namespaced" ? { namespace: "*" } : {};
  return { ...labels, ...everywhere, sortByFieldPath: "spec.order" };
}
