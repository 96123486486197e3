import { compareEntries } from "../model/collections.ts";
import type { Draft } from "../model/draft.ts";
import type { Capability } from "../model/request.ts";
import type { ResourceSelector, SchemaSelector } from "../model/requirement.ts";
import * as fields from "./fields.ts";
import { emptySlice, readEntryKey, type Slice, writeExcept } from "./message.ts";
import type { WireRequest } from "./request.ts";
import { writeState } from "./state.ts";
import { writeField, writeStruct } from "./struct-writer.ts";
import { Writer } from "./writer.ts";

const EDIT_BYTES = 16 * 1024;

const SEVERITY_NUMBER = { Fatal: 1, Warning: 2, Normal: 3 } as const;
const TARGET_NUMBER = { Composite: 1, CompositeAndClaim: 2 } as const;
const STATUS_NUMBER = { Unknown: 1, True: 2, False: 3 } as const;

/**
 * Encodes a response: the request's desired state and context byte for byte, except for the draft's edits.
 *
 * @param most the largest response, in bytes.
 * @throws {FunctionError} `InvalidResponse` for NaN or an infinity, or for a response that is too large.
 */
export function writeResponse(request: WireRequest, draft: Draft, most = Number.POSITIVE_INFINITY): Buffer {
  const { desired, context } = request;
  const { output } = draft;
  const writer = new Writer(lengthOf(desired.slice) + lengthOf(context.slice) + EDIT_BYTES, most);
  // The last field first: the writer works backwards.
  if (output !== undefined) writer.message(fields.RESPONSE_OUTPUT, () => writeStruct(writer, output));
  writeConditions(writer, draft);
  writeRequirements(writer, request, draft);
  if (draft.context.size > 0 || context.slice !== emptySlice) {
    writer.message(fields.RESPONSE_CONTEXT, () => writeContext(writer, context.slice, draft.context));
  }
  writeResults(writer, draft);
  writer.message(fields.RESPONSE_DESIRED, () => writeState(writer, desired, draft));
  writeMeta(writer, request, draft);
  return writer.finish();
}

const lengthOf = ({ start, end }: Slice): number => end - start;

/** Encodes a Fatal response. Crossplane sets its conditions, and tools read its requirements to find missing resources. */
export function writeFatalResponse(request: WireRequest, draft: Draft): Buffer {
  const writer = new Writer(EDIT_BYTES);
  writeConditions(writer, draft);
  writeRequirements(writer, request, draft);
  writeResults(writer, draft);
  writeMeta(writer, request, draft);
  return writer.finish();
}

function writeMeta(writer: Writer, { tag }: WireRequest, { ttlSeconds }: Draft): void {
  writer.message(fields.RESPONSE_META, () => {
    if (ttlSeconds !== undefined) {
      writer.message(fields.RESPONSE_META_TTL, () => writer.number(fields.DURATION_SECONDS, ttlSeconds));
    }
    writer.string(fields.RESPONSE_META_TAG, tag);
  });
}

/**
 * Writes the requirements. If there are none, no message is written: Crossplane calls once more for an empty one.
 *
 * They are sorted by name, since features may ask in another order in each call: Crossplane sends resources in the random
 * order of Go's maps. v1.20 does not know the field `resources`, so it compares that field's bytes, and calls again until
 * two responses have the same bytes.
 */
function writeRequirements(writer: Writer, { capabilities }: WireRequest, draft: Draft): void {
  const schemas = [...draft.requiredSchemas].sort(compareEntries).reverse();
  const requirements = [...draft.requirements].sort(compareEntries).reverse();
  if (requirements.length === 0 && schemas.length === 0) return;
  writer.message(fields.RESPONSE_REQUIREMENTS, () => {
    for (const [name, selector] of schemas) {
      writer.entry(fields.REQUIREMENTS_SCHEMAS, name, () => writeKind(writer, selector));
    }
    for (const field of chooseFields(capabilities)) {
      for (const [name, selector] of requirements) {
        writer.entry(field, name, () => writeSelector(writer, selector));
      }
    }
  });
}

/**
 * Chooses the fields from which Crossplane reads requirements, as v2.2 and later advertise. Earlier versions advertise
 * nothing, so both are written: v1 reads extra_resources only, v2.0 and v2.1 both.
 */
function chooseFields(capabilities: ReadonlySet<Capability>): readonly number[] {
  if (capabilities.has("RequiredResources")) return [fields.REQUIREMENTS_RESOURCES];
  return capabilities.size > 0
    ? [fields.REQUIREMENTS_EXTRA_RESOURCES]
    : [fields.REQUIREMENTS_RESOURCES, fields.REQUIREMENTS_EXTRA_RESOURCES];
}

function writeSelector(writer: Writer, selector: ResourceSelector): void {
  const { namespace, match } = selector;
  writer.string(fields.SELECTOR_NAMESPACE, namespace);
  if ("name" in match) {
    writer.string(fields.SELECTOR_MATCH_NAME, match.name);
  } else {
    writer.message(fields.SELECTOR_MATCH_LABELS, () => {
      for (const [key, value] of Object.entries(match.labels).reverse()) {
        writer.entry(fields.MATCH_LABELS_LABELS, key, () => writer.text(value));
      }
    });
  }
  writeKind(writer, selector);
}

function writeKind(writer: Writer, { apiVersion, kind }: SchemaSelector): void {
  writer.string(fields.SELECTOR_KIND, kind);
  writer.string(fields.SELECTOR_API_VERSION, apiVersion);
}

function writeContext(writer: Writer, before: Slice, edits: Draft["context"]): void {
  if (edits.size === 0) {
    writer.bytes(before.bytes, before.start, before.end);
    return;
  }
  for (const [key, value] of [...edits].reverse()) writeField(writer, key, value);
  writeExcept(writer, before, (tag, entry) => tag === fields.STRUCT_FIELDS && edits.has(readEntryKey(entry)));
}

function writeResults(writer: Writer, { results }: Draft): void {
  for (const { severity, message, reason, target } of results.toReversed()) {
    writer.message(fields.RESPONSE_RESULTS, () => {
      writer.number(fields.RESULT_TARGET, TARGET_NUMBER[target]);
      writer.string(fields.RESULT_REASON, reason);
      writer.string(fields.RESULT_MESSAGE, message);
      writer.number(fields.RESULT_SEVERITY, SEVERITY_NUMBER[severity]);
    });
  }
}

function writeConditions(writer: Writer, { conditions }: Draft): void {
  for (const { type, status, reason, message, target } of conditions.toReversed()) {
    writer.message(fields.RESPONSE_CONDITIONS, () => {
      writer.number(fields.CONDITION_TARGET, TARGET_NUMBER[target]);
      writer.string(fields.CONDITION_MESSAGE, message);
      writer.string(fields.CONDITION_REASON, reason);
      writer.number(fields.CONDITION_STATUS, STATUS_NUMBER[status]);
      writer.string(fields.CONDITION_TYPE, type);
    });
  }
}
