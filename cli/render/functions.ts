import { PROGRAM } from "../command.ts";
import type { FunctionManifest, Step } from "./composition.ts";
import { RenderError } from "./error.ts";

/** A Function's runtime: this process, or a server that is called at `target`. */
export type Runtime = { readonly is: "embedded" } | { readonly is: "development"; readonly target: string };

const RUNTIME = "render.crossplane.io/runtime";
const TARGET = "render.crossplane.io/runtime-development-target";
/** Crossplane's own default. */
const DEFAULT_TARGET = "localhost:9443";

/** A step of the pipeline, and how its Function is run. */
export interface RunnableStep {
  readonly step: Step;
  readonly runtime: Runtime;
}

/**
 * Finds the runtime of each step's Function.
 *
 * A Function may have any name, so its package tells whether it is this function: the last part before tag and digest, in any
 * registry. Others are called as `crossplane render` calls those with the runtime Development; Docker is not supported.
 *
 * @throws {RenderError} naming the step, the Function and what to do about it.
 */
export const findRuntimes = (steps: readonly Step[], functions: readonly FunctionManifest[]): readonly RunnableStep[] =>
  steps.map((step) => {
    const { name } = step.functionRef;
    const runtime = toRuntime(
      name,
      functions.find((manifest) => manifest.name === name),
    );
    if (typeof runtime !== "string") return { step, runtime };
    throw new RenderError(`cannot run pipeline step ${JSON.stringify(step.step)}: ${runtime}`);
  });

/** @returns the runtime, or why there is none. */
function toRuntime(name: string, manifest: FunctionManifest | undefined): Runtime | string {
  const quoted = JSON.stringify(name);
  if (manifest === undefined) return `unknown Function ${quoted} - does it exist in your Functions file?`;
  if (toRepository(manifest.package) === PROGRAM) return { is: "embedded" };

  const { [RUNTIME]: runtime, [TARGET]: target } = manifest.annotations;
  if (runtime === "Development") return { is: "development", target: target || DEFAULT_TARGET };
  const itsPackage =
    manifest.package === "" ? "it has no spec.package" : `its package is ${JSON.stringify(manifest.package)}`;
  const itsRuntime = runtime === undefined ? `no annotation ${RUNTIME}` : `${RUNTIME}: ${runtime}`;
  return (
    `Function ${quoted} is not ${PROGRAM} (${itsPackage}) and has ${itsRuntime}: run it with --insecure, and give it the annotations ` +
    `${RUNTIME}: Development and ${TARGET}: HOST:PORT; or use "crossplane render", which runs it in Docker`
  );
}

/** `registry.example.org:5000/mirror/NAME:v1@sha256:…` → `NAME` */
const toRepository = (name: string): string | undefined => /(?:^|\/)([^/:@]+)(?::[^/@]*)?(?:@[^/]*)?$/.exec(name)?.[1];
