import { toComposite } from "../../src/crossplane/composite.ts";
import { FunctionError } from "../../src/errors.ts";
import type { Call, Feature } from "../../src/features/feature.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Capability } from "../../src/model/request.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";
import { run } from "../../src/pipeline.ts";
import { emptyRequest, resourceOf, resourcesOf } from "../builders/request.ts";
import { runFeature } from "../builders/run-feature.ts";

export type Requirements = Draft["requirements"];

/** The outcome of one reconcile's calls: "frozen" applies nothing and deletes nothing. */
export type Outcome =
  | {
      readonly is: "frozen";
      readonly because: string;
      readonly isRefused?: boolean;
      readonly draft?: Draft | undefined;
    }
  | { readonly is: "done"; readonly draft: Draft; readonly calls: number };

/** Resources by their names in the Composition. */
type Resources = Readonly<Record<string, JsonObject>>;

export interface Parts {
  readonly xr: JsonObject;
  /** Undefined for one that is refused. */
  readonly input: Call["input"] | undefined;
  readonly observed: Resources;
  /** The resources that the steps before ours desire. */
  readonly desired?: Resources;
  /** The requirements of the last reconcile: Crossplane v2.4 answers that before it asks again. */
  readonly before: Requirements;
  readonly lookUp: (selector: ResourceSelector) => readonly JsonObject[];
  readonly capabilities?: readonly Capability[];
  /** The pipeline, or a part of it. */
  readonly feature?: Feature;
}

const MAX_CALLS = 6;

/** Calls the pipeline as Crossplane does: until it requires what it has required in the call before. */
export function callUntilStable(parts: Parts): Outcome {
  const { input, before, feature = run } = parts;
  if (input === undefined) return { is: "frozen", because: "its input is refused", isRefused: true };
  const composite = toComposite(documentOf(parts.xr));
  let asked = before;
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const call = { request: requestOf(parts, asked), input, composite };
    const draft = withoutFaults(() => runFeature(feature, call));
    const isFatal = draft?.results.some(({ severity }) => severity === "Fatal") ?? true;
    if (draft === undefined || isFatal) return { is: "frozen", because: "the function is Fatal", draft };
    if (JSON.stringify([...draft.requirements]) === JSON.stringify([...asked]))
      return { is: "done", draft, calls: calls + 1 };
    asked = draft.requirements;
  }
  return { is: "frozen", because: "its requirements do not become stable" };
}

function requestOf(parts: Parts, asked: Requirements): Call["request"] {
  const { xr, observed, desired = {}, lookUp, capabilities = ["Capabilities", "RequiredResources"] } = parts;
  const answers = new Map([...asked].map(([name, selector]) => [name, lookUp(selector).map(documentOf)]));
  return {
    ...emptyRequest,
    capabilities: new Set(capabilities),
    observed: { composite: resourceOf(xr), resources: resourcesOf(observed) },
    desired: { composite: resourceOf({}), resources: resourcesOf(desired) },
    required: (name) => {
      const items = answers.get(name);
      return items === undefined ? { is: "pending" } : { is: "resolved", items };
    },
    requiredSchema: () => ({ is: "resolved", schema: documentOf({}) }),
  };
}

/** Undefined where the function throws what it answers as a Fatal result. */
function withoutFaults(runOnce: () => Draft): Draft | undefined {
  try {
    return runOnce();
  } catch (error) {
    if (error instanceof FunctionError) return undefined;
    throw error;
  }
}
