import { toGroupKind } from "../crossplane/api-group.ts";
import type { Composite } from "../crossplane/composite.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import type { Reference } from "../crossplane/references.ts";
import type { Document } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import { isObject, type JsonObject, objectOf, parseJson, toSortedObject } from "../model/json.ts";
import { isPathSegment, SECRET_KEY } from "../model/names.ts";
import { once } from "../model/once.ts";
import { RECORD_KINDS, RECORD_LABEL, recordId, recordKind } from "./record.ts";

/** A composed resource in the record of names. */
export interface RecordedName {
  /** Its kind and group: a resource of another kind under the same name does not inherit the names. */
  readonly kind: string;
  /** The version by which it is looked up after a restore; undefined in records of older versions. */
  readonly apiVersion: string | undefined;
  /** Its `metadata.name`, which Crossplane derives from an XR's uid. */
  readonly name: string;
  readonly externalName: string | undefined;
  /** The annotation ROTATION, which remembers who had access to its password (`consumers.rotation`). */
  readonly rotation: string | undefined;
}

/** Recorded names, by name in the Composition. */
export type RecordedNames = ReadonlyMap<string, RecordedName>;

/**
 * The name of the record of names in the Composition. The names are not in the record of bindings (RECORD_NAME), since owners read the
 * bindings of every consumer, and each change of that record reconciles the owners.
 */
export const NAMES_NAME = "shared-infrastructure/names";

/** The prefix of the `metadata.name` of every record of names: `publish` refuses other EnvironmentConfigs with it. */
export const RECORD_PREFIX = "shared-infrastructure-names-";

/** Makes the `metadata.name` of an XR's record of names. @param id the XR's `recordId` */
export const namesRecordName = (id: string): string => `${RECORD_PREFIX}${id}`;

/** Recognizes the XR's own record of names. It needs no adoption, since the XR composes it under the same name. */
export const isNamesRecord = ({ kind, name }: Reference, composite: Composite): boolean =>
  kind === recordKind(composite).kind && name === namesRecordName(recordId(composite));

/** Selects the record of names that an operator has applied for a namespaced XR: an EnvironmentConfig, which no team can write. */
export const appliedNames = (composite: Composite) => ({
  ...RECORD_KINDS.EnvironmentConfig,
  match: { name: namesRecordName(recordId(composite)) },
});

export const toRecordedKind = ({ kind, group }: Pick<ManagedKind, "kind" | "group">): string =>
  toGroupKind(kind, group);

/** Makes the key of a composed resource in the ConfigMap: its name in the Composition, or a hash if that is no valid key. */
const toDataKey = (name: string): string =>
  SECRET_KEY.test(name) && !name.startsWith(".") ? name : `sha256-${hashText(name, 40)}`;

export const composeNames = (composite: Composite, names: RecordedNames): JsonObject => ({
  ...recordKind(composite),
  metadata: { name: namesRecordName(recordId(composite)), labels: { [RECORD_LABEL]: recordId(composite) } },
  data: toNamesData(names),
});

export const toNamesData = (names: RecordedNames): JsonObject =>
  toSortedObject(
    new Map([...names].map(([resource, entry]) => [toDataKey(resource), JSON.stringify({ resource, ...entry })])),
  );

/** Reads a record of names. Skips invalid entries, since people may have edited it. */
export const readNames = (record: Document | undefined): RecordedNames =>
  record === undefined ? NO_NAMES : namesIn(record);

export const NO_NAMES: RecordedNames = new Map();

const namesIn = once(
  (record: Document): RecordedNames => new Map(Object.values(objectOf(record.at(["data"]))).flatMap(readEntry)),
);

function readEntry(text: unknown): readonly (readonly [string, RecordedName])[] {
  const entry = typeof text === "string" ? parseJson(text) : undefined;
  if (!isObject(entry)) return [];
  const { resource, kind, apiVersion, name, externalName, rotation } = entry;
  if (typeof resource !== "string" || typeof kind !== "string") return [];
  if (typeof name !== "string" || !isPathSegment(name)) return [];
  const external = { externalName: toText(externalName), rotation: toText(rotation) };
  return [[resource, { kind, apiVersion: toText(apiVersion), name, ...external }]];
}

const toText = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
