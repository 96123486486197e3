import type { Document } from "../model/document.ts";
import { DNS_LABEL, DOMAIN } from "../model/names.ts";
import { once } from "../model/once.ts";
import { type LabelSelector, parseLabelSelector } from "./label-selector.ts";
import { readAnnotation } from "./metadata.ts";

/** Namespaces, separated by commas, that the shared resource's owner grants access to; `*` for all. */
export const ALLOWED_NAMESPACES = `${DOMAIN}/allowed-namespaces`;

/** A label selector: Namespaces that match have access as well. */
export const ALLOWED_NAMESPACE_SELECTOR = `${DOMAIN}/allowed-namespace-selector`;

/** The grant that lies on a shared resource, so that whoever wants access cannot give it to himself. */
export interface NamespaceGrant {
  readonly names: ReadonlySet<string>;
  readonly isForAll: boolean;
  /** The first entry of the list that is not the name of a namespace, such as `red;green`: it grants nothing. */
  readonly invalidName: string | undefined;
  readonly selector: LabelSelector | undefined;
  /** The selector, where it is none: it grants nothing. */
  readonly invalidSelector: string | undefined;
}

/** Reads an annotation that lists namespaces, separated by commas. It may be long: read it once. */
export const toNamespaceSet = (text: string | undefined): ReadonlySet<string> =>
  new Set((text ?? "").split(",").map((name) => name.trim()));

/** Reads a shared resource's grant. */
export const readNamespaceGrant = once((shared: Document): NamespaceGrant => {
  const listed = toNamespaceSet(readAnnotation(shared, ALLOWED_NAMESPACES));
  const text = readAnnotation(shared, ALLOWED_NAMESPACE_SELECTOR);
  const selector = text === undefined ? undefined : parseLabelSelector(text);
  return {
    names: new Set([...listed].filter((name) => DNS_LABEL.test(name))),
    isForAll: listed.has("*"),
    invalidName: [...listed].find((name) => name !== "" && name !== "*" && !DNS_LABEL.test(name)),
    selector,
    invalidSelector: selector === undefined && text?.trim() !== "" ? text : undefined,
  };
});
