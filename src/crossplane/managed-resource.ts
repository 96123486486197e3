import { shownCondition } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { toCommand } from "../model/shell.ts";
import { toApiGroup, toGroupKind, withoutScope } from "./api-group.ts";
import { EXTERNAL_NAME, readAnnotation } from "./metadata.ts";
import { findFacts } from "./providers/families.ts";

/** The kind of a managed resource: `Distribution` of `cloudfront.aws.upbound.io`. */
export interface ManagedKind {
  readonly apiVersion: string;
  /** Without the `.m` of namespaced managed resources: both kinds manage the same cloud resources. */
  readonly group: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export const readManagedKind = (resource: Document): ManagedKind =>
  toManagedKind(stringAt(resource, ["apiVersion"]) ?? "", stringAt(resource, ["kind"]) ?? "");

export function toManagedKind(apiVersion: string, kind: string): ManagedKind {
  const scoped = toApiGroup(apiVersion);
  const group = withoutScope(scoped);
  return { apiVersion, group, kind, isNamespaced: group !== scoped };
}

/** The groups of the classic provider-aws, whose kinds are cluster-scoped only. */
const CLASSIC = /(?:^|\.)aws\.crossplane\.io$/;

/** The groups whose kinds' versions are known. */
const LISTED = /\.upbound\.io$|^kubernetes\.crossplane\.io$/;

/**
 * Finds the twin of a kind, by which the same provider manages the same cloud resources: the namespaced kind of a cluster-scoped one, or
 * the other way round. A kind that is not listed is taken to have the version of its twin. The twin may not be served.
 */
export function findTwin({ apiVersion, group, kind, isNamespaced }: ManagedKind): ManagedKind | undefined {
  const scoped = group.replace(/(?=\.[^.]+\.[^.]+$)/, ".m");
  if (scoped === group || CLASSIC.test(group)) return undefined;
  const { cluster, namespaced } = findFacts(group, kind).versions;
  const listed = isNamespaced ? cluster : namespaced;
  const version = LISTED.test(group) ? listed : apiVersion.slice(apiVersion.indexOf("/") + 1);
  return toManagedKind(`${isNamespaced ? group : scoped}/${version}`, kind);
}

/** Recognizes a managed resource by fields that its CRD defaults. A nested XR may have them too, but also has a Composition. */
export function isManaged(observed: Document): boolean {
  const has = (field: string): boolean => observed.at(["spec", field]) !== undefined;
  const isComposite = has("crossplane") || has("compositionRef") || has("compositionRevisionRef");
  return (has("providerConfigRef") || has("managementPolicies")) && !isComposite;
}

/** A ProviderConfig: a way into an account of the cloud. */
export interface ProviderConfig {
  readonly kind: "ProviderConfig" | "ClusterProviderConfig";
  readonly name: string;
  /** Undefined for one that is cluster-scoped. */
  readonly namespace: string | undefined;
}

/**
 * Reads the ProviderConfig of a managed resource. Namespaced managed resources call the cluster-scoped kind ClusterProviderConfig, and it
 * is their default.
 *
 * @param namespace the managed resource's, which Crossplane sets to the XR's: before it is created, the managed resource does not say it.
 */
export function readProviderConfig(managed: Document, namespace?: string): ProviderConfig {
  const name = stringAt(managed, ["spec", "providerConfigRef", "name"]) ?? "default";
  if (!readManagedKind(managed).isNamespaced) return { kind: "ProviderConfig", name, namespace: undefined };
  if (stringAt(managed, ["spec", "providerConfigRef", "kind"]) !== "ProviderConfig")
    return { kind: "ClusterProviderConfig", name, namespace: undefined };
  return { kind: "ProviderConfig", name, namespace: namespace ?? stringAt(managed, ["metadata", "namespace"]) ?? "" };
}

/** The provider's last finding about the cloud resource. */
export type Observation = "unknown" | "absent" | "present";

/** The error of a managed resource that only observes: crossplane-runtime pkg/reconciler/managed, v1.15 to v2.4. */
const ABSENT_MESSAGE = "external resource does not exist";

/** Reads the observation from the condition Synced. A provider that failed to look, or is paused, leaves it unknown. */
export function readObservation(managed: Document): Observation {
  const synced = shownCondition(managed, "Synced");
  if (synced?.status === "True") return "present";
  return synced?.message.includes(ABSENT_MESSAGE) === true ? "absent" : "unknown";
}

/** The prefix of the annotations in which a provider records a creation. */
export const CREATION = "crossplane.io/external-create-";

/** The error of a runtime that does not know whether it has created the cloud resource: pkg/reconciler/managed, errCreateIncomplete. */
const UNKNOWN_CREATION = "cannot determine creation result";

/**
 * Reads when a creation began whose external name was not recorded; undefined if none began, if it failed, or if the provider
 * reports the cloud resource. A provider that creates asynchronously reports success at once, and a restart forgets the creation (upjet#632).
 */
export function readNamelessCreation(managed: Document): string | undefined {
  const at = (outcome: string): string => readAnnotation(managed, `${CREATION}${outcome}`) ?? "";
  const isReported = [EXTERNAL_NAME, ["status", "atProvider", "id"]].some(
    (path) => stringAt(managed, path) !== undefined,
  );
  if (isReported || shownCondition(managed, "LastAsyncOperation")?.status === "False") return undefined;
  const [pending, succeeded] = [at("pending"), at("succeeded")];
  const isInterrupted = shownCondition(managed, "Synced")?.message.includes(UNKNOWN_CREATION) === true;
  const begun = isInterrupted ? pending : succeeded;
  return begun > at("failed") && (isInterrupted || begun >= pending) ? begun : undefined;
}

/**
 * Reads when the provider created the cloud resource for this managed resource; undefined where the cloud resource existed. The
 * provider records its intent first and the outcome afterwards, so an intent without a failure may be a creation. Source:
 * crossplane-runtime pkg/meta, SetExternalCreatePending.
 */
export function readCreationTime(managed: Document): string | undefined {
  const at = (outcome: string): string | undefined => readAnnotation(managed, `${CREATION}${outcome}`);
  return at("succeeded") ?? (at("failed") === undefined ? at("pending") : undefined);
}

/** Tells whether the provider has begun to create the cloud resource, and has not said yet how that ended. */
export function isCreationUnderWay(managed: Document): boolean {
  const at = (outcome: string): string => readAnnotation(managed, `${CREATION}${outcome}`) ?? "";
  return at("pending") > at("succeeded") && at("pending") > at("failed");
}

/** Begins the command that annotates a managed resource; `NAME` before it is created. */
export const annotate = (kind: ManagedKind, managed: Document | undefined): string =>
  toCommandOn("annotate", kind, managed);

/** Makes a command of kubectl on a managed resource; `NAME` before it is created. */
export function toCommandOn(
  verb: string,
  { apiVersion, kind }: ManagedKind,
  managed: Document | undefined,
  ...more: readonly string[]
): string {
  const resource = toGroupKind(kind.toLowerCase(), toApiGroup(apiVersion));
  const namespace = managed && stringAt(managed, ["metadata", "namespace"]);
  const name = (managed && stringAt(managed, ["metadata", "name"])) ?? "NAME";
  return toCommand("kubectl", verb, resource, name, ...(namespace === undefined ? [] : ["-n", namespace]), ...more);
}
