import { shownCondition } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { toCommand } from "../model/shell.ts";
import { toApiGroup, toGroupKind, withoutScope } from "./api-group.ts";
import { EXTERNAL_NAME, readAnnotation } from "./metadata.ts";
import { findFacts } from "./providers/families.ts";

export interface ManagedKind {
  readonly apiVersion: string;
  /** The API group without the `.m` of namespaced managed resources: both kinds manage the same cloud resources. */
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

/** Matches the groups of the classic provider-aws, whose kinds are cluster-scoped only. */
const CLASSIC = /(?:^|\.)aws\.crossplane\.io$/;

/** Matches the groups for which `providers/` lists API versions. */
const LISTED = /\.upbound\.io$|^kubernetes\.crossplane\.io$/;

/** Finds the namespaced twin of a cluster-scoped kind, or the other way round. The cluster may not serve the twin. */
export function findTwin({ apiVersion, group, kind, isNamespaced }: ManagedKind): ManagedKind | undefined {
  const namespacedGroup = group.replace(/(?=\.[^.]+\.[^.]+$)/, ".m");
  if (namespacedGroup === group || CLASSIC.test(group)) return undefined;
  const { cluster, namespaced } = findFacts(group, kind).versions;
  const [twinGroup, listed] = isNamespaced ? [group, cluster] : [namespacedGroup, namespaced];
  const version = LISTED.test(group) ? listed : apiVersion.slice(apiVersion.indexOf("/") + 1);
  return toManagedKind(`${twinGroup}/${version}`, kind);
}

/**
 * Recognizes a managed resource by spec.providerConfigRef or spec.managementPolicies, for which its CRD has defaults. A nested
 * XR may have such a field, but also has one of Crossplane's own fields.
 */
export function isManaged(observed: Document): boolean {
  const has = (field: string): boolean => observed.at(["spec", field]) !== undefined;
  const isComposite = has("crossplane") || has("compositionRef") || has("compositionRevisionRef");
  return (has("providerConfigRef") || has("managementPolicies")) && !isComposite;
}

export interface ProviderConfig {
  readonly kind: "ProviderConfig" | "ClusterProviderConfig";
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Reads the ProviderConfig. @param namespace the XR's namespace, for a managed resource that does not exist yet. */
export function readProviderConfig(managed: Document, namespace?: string): ProviderConfig {
  const name = stringAt(managed, ["spec", "providerConfigRef", "name"]) ?? "default";
  const { isNamespaced } = toManagedKind(stringAt(managed, ["apiVersion"]) ?? "", "");
  if (!isNamespaced) return { kind: "ProviderConfig", name, namespace: undefined };
  if (stringAt(managed, ["spec", "providerConfigRef", "kind"]) !== "ProviderConfig")
    return { kind: "ClusterProviderConfig", name, namespace: undefined };
  return { kind: "ProviderConfig", name, namespace: namespace ?? stringAt(managed, ["metadata", "namespace"]) ?? "" };
}

export type Observation = "unknown" | "absent" | "present";

/** The error of a managed resource that only observes, if there is no cloud resource: crossplane-runtime pkg/reconciler/managed, v1.15 to v2.4. */
const ABSENT_MESSAGE = "external resource does not exist";

/** Reads from the condition Synced whether there is a cloud resource; `unknown` if the provider failed to look, or is paused. */
export function readObservation(managed: Document): Observation {
  const synced = shownCondition(managed, "Synced");
  if (synced?.status === "True") return "present";
  return synced?.message.includes(ABSENT_MESSAGE) === true ? "absent" : "unknown";
}

/** The prefix of the annotations in which a provider records a creation. */
export const CREATION = "crossplane.io/external-create-";

/** The error of an interrupted creation: crossplane-runtime pkg/reconciler/managed, errCreateIncomplete. */
const UNKNOWN_CREATION = "cannot determine creation result";

/**
 * Reads the time of a creation that succeeded or was interrupted, but left no external name or ID; undefined for any other. The
 * name may be lost: an asynchronous provider reports success at once, and forgets the creation when it restarts (upjet#632).
 */
export function readNamelessCreation(managed: Document): string | undefined {
  const isReported = [EXTERNAL_NAME, ["status", "atProvider", "id"]].some(
    (path) => stringAt(managed, path) !== undefined,
  );
  if (isReported || shownCondition(managed, "LastAsyncOperation")?.status === "False") return undefined;
  const { pending, succeeded, failed } = readCreation(managed);
  const isInterrupted = shownCondition(managed, "Synced")?.message.includes(UNKNOWN_CREATION) === true;
  // Times compare as texts (RFC 3339); "", a time that is not recorded, is the earliest.
  const begun = isInterrupted ? pending : succeeded;
  const isUnderWay = !isInterrupted && pending > succeeded;
  return begun > failed && !isUnderWay ? begun : undefined;
}

/** Reads the times at which a creation began, succeeded and failed (RFC 3339); "" for a time that is not recorded. */
function readCreation(managed: Document) {
  const timeOf = (outcome: string): string => readAnnotation(managed, `${CREATION}${outcome}`) ?? "";
  return { pending: timeOf("pending"), succeeded: timeOf("succeeded"), failed: timeOf("failed") };
}

/**
 * Reads the time at which the provider created the cloud resource; undefined if it existed before. A creation that
 * has begun, and is not known to have failed, counts too. Source: crossplane-runtime pkg/meta, SetExternalCreatePending.
 */
export function readCreationTime(managed: Document): string | undefined {
  const { pending, succeeded, failed } = readCreation(managed);
  return succeeded || (failed === "" && pending) || undefined;
}

export function isCreationUnderWay(managed: Document): boolean {
  const { pending, succeeded, failed } = readCreation(managed);
  return pending > succeeded && pending > failed;
}

export const annotateCommand = (kind: ManagedKind, managed: Document | undefined): string =>
  toCommandOn("annotate", kind, managed);

/** Makes a kubectl command for a managed resource; with `NAME` in place of the name of one that does not exist yet. */
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
