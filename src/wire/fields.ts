import { bytesTag, fixed64Tag, varintTag } from "./scan.ts";

/**
 * The tags of the protocol's fields: proto/v1/run_function.proto, google/protobuf/struct.proto and duration.proto. v1 and
 * v1beta1 have the same. A field with another wire type is an unknown field, as protobuf specifies.
 */

export const REQUEST_META = bytesTag(1);
export const REQUEST_OBSERVED = bytesTag(2);
export const REQUEST_DESIRED = bytesTag(3);
export const REQUEST_INPUT = bytesTag(4);
export const REQUEST_CONTEXT = bytesTag(5);
export const REQUEST_EXTRA_RESOURCES = bytesTag(6);
export const REQUEST_REQUIRED_RESOURCES = bytesTag(8);
export const REQUEST_REQUIRED_SCHEMAS = bytesTag(9);

export const RESPONSE_META = bytesTag(1);
export const RESPONSE_DESIRED = bytesTag(2);
export const RESPONSE_RESULTS = bytesTag(3);
export const RESPONSE_CONTEXT = bytesTag(4);
export const RESPONSE_REQUIREMENTS = bytesTag(5);
export const RESPONSE_CONDITIONS = bytesTag(6);
export const RESPONSE_OUTPUT = bytesTag(7);

export const REQUEST_META_TAG = bytesTag(1);
export const REQUEST_META_CAPABILITIES = varintTag(2);
export const REQUEST_META_CAPABILITIES_PACKED = bytesTag(2);
export const RESPONSE_META_TAG = bytesTag(1);
export const RESPONSE_META_TTL = bytesTag(2);
export const DURATION_SECONDS = varintTag(1);

export const STATE_COMPOSITE = bytesTag(1);
export const STATE_RESOURCES = bytesTag(2);
export const RESOURCE_STRUCT = bytesTag(1);
export const RESOURCE_CONNECTION_DETAILS = bytesTag(2);
export const RESOURCE_READY = varintTag(3);
export const RESOURCES_ITEMS = bytesTag(1);
export const SCHEMA_OPENAPI_V3 = bytesTag(1);

/** A map is encoded as a list of messages with a key and a value. */
export const ENTRY_KEY = bytesTag(1);
export const ENTRY_VALUE = bytesTag(2);

export const STRUCT_FIELDS = bytesTag(1);
export const VALUE_NULL = varintTag(1);
export const VALUE_NUMBER = fixed64Tag(2);
export const VALUE_STRING = bytesTag(3);
export const VALUE_BOOL = varintTag(4);
export const VALUE_STRUCT = bytesTag(5);
export const VALUE_LIST = bytesTag(6);
export const LIST_VALUES = bytesTag(1);

export const REQUIREMENTS_EXTRA_RESOURCES = bytesTag(1);
export const REQUIREMENTS_RESOURCES = bytesTag(2);
export const REQUIREMENTS_SCHEMAS = bytesTag(3);
export const SELECTOR_API_VERSION = bytesTag(1);
export const SELECTOR_KIND = bytesTag(2);
export const SELECTOR_MATCH_NAME = bytesTag(3);
export const SELECTOR_MATCH_LABELS = bytesTag(4);
export const SELECTOR_NAMESPACE = bytesTag(5);
export const MATCH_LABELS_LABELS = bytesTag(1);

export const RESULT_SEVERITY = varintTag(1);
export const RESULT_MESSAGE = bytesTag(2);
export const RESULT_REASON = bytesTag(3);
export const RESULT_TARGET = varintTag(4);
export const CONDITION_TYPE = bytesTag(1);
export const CONDITION_STATUS = varintTag(2);
export const CONDITION_REASON = bytesTag(3);
export const CONDITION_MESSAGE = bytesTag(4);
export const CONDITION_TARGET = varintTag(5);
