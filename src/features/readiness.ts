import { toDocument } from "../model/document.ts";
import { withResource } from "../model/draft.ts";
import { composeRecord, RECORD_NAME } from "../records/record.ts";
import type { Feature } from "./feature.ts";

/**
 * Keeps an XR unready while a feature of this step, or of an earlier step of this function, holds something back. The readiness that the
 * response gives the XR itself is lost behind other functions: function-sdk-go writes the XR anew, and with nothing composed Crossplane
 * calls it Ready. What survives every step is a composed resource that is not ready, so the record is one, and is composed if there is none.
 */
export const withholdReadiness: Feature = (call, draft) => {
  const earlier = call.request.desired.resources.get(RECORD_NAME);
  if (draft.compositeReady !== "False" && earlier?.ready !== "False") return draft;
  const edit = draft.resources.get(RECORD_NAME);
  const recorded = edit?.is === "set" ? edit.object : earlier?.document;
  const object = recorded ?? toDocument(composeRecord(call.composite, new Map()));
  return withResource(draft, RECORD_NAME, { is: "set", object, ready: "False" });
};
