import { toDocument } from "../model/document.ts";
import { withResource } from "../model/draft.ts";
import { composeRecord, RECORD_NAME } from "../records/record.ts";
import type { Feature } from "./feature.ts";

/**
 * Keeps an XR unready while a feature of this step, or an earlier step of this function, holds something back, by an unready record. The
 * XR's own readiness does not survive later steps: function-sdk-go writes the XR anew, and Crossplane calls an XR without composed
 * resources Ready. An unready composed resource survives every step.
 */
export const withholdReadiness: Feature = (call, draft) => {
  const earlier = call.request.desired.resources.get(RECORD_NAME);
  if (draft.compositeReady !== "False" && earlier?.ready !== "False") return draft;
  const edit = draft.resources.get(RECORD_NAME);
  const recorded = edit?.is === "set" ? edit.object : earlier?.document;
  const object = recorded ?? toDocument(composeRecord(call.composite, new Map()));
  return withResource(draft, RECORD_NAME, { is: "set", object, ready: "False" });
};
