import { compareEntries } from "../model/compare.ts";
import { shownCondition } from "../model/condition.ts";
import type { Document } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import type { Requirement, ResourceSelector } from "../model/requirement.ts";

/** So many digits that nobody finds two selectors with one hash, although teams choose what is in them. */
const DIGITS = 32;

/**
 * Makes a requirement whose name contains a hash of its selector. Crossplane v2.4 begins a reconcile with what it found for
 * the names of the last one: under a name that stays while its selector changes it would answer with another resource.
 */
export const toRequirement = (name: string, selector: ResourceSelector): Requirement => ({
  name: `${name}#${hashSelector(selector)}`,
  selector,
});

function hashSelector({ apiVersion, kind, namespace = "", match }: ResourceSelector): string {
  const sought = "name" in match ? match.name : Object.entries(match.labels).sort(compareEntries);
  return hashText(JSON.stringify([apiVersion, kind, namespace, sought]), DIGITS);
}

/** The requirement of Namespaces: one by its name, or all with these labels. */
export const toNamespaceRequirement = (name: string, match: ResourceSelector["match"]): Requirement =>
  toRequirement(name, { apiVersion: "v1", kind: "Namespace", match });

/** The requirement of one Secret. */
export const toSecretRequirement = (
  name: string,
  secret: { readonly namespace: string; readonly name: string },
): Requirement =>
  toRequirement(name, {
    apiVersion: "v1",
    kind: "Secret",
    namespace: secret.namespace,
    match: { name: secret.name },
  });

/** Source: errCompose, errFmtRunPipelineStep and FetchingFunctionRunner, the same in Crossplane v1.20 to v2.4. */
const NOT_FETCHED =
  /^cannot compose resources: cannot run Composition pipeline step "[^"]*": fetching resources for (?<name>[^#]*)#/;

/**
 * Tells whether the XR's last reconcile failed because Crossplane could not read what a requirement asks for, by how the names of
 * such requirements begin. What RBAC forbids it waits for until the reconcile's two minutes are over, and then it fails the XR as
 * a whole and names the first of them, so whoever asks again at once never gets to say what is missing.
 *
 * The message is read from its beginning: further on it may repeat what a team has written, such as the name of a resource.
 */
export function couldNotBeRead(prefix: string, composite: Document): boolean {
  const synced = shownCondition(composite, "Synced");
  const name = synced?.status === "False" ? NOT_FETCHED.exec(synced.message)?.groups?.["name"] : undefined;
  return name?.startsWith(prefix) === true;
}
