import { compareEntries } from "../model/collections.ts";
import { shownCondition } from "../model/condition.ts";
import type { Document } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import type { Requirement, ResourceSelector } from "../model/requirement.ts";
import type { SecretName } from "./copies.ts";

/** Enough digits to prevent collisions on purpose: teams choose parts of selectors. */
const DIGITS = 32;

/**
 * Makes a requirement whose name contains a hash of its selector. Crossplane v2.4 starts a reconcile with the answers of the last
 * one, by name: if the selector changed and the name did not, the answer would be the wrong resource.
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

/** Crossplane's error if it cannot fetch a requirement: errCompose, errFmtRunPipelineStep, FetchingFunctionRunner (v1.20 to v2.4). */
const NOT_FETCHED =
  /^cannot compose resources: cannot run Composition pipeline step "[^"]*": fetching resources for (?<name>[^#]*)#/;

/**
 * Tells whether the XR's last reconcile failed because Crossplane could not read a requirement whose name has this prefix. Where
 * RBAC forbids a read, Crossplane waits until the reconcile's timeout of two minutes, fails the whole XR and names one requirement.
 * A function that asks again at once would never get to report the missing permission.
 *
 * Matches the beginning of the message only: further on it may contain text that a team wrote, such as the name of a resource.
 */
export function couldNotBeRead(prefix: string, composite: Document): boolean {
  const synced = shownCondition(composite, "Synced");
  const name = synced?.status === "False" ? NOT_FETCHED.exec(synced.message)?.groups?.["name"] : undefined;
  return name?.startsWith(prefix) === true;
}
