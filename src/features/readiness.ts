import { toDocument } from "../model/document.ts";
import { withResource } from "../model/draft.ts";
import { composeRecord, RECORD_NAME } from "../records/record.ts";
import type { Feature } from "./feature.ts";

/**
 * Keeps an XR unready while this step, or an earlier step of this function, holds something back: desires the XR's record of
 * bindings as unready, since the XR's own readiness is lost where a later step's function-sdk-go writes the XR anew.
 */
export const withholdReadiness: Feature = (call, draft) => {
  const earlier = call.request.desired.resources.get(RECORD_NAME);
  if (draft.compositeReady !== "False" && earlier?.ready !== "False") return draft;
  const edit = draft.resources.get(RECORD_NAME);
  const recorded = edit?.is === "set" ? edit.object : earlier?.document;
  const object = recorded ?? toDocument(composeRecord(call.composite, new Map()));
  return withResource(draft, RECORD_NAME, { is: "set", object, ready: "False" });
};
