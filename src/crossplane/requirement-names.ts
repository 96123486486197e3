import { compareEntries } from "../model/collections.ts";
import { shownCondition } from "../model/condition.ts";
import type { Document } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import type { Requirement, ResourceSelector } from "../model/requirement.ts";
import type { SecretName } from "./copies.ts";

/** The digits of a selector's hash: enough that a team, which chooses parts of selectors, cannot cause a collision. */
const DIGITS = 32;

/**
 * Makes a requirement whose name contains a hash of its selector. Crossplane v2.4 starts a reconcile with the answers of
 * the last reconcile, by name. Under the same name, a changed selector would get the wrong resource.
 */
export const toRequirement = (name: string, selector: ResourceSelector): Requirement => ({
  name: `${name}#${hashSelector(selector)}`,
  selector,
});

function hashSelector({ apiVersion, kind, namespace = "", match }: ResourceSelector): string {
  const sought = "name" in match ? match.name : Object.entries(match.labels).sort(compareEntries);
  return hashText(JSON.stringify([apiVersion, kind, namespace, sought]), DIGITS);
}

/** Requires Namespaces: one by its name, or all with these labels. */
export const toNamespaceRequirement = (name: string, match: ResourceSelector["match"]): Requirement =>
  toRequirement(name, { apiVersion: "v1", kind: "Namespace", match });

export const toSecretRequirement = (name: string, secret: SecretName): Requirement =>
  toRequirement(name, { apiVersion: "v1", kind: "Secret", namespace: secret.namespace, match: { name: secret.name } });

/** Matches Crossplane's error for a requirement that it cannot fetch: FetchingFunctionRunner, v1.20 to v2.4. */
const NOT_FETCHED =
  /^cannot compose resources: cannot run Composition pipeline step "[^"]*": fetching resources for (?<name>[^#]*)#/;

/**
 * Tells whether the XR's last reconcile failed because Crossplane could not read a requirement with this prefix. If RBAC
 * forbids a read, Crossplane waits for two minutes, fails the XR and names the requirement. A function that required it
 * again would make every reconcile fail alike, and could never report the cause.
 *
 * Only the beginning of Crossplane's message is matched: a team may write the rest.
 */
export function couldNotBeRead(prefix: string, composite: Document): boolean {
  const synced = shownCondition(composite, "Synced");
  const name = synced?.status === "False" ? NOT_FETCHED.exec(synced.message)?.groups?.["name"] : undefined;
  return name?.startsWith(prefix) === true;
}
