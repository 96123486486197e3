import { readConditions } from "../model/condition.ts";
import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { toPlainText } from "../model/json.ts";

export const DEFINITION = {
  apiVersion: "apiextensions.crossplane.io/v2",
  kind: "CompositeResourceDefinition",
} as const;

/** A CompositeResourceDefinition (XRD), and the kind of XR that it defines. */
export interface Definition {
  readonly name: string;
  /** The referenceable API version of its XRs. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly document: Document;
}

/** Reads an XRD; undefined until its XRs are served, because requiring them would fail the whole Operation. */
export function toDefinition(document: Document): Definition | undefined {
  const name = stringAt(document, ["metadata", "name"]);
  const group = stringAt(document, ["spec", "group"]);
  const kind = stringAt(document, ["spec", "names", "kind"]);
  const version = objectsAt(document, ["spec", "versions"]).find(({ referenceable }) => referenceable === true)?.[
    "name"
  ];
  const isEstablished = readConditions(document).some(
    ({ type, status }) => type === "Established" && status === "True",
  );
  if (!isEstablished || name === undefined || group === undefined || kind === undefined || version === undefined)
    return undefined;
  return { name, apiVersion: `${group}/${toPlainText(version)}`, kind, document };
}
