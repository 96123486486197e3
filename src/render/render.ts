import { type JsonObject, ownValue, withKey } from "../model/json.ts";
import { renderComposed } from "./composed.ts";
import { renderComposite } from "./composite.ts";
import { RenderError, whileDoing } from "./error.ts";
import type { Flags } from "./flags.ts";
import { formatYaml } from "./go-yaml/format.ts";
import type { Inputs } from "./inputs.ts";
import { byResourceName, type Outcome, runPipeline } from "./pipeline.ts";
import type { RunFunction } from "./run-step.ts";
import { fromStruct } from "./struct.ts";

type Include = Pick<Flags, "includeContext" | "includeFullXr" | "includeFunctionResults">;

/**
 * Everything that `crossplane render` prints, as YAML documents: the XR, the composed resources by their name in the
 * Composition, and where asked for the results and the context.
 *
 * @throws {RenderError} where the pipeline fails, or what it desires cannot be composed.
 */
export function render(inputs: Inputs, run: RunFunction, include: Include): string {
  const rendered = whileDoing("cannot render composite resource", () => {
    const outcome = runPipeline(inputs, run);
    return { ...outcome, composed: composedOf(outcome, inputs), composite: compositeOf(outcome, inputs) };
  });
  const documents = [
    include.includeFullXr ? withSpecAndMetadata(inputs.xr, rendered.composite) : rendered.composite,
    ...rendered.composed,
    ...(include.includeFunctionResults ? rendered.results : []),
    ...(include.includeContext ? [contextOf(rendered)] : []),
  ];
  return documents.map((document) => `---\n${formatYaml(document)}`).join("");
}

function compositeOf({ desired, conditions }: Outcome, { xr }: Inputs): JsonObject {
  const unready = Object.entries(desired.resources ?? {})
    .filter(([, { ready }]) => ready !== "READY_TRUE")
    .map(([name]) => name);
  return renderComposite(xr, desired.composite ?? {}, unready, conditions);
}

function composedOf({ desired }: Outcome, { xr, observed }: Inputs): readonly JsonObject[] {
  const existing = byResourceName(observed);
  return Object.entries(desired.resources ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { resource }]) => {
      const composed = { name, desired: fromStruct(resource ?? { fields: {} }), observed: existing.get(name) };
      return whileDoing(`cannot render composed resource ${JSON.stringify(name)} metadata`, () =>
        renderComposed(composed, xr),
      );
    });
}

/** Null where the last step returned no context at all. */
const contextOf = ({ context }: Outcome): JsonObject | null =>
  context === undefined
    ? null
    : { apiVersion: "render.crossplane.io/v1beta1", kind: "Context", fields: fromStruct(context) };

function withSpecAndMetadata(xr: JsonObject, composite: JsonObject): JsonObject {
  return ["spec", "metadata"].reduce((object, key) => {
    const value = ownValue(xr, key);
    if (value === undefined) throw new RenderError(`cannot get composite resource ${key}: ${key}: no such field`);
    return withKey(object, key, value);
  }, composite);
}
