import { EXTERNAL_NAME, NAME, readLabel } from "../crossplane/metadata.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { IDENTITY_LABEL } from "./annotations.ts";
import { type DeclaredResource, mustBeResolved, textAt } from "./fields.ts";

export interface Names {
  /** The names by which a person looks for the cloud resource; "" for a field that is not set. */
  readonly names: readonly string[];
  /** The values of the name fields, which are compared; none for a kind of ONLY_ONE. */
  readonly parts: readonly string[];
  /** The field to edit to change the name. */
  readonly path: FieldPath;
}

/** Names a cloud resource that exists once per region, such as an account's settings. */
const ONLY_ONE = "default";

/** Reads a cloud resource's names; undefined if they are not set, "unresolved" while a reference that fills in one of them is. */
export function readNames(declared: DeclaredResource): Names | "unresolved" | undefined {
  const { desired, facts } = declared;
  const { name } = facts;
  if (name.is === "externalName") return readExternalName(declared, name.defaultsToName);
  if (name.is === "fields") {
    const names = name.paths.map((path) => stringAt(desired, path) ?? "");
    return (names.at(-1) ?? "") === "" ? undefined : { names, parts: names, path: name.paths.at(-1) ?? EXTERNAL_NAME };
  }
  const [path] = name.paths;
  if (path === undefined) return { names: [ONLY_ONE], parts: [], path: ["kind"] };
  const parts = name.paths.flatMap((field) => textAt(declared, field) ?? []);
  if (parts.length < name.paths.length) return "unresolved";
  const texts = parts.filter(Boolean);
  if (texts.length > 0) return { names: [texts.join(",")], parts, path };
  if (name.orExternalName) return readExternalName(declared, false);
  // The references count as empty since the provider has looked, but for an earlier declaration: without these, it creates nothing.
  return name.paths.some((field) => mustBeResolved(desired, field)) ? "unresolved" : undefined;
}

/**
 * Reads the desired external name: the annotation, or metadata.name if the provider defaults to that. An observed annotation wins over
 * metadata.name, because providers write the annotation only once.
 */
function readExternalName(declared: DeclaredResource, defaultsToName: boolean): Names | undefined {
  const { desired, observed, chosen } = declared;
  const annotated = (chosen ?? stringAt(desired, EXTERNAL_NAME)) || undefined;
  const ownName =
    annotated === undefined && defaultsToName ? (stringAt(desired, NAME) ?? arbitratedName(observed)) : undefined;
  const name = ownName === undefined ? annotated : ((observed && stringAt(observed, EXTERNAL_NAME)) ?? ownName);
  if (name === undefined) return undefined;
  const names = [name];
  return { names, parts: names, path: ownName === undefined ? EXTERNAL_NAME : NAME };
}

/** Reads metadata.name of a managed resource with the identity label. Such a resource keeps its name, even if no step desires the name. */
const arbitratedName = (observed: Document | undefined): string | undefined =>
  observed && readLabel(observed, IDENTITY_LABEL) !== undefined ? stringAt(observed, NAME) : undefined;
