import { toComposite } from "../../src/crossplane/composite.ts";
import { FunctionError } from "../../src/errors.ts";
import type { Call } from "../../src/features/feature.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";
import { run } from "../../src/pipeline.ts";
import { emptyRequest } from "../builders/request.ts";
import { type NewCall, runFeature } from "../builders/run-feature.ts";
import { resourceOf, resourcesOf } from "../builders/sharing.ts";
import { isFatal } from "./cluster-call.ts";

export type Requirements = Draft["requirements"];

/** The outcome of one reconcile's calls: "frozen" applies nothing and deletes nothing. */
export type Outcome =
  | { readonly is: "frozen"; readonly because: string; readonly isRefused?: boolean }
  | { readonly is: "done"; readonly draft: Draft; readonly calls: number };

export interface Parts {
  readonly xr: JsonObject;
  readonly input: Call["input"] | undefined;
  /** By composed resource name. */
  readonly observed: Readonly<Record<string, JsonObject>>;
  /** The requirements of the last reconcile: Crossplane v2.4 answers that before it asks again. */
  readonly before: Requirements;
  readonly lookUp: (selector: ResourceSelector) => readonly JsonObject[];
}

const MAX_CALLS = 6;

/** Calls the pipeline as Crossplane does: until it requires what it has required in the call before. */
export function callUntilStable({ input, before, lookUp, ...parts }: Parts): Outcome {
  if (input === undefined) return { is: "frozen", because: "its input is refused", isRefused: true };
  const composite = toComposite(documentOf(parts.xr));
  let asked = before;
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const draft = runOnce({ request: requestOf(parts, answersTo(asked, lookUp)), input, composite });
    if (draft === undefined || isFatal(draft)) return { is: "frozen", because: "the function is Fatal" };
    if (JSON.stringify([...draft.requirements]) === JSON.stringify([...asked]))
      return { is: "done", draft, calls: calls + 1 };
    asked = draft.requirements;
  }
  return { is: "frozen", because: "its requirements do not become stable" };
}

const requestOf = (
  { xr, observed }: Pick<Parts, "xr" | "observed">,
  required: Call["request"]["required"],
): Call["request"] => ({
  ...emptyRequest,
  capabilities: new Set(["Capabilities", "RequiredResources"]),
  observed: { composite: resourceOf(xr), resources: resourcesOf(observed) },
  required,
});

function answersTo(asked: Requirements, lookUp: Parts["lookUp"]): Call["request"]["required"] {
  const answers = new Map([...asked].map(([name, selector]) => [name, lookUp(selector).map(documentOf)]));
  return (name) => {
    const items = answers.get(name);
    return items === undefined ? { is: "pending" } : { is: "resolved", items };
  };
}

/** Undefined where the function throws what it answers as a Fatal result. */
function runOnce(call: NewCall): Draft | undefined {
  try {
    return runFeature(run, call);
  } catch (error) {
    if (error instanceof FunctionError) return undefined;
    throw error;
  }
}
