import type { Capability, Request } from "../model/request.ts";
import { WireDocument } from "./document.ts";
import * as fields from "./fields.ts";
import { emptySlice, readEnums, readMap, readMessage, readMessages, readString, type Slice } from "./message.ts";
import { WireState } from "./state.ts";

export interface WireRequest extends Request {
  readonly desired: WireState;
  readonly context: WireDocument;
  /** The encoded input's size in bytes. */
  readonly inputBytes: number;
}

/** The names of the Capability enum's values, from 1 on. */
const CAPABILITIES = ["Capabilities", "RequiredResources", "Credentials", "Conditions", "RequiredSchemas"] as const;

/**
 * Indexes an encoded RunFunctionRequest. Its resources are decoded when they are first read.
 * @throws {FunctionError} `InvalidMessage`, here or at that first read.
 */
export function readRequest(message: Uint8Array): WireRequest {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength); // a view, no copy
  const request: Slice = { bytes, start: 0, end: bytes.length };
  const meta = readMessage(request, fields.REQUEST_META);
  const numbers = readEnums(meta, fields.REQUEST_META_CAPABILITIES, fields.REQUEST_META_CAPABILITIES_PACKED);
  const capabilities = new Set(numbers.flatMap((number) => CAPABILITIES[number - 1] ?? []));
  const input = readMessage(request, fields.REQUEST_INPUT);
  return {
    tag: readString(meta, fields.REQUEST_META_TAG),
    capabilities,
    observed: new WireState(readMessage(request, fields.REQUEST_OBSERVED)),
    desired: new WireState(readMessage(request, fields.REQUEST_DESIRED)),
    input: new WireDocument(input),
    inputBytes: input.end - input.start,
    context: new WireDocument(readMessage(request, fields.REQUEST_CONTEXT)),
    required: indexAnswers(request, capabilities),
    requiredSchema: indexSchemas(request),
  };
}

/**
 * Indexes Crossplane's answers to requirements. v1 answers in extra_resources, v2.0 and v2.1 in both fields, and versions
 * that advertise RequiredResources in required_resources.
 */
function indexAnswers(request: Slice, capabilities: ReadonlySet<Capability>): Request["required"] {
  const items = (resources: Slice) =>
    readMessages(resources, fields.RESOURCES_ITEMS).map(
      (item) => new WireDocument(readMessage(item, fields.RESOURCE_STRUCT)),
    );
  const read = (field: number) => readMap(request, field, items);
  const required = read(fields.REQUEST_REQUIRED_RESOURCES);
  const extra = capabilities.has("RequiredResources") ? undefined : read(fields.REQUEST_EXTRA_RESOURCES);
  return (name) => {
    const answer = required.get(name) ?? extra?.get(name);
    return answer === undefined ? { is: "pending" } : { is: "resolved", items: answer };
  };
}

/** Indexes the required schemas. An empty Schema means that Crossplane found none for the kind. */
function indexSchemas(request: Slice): Request["requiredSchema"] {
  const toSchema = (schema: Slice) => readMessage(schema, fields.SCHEMA_OPENAPI_V3);
  const schemas = readMap(request, fields.REQUEST_REQUIRED_SCHEMAS, toSchema);
  return (name) => {
    const slice = schemas.get(name);
    if (slice === undefined) return { is: "pending" };
    return slice === emptySlice ? { is: "unknown" } : { is: "resolved", schema: new WireDocument(slice) };
  };
}
