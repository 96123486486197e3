import { compareEntries } from "../../src/model/compare.ts";
import { type JsonObject, ownValue, withKey } from "../../src/model/json.ts";
import { renderComposed } from "./composed.ts";
import { renderComposite } from "./composite.ts";
import { RenderError, whileAwaiting, whileDoing } from "./error.ts";
import type { Inputs } from "./inputs.ts";
import type { RenderOptions } from "./options.ts";
import { byResourceName, type CallFunction, type Outcome, runPipeline } from "./pipeline.ts";

type Include = Pick<RenderOptions, "includeContext" | "includeFullXr" | "includeFunctionResults">;

/**
 * Renders the documents that `crossplane render` prints: the XR, the composed resources sorted by their name in the
 * Composition, and on request the results and the context.
 *
 * @throws {RenderError} where the pipeline fails, or what it desires cannot be composed.
 */
export async function renderDocuments(
  inputs: Inputs,
  call: CallFunction,
  include: Include,
): Promise<readonly (JsonObject | null)[]> {
  const rendered = await whileAwaiting("cannot render composite resource", async () => {
    const outcome = await runPipeline(inputs, call);
    return { ...outcome, composed: toComposed(outcome, inputs), composite: toComposite(outcome, inputs) };
  });
  return [
    include.includeFullXr ? withSpecAndMetadata(inputs.xr, rendered.composite) : rendered.composite,
    ...rendered.composed,
    ...(include.includeFunctionResults ? rendered.results : []),
    ...(include.includeContext ? [toContext(rendered)] : []),
  ];
}

function toComposite({ desired, conditions }: Outcome, { xr }: Inputs): JsonObject {
  const unready = Object.entries(desired.resources ?? {})
    .filter(([, { ready }]) => ready !== "READY_TRUE")
    .map(([name]) => name);
  return renderComposite(xr, desired.composite ?? {}, unready, conditions);
}

function toComposed({ desired }: Outcome, { xr, observed }: Inputs): readonly JsonObject[] {
  const existing = byResourceName(observed);
  return Object.entries(desired.resources ?? {})
    .sort(compareEntries)
    .map(([name, { resource }]) => {
      const composed = { name, desired: resource ?? {}, observed: existing.get(name) };
      return whileDoing(`cannot render composed resource ${JSON.stringify(name)} metadata`, () =>
        renderComposed(composed, xr),
      );
    });
}

/** Null where the last step returned no context at all. */
const toContext = ({ context }: Outcome): JsonObject | null =>
  context === undefined ? null : { apiVersion: "render.crossplane.io/v1beta1", kind: "Context", fields: context };

function withSpecAndMetadata(xr: JsonObject, composite: JsonObject): JsonObject {
  return ["spec", "metadata"].reduce((object, key) => {
    const value = ownValue(xr, key);
    if (value === undefined) throw new RenderError(`cannot get composite resource ${key}: ${key}: no such field`);
    return withKey(object, key, value);
  }, composite);
}
