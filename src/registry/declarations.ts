import { toComposite } from "../crossplane/composite.ts";
import { EVERYTHING, mayDelete, mayWrite, policiesOf } from "../crossplane/management-policies.ts";
import { familyOf } from "../crossplane/providers/families.ts";
import { type Document, documentOf, stringAt } from "../model/document.ts";
import { type FieldPath, formatFieldPath, withValueAt } from "../model/field-path.ts";
import type { JsonObject } from "../model/json.ts";
import { OWNER, ownerOf } from "../ownership/owner.ts";
import { placeOf } from "./holding.ts";
import type { MappedResource, Mapping, Source } from "./mapping.ts";
import type { Declarer } from "./ownership.ts";
import { type Question, withoutM } from "./question.ts";

/** An object's wish for a cloud resource. */
export interface Declaration {
  readonly declarer: Declarer;
  readonly question: Question;
  /** The field that names it: where a person would change it. */
  readonly path: FieldPath;
}

/** What an object declares. */
export interface Declared {
  readonly declarations: readonly Declaration[];
  /** What could not be told, each a sentence. */
  readonly doubts: readonly string[];
  /** Whether somebody said what objects of its kind declare. */
  readonly isKnown: boolean;
}

const NOTHING: Declared = { declarations: [], doubts: [], isKnown: true };

/** Who an object is. */
export interface Named {
  readonly group: string;
  readonly kind: string;
  readonly document: Document;
}

/** @returns undefined for what is no Kubernetes object with a name. One that the API server will make up stands as its beginning. */
export function toNamed(object: JsonObject): Named | undefined {
  const document = documentOf(withName(object));
  const apiVersion = stringAt(document, ["apiVersion"]);
  const kind = stringAt(document, ["kind"]);
  if (apiVersion === undefined || kind === undefined || !hasName(document)) return undefined;
  return { group: apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "", kind, document };
}

function withName(object: JsonObject): JsonObject {
  const document = documentOf(object);
  const beginning = stringAt(document, ["metadata", "generateName"]);
  if (beginning === undefined || hasName(document)) return object;
  return withValueAt(object, ["metadata", "name"], `${beginning}*`);
}

const hasName = (document: Document): boolean => stringAt(document, ["metadata", "name"]) !== undefined;

/**
 * The cloud resources that an object declares: those that the mapping says for an XR or claim, and that a managed resource
 * names itself. A managed resource that only observes takes nothing from anybody, so it declares none; the function's own start
 * that way.
 */
export function declarationsOf(
  object: JsonObject,
  mappings: readonly Mapping[],
  { includeObservers = false } = {},
): Declared {
  const named = toNamed(object);
  if (named === undefined) return { ...NOTHING, isKnown: false };
  const mapping = mappings.find(({ apiGroup, kind }) => apiGroup === named.group && kind === named.kind);
  if (mapping !== undefined) return byMapping(named, mapping);
  return isManaged(named) ? byItself(named, includeObservers) : { ...NOTHING, isKnown: false };
}

const isManaged = ({ group, kind, document }: Named): boolean =>
  familyOf(withoutM(group), kind) !== undefined || document.at(["spec", "forProvider"]) !== undefined;

function byItself({ group, kind, document }: Named, includeObservers: boolean): Declared {
  const { names, namePaths, scope, providerConfig } = placeOf(document, { group, kind });
  const path = namePaths.at(-1);
  if (path === undefined || names.at(-1) === "") return NOTHING; // its provider makes up the name
  const isObserver = !mayWrite(policiesOf(document) ?? EVERYTHING) && !mayDelete(document);
  if (isObserver && !includeObservers) return NOTHING;
  const namespace = stringAt(document, ["metadata", "namespace"]);
  const name = [namespace, stringAt(document, ["metadata", "name"])].filter(Boolean).join("/");
  const self = `${kind}.${group}/${name}`;
  const declarer = { owner: stringAt(document, ["metadata", "annotations", OWNER]) ?? self, self };
  const question = { group: withoutM(group), kind, names, providerConfig, scope };
  return { ...NOTHING, declarations: [{ declarer, question, path }] };
}

function byMapping({ document }: Named, { resources }: Mapping): Declared {
  const declarer = { owner: ownerOf(toComposite(document)) };
  const asked = resources.map((resource) => toQuestion(resource, document));
  return {
    isKnown: true,
    declarations: asked.flatMap(({ question, path }) => (question === undefined ? [] : [{ declarer, question, path }])),
    doubts: asked.flatMap(({ doubt }) => doubt ?? []),
  };
}

interface Asked {
  readonly question?: Question;
  readonly path: FieldPath;
  readonly doubt?: string;
}

function toQuestion(
  { apiGroup, kind, names: sources, providerConfig, scope }: MappedResource,
  document: Document,
): Asked {
  const last = sources.at(-1);
  const path = last === undefined ? ["kind"] : pathOf(last);
  const texts = sources.map((source) => textOf(source, document));
  // An Object's namespace may be missing; a name may not.
  if (texts.at(-1) === undefined) {
    const doubt = `cannot tell which ${kind} it stands for: ${formatFieldPath(path)} is not set`;
    return { path, doubt };
  }
  const places = Object.entries(scope).flatMap(([field, source]) => {
    const text = textOf(source, document);
    return text === undefined ? [] : [[field, text] as const];
  });
  const names = texts.map((text) => text ?? "");
  const config = providerConfig && textOf(providerConfig, document);
  return {
    path,
    question: { group: withoutM(apiGroup), kind, names, providerConfig: config, scope: new Map(places) },
  };
}

/** The field where a text comes from; of a template, the first one in it. */
function pathOf(source: Source): FieldPath {
  if (source.is === "field") return source.path;
  if (source.is === "literal") return ["kind"];
  return source.parts.find((part) => typeof part !== "string") ?? ["kind"];
}

function textOf(source: Source, document: Document): string | undefined {
  if (source.is === "literal") return source.value;
  if (source.is === "field") return scalarAt(document, source.path);
  const parts = source.parts.map((part) => (typeof part === "string" ? part : scalarAt(document, part)));
  return parts.includes(undefined) ? undefined : parts.join("");
}

/** A number or a boolean is read as its text: Compositions convert it as well. */
function scalarAt(document: Document, path: FieldPath): string | undefined {
  const value = document.at(path);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
