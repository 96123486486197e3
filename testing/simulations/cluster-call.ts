import type { Call } from "../../src/features/feature.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { LookupAnswer } from "../../src/model/requirement.ts";
import { run } from "../../src/pipeline.ts";
import { type NewCall, runFeature } from "../builders/run-feature.ts";
import { callOf } from "../builders/sharing.ts";
import { lookUpIn } from "./look-up.ts";

type Objects = Readonly<Record<string, JsonObject>>;

interface Parts {
  readonly xr: JsonObject;
  readonly input: Call["input"];
  /** By composed resource name. */
  readonly observed: Objects;
  /** The resources that the steps before ours desire, by composed resource name. */
  readonly desired: Objects;
  /** Lists all objects, as they are when Crossplane looks them up. */
  readonly list: () => readonly JsonObject[];
}

/** Calls the pipeline as Crossplane does, until its requirements are answered or a result is Fatal. */
export function callPipeline({ list, ...parts }: Parts): Draft {
  const required = new Map<string, LookupAnswer>();
  const call = toCall(parts, (name) => required.get(name) ?? { is: "pending" });
  for (let calls = 0; calls < 6; calls++) {
    const draft = runFeature(run, call);
    if (isFatal(draft) || [...draft.requirements.keys()].every((name) => required.has(name))) return draft;
    for (const [name, selector] of draft.requirements)
      required.set(name, {
        is: "resolved",
        items: lookUpIn(list())(selector).map(documentOf),
      });
  }
  throw new Error("requirements do not stabilize");
}

export const isFatal = ({ results }: Draft): boolean => results.some(({ severity }) => severity === "Fatal");

function toCall(parts: Omit<Parts, "list">, required: (name: string) => LookupAnswer): NewCall {
  const { input, ...rest } = parts;
  const { request, composite } = callOf({ ...rest, sharedResources: [], capabilities: ["RequiredResources"] });
  return { request: { ...request, required }, input, composite };
}
