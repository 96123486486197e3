import type { Capability } from "../model/request.ts";
import type { ResourceSelector, SchemaSelector } from "../model/requirement.ts";
import {
  ENTRY_KEY,
  ENTRY_VALUE,
  MATCH_LABELS_LABELS,
  REQUIREMENTS_EXTRA_RESOURCES,
  REQUIREMENTS_RESOURCES,
  REQUIREMENTS_SCHEMAS,
  SELECTOR_API_VERSION,
  SELECTOR_KIND,
  SELECTOR_MATCH_LABELS,
  SELECTOR_MATCH_NAME,
  SELECTOR_NAMESPACE,
} from "./fields.ts";
import type { Writer } from "./writer.ts";

/**
 * Chooses the fields from which this version of Crossplane reads requirements. v2.2 and later advertise it. Versions up to v1.20 read
 * extra_resources only; v2.0 and v2.1 read both fields and, like v1, advertise nothing, so both are written.
 */
function chooseFields(capabilities: ReadonlySet<Capability>): readonly number[] {
  if (capabilities.has("RequiredResources")) return [REQUIREMENTS_RESOURCES];
  return capabilities.size > 0
    ? [REQUIREMENTS_EXTRA_RESOURCES]
    : [REQUIREMENTS_RESOURCES, REQUIREMENTS_EXTRA_RESOURCES];
}

export function writeRequirements(
  writer: Writer,
  requirements: ReadonlyMap<string, ResourceSelector>,
  capabilities: ReadonlySet<Capability>,
): void {
  for (const field of chooseFields(capabilities)) {
    for (const [name, selector] of [...requirements].reverse()) {
      writer.message(field, () => {
        writer.message(ENTRY_VALUE, () => writeSelector(writer, selector));
        writer.string(ENTRY_KEY, name);
      });
    }
  }
}

export function writeSchemaRequirements(writer: Writer, schemas: ReadonlyMap<string, SchemaSelector>): void {
  for (const [name, { apiVersion, kind }] of [...schemas].reverse()) {
    writer.message(REQUIREMENTS_SCHEMAS, () => {
      writer.message(ENTRY_VALUE, () => {
        writer.string(SELECTOR_KIND, kind);
        writer.string(SELECTOR_API_VERSION, apiVersion);
      });
      writer.string(ENTRY_KEY, name);
    });
  }
}

function writeSelector(writer: Writer, { apiVersion, kind, namespace, match }: ResourceSelector): void {
  writer.string(SELECTOR_NAMESPACE, namespace);
  if ("name" in match) {
    writer.string(SELECTOR_MATCH_NAME, match.name);
  } else {
    writer.message(SELECTOR_MATCH_LABELS, () => writeLabels(writer, match.labels));
  }
  writer.string(SELECTOR_KIND, kind);
  writer.string(SELECTOR_API_VERSION, apiVersion);
}

function writeLabels(writer: Writer, labels: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(labels).reverse()) {
    writer.message(MATCH_LABELS_LABELS, () => {
      writer.string(ENTRY_VALUE, value);
      writer.string(ENTRY_KEY, key);
    });
  }
}
