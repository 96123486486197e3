import { loadMethod } from "../../cli/render/codec.ts";
import { toStruct } from "../../cli/render/struct.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { inputOf, shared, xr } from "../builders/sharing.ts";

/** Encoded messages, made with protobufjs: what Crossplane would send, and what it would understand. */

const method = loadMethod();

interface RequestParts {
  readonly input?: JsonObject;
  readonly context?: JsonObject;
}

/** A request of the XR that uses a database. */
export const requestOf = ({ input = inputOf({ sharedResources: [shared()] }), context }: RequestParts = {}): Buffer =>
  method.requestSerialize({
    meta: { tag: "test", capabilities: ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_RESOURCES"] },
    observed: { composite: { resource: toStruct(xr()) } },
    desired: {},
    input: toStruct(input),
    ...(context === undefined ? {} : { context: toStruct(context) }),
  });
