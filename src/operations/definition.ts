import { type Document, stringAt } from "../model/document.ts";
import { isObject, toPlainText } from "../model/json.ts";

export const DEFINITION = {
  apiVersion: "apiextensions.crossplane.io/v2",
  kind: "CompositeResourceDefinition",
} as const;

/** A CompositeResourceDefinition, and the kind of XR that it defines. */
export interface Definition {
  readonly name: string;
  /** The API version of its XRs that Compositions refer to. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly document: Document;
}

/** Reads an XRD; undefined while its XRs are not served, since requiring them would fail the whole Operation. */
export function toDefinition(document: Document): Definition | undefined {
  const name = stringAt(document, ["metadata", "name"]);
  const group = stringAt(document, ["spec", "group"]);
  const kind = stringAt(document, ["spec", "names", "kind"]);
  const version = objectsAt(document, ["spec", "versions"]).find(({ referenceable }) => referenceable === true)?.[
    "name"
  ];
  const isEstablished = objectsAt(document, ["status", "conditions"]).some(
    ({ type, status }) => type === "Established" && status === "True",
  );
  if (!isEstablished || name === undefined || group === undefined || kind === undefined || version === undefined)
    return undefined;
  return { name, apiVersion: `${group}/${toPlainText(version)}`, kind, document };
}

function objectsAt(document: Document, path: readonly string[]) {
  const value = document.at(path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}
