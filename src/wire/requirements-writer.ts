import { compareEntries } from "../model/collections.ts";
import type { Capability } from "../model/request.ts";
import type { ResourceSelector, SchemaSelector } from "../model/requirement.ts";
import * as fields from "./fields.ts";
import type { Writer } from "./writer.ts";

/**
 * Chooses the fields from which this version of Crossplane reads requirements. v2.2 and later advertise it. Versions up to v1.20 read
 * extra_resources only; v2.0 and v2.1 read both fields and, like v1, advertise nothing, so both are written.
 */
function chooseFields(capabilities: ReadonlySet<Capability>): readonly number[] {
  if (capabilities.has("RequiredResources")) return [fields.REQUIREMENTS_RESOURCES];
  return capabilities.size > 0
    ? [fields.REQUIREMENTS_EXTRA_RESOURCES]
    : [fields.REQUIREMENTS_RESOURCES, fields.REQUIREMENTS_EXTRA_RESOURCES];
}

/**
 * Writes requirements in the order of their names. Go's maps, and so the resources of a request, have a new order in each call, and
 * v1.20 compares the bytes of the field that it does not know: requirements in the order of the resources would never stabilize.
 */
export function writeRequirements(
  writer: Writer,
  requirements: ReadonlyMap<string, ResourceSelector>,
  capabilities: ReadonlySet<Capability>,
): void {
  const sorted = [...requirements].sort(compareEntries).reverse();
  for (const field of chooseFields(capabilities)) {
    for (const [name, selector] of sorted) {
      writer.entry(field, name, () => writeSelector(writer, selector));
    }
  }
}

export function writeSchemaRequirements(writer: Writer, schemas: ReadonlyMap<string, SchemaSelector>): void {
  for (const [name, { apiVersion, kind }] of [...schemas].sort(compareEntries).reverse()) {
    writer.entry(fields.REQUIREMENTS_SCHEMAS, name, () => {
      writer.string(fields.SELECTOR_KIND, kind);
      writer.string(fields.SELECTOR_API_VERSION, apiVersion);
    });
  }
}

function writeSelector(writer: Writer, { apiVersion, kind, namespace, match }: ResourceSelector): void {
  writer.string(fields.SELECTOR_NAMESPACE, namespace);
  if ("name" in match) {
    writer.string(fields.SELECTOR_MATCH_NAME, match.name);
  } else {
    writer.message(fields.SELECTOR_MATCH_LABELS, () => writeLabels(writer, match.labels));
  }
  writer.string(fields.SELECTOR_KIND, kind);
  writer.string(fields.SELECTOR_API_VERSION, apiVersion);
}

function writeLabels(writer: Writer, labels: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(labels).reverse()) {
    writer.message(fields.MATCH_LABELS_LABELS, () => {
      writer.string(fields.ENTRY_VALUE, value);
      writer.string(fields.ENTRY_KEY, key);
    });
  }
}
